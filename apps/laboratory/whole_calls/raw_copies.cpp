#include "apps/laboratory/whole_calls/raw_copies.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/devices/cuda/cuda.h"
#include "tilewright/error.h"
#include <dlfcn.h>

namespace tilewright::benchmarks {

namespace {

template<typename... Arguments>
void call(const char *name, Arguments... arguments) {
    auto *function = reinterpret_cast<int (*)(Arguments...)>(dlsym(driver::libcuda(), name));
    if (function == nullptr || function(arguments...) != 0) {
        throw Error(
            Fault::device, "the driver's function failed; `nvidia-smi` shows its state", {.operation = name});
    }
}

}  // namespace

RawCopies::RawCopies(Device device, size_t bytes) : index_(device.index) {
    if (device.backend != Backend::cuda) {
        throw Error(Fault::device, "the driver's own copies are timed on CUDA only; name a CUDA device",
            {.argument = "device", .value = device.str()});
    }
    driver::open(device);
    const driver::InCudaContext here(driver::cuda_context(index_));
    call("cuMemAlloc_v2", &memory_, bytes);
}

RawCopies::~RawCopies() {
    const driver::InCudaContext here(driver::cuda_context(index_));
    try {
        call("cuMemFree_v2", memory_);
    } catch (const Error &) {  // NOLINT(bugprone-empty-catch): the process ends soon
    }
}

void RawCopies::up(const void *from, size_t bytes) const {
    const driver::InCudaContext here(driver::cuda_context(index_));
    call("cuMemcpyHtoD_v2", memory_, from, bytes);
    call("cuCtxSynchronize");
}

void RawCopies::down(void *to, size_t bytes) const {
    const driver::InCudaContext here(driver::cuda_context(index_));
    call("cuMemcpyDtoH_v2", to, memory_, bytes);
}

}  // namespace tilewright::benchmarks
