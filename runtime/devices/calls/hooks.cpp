#include "runtime/devices/calls/hooks.h"
#include "runtime/devices/calls/halide_calls.h"
#include "runtime/devices/cuda/cuda.h"
#include "runtime/devices/memory/memory_pool.h"
#include "runtime/devices/memory/pinned_memory.h"
#include "runtime/devices/opencl/opencl.h"
#include "runtime/devices/thread_context.h"
#include "tilewright/error.h"

namespace tilewright {

namespace driver {

thread_local constinit ThreadContext this_thread;

namespace {

// Has one thread make Halide's first call of OpenCL, while all others wait. In that call Halide's runtime
// gets the functions of the loader one after another without a lock, and a call of another thread would use
// those that it has not got yet. (It takes a lock to get CUDA's functions.) The device of the thread is set
// already.
void make_first_call_of_opencl() {
    [[maybe_unused]] static const bool made = [] {
        wait_for_device(Backend::opencl);  // where it fails, the next call fails with the same message
        return true;
    }();
}

}  // namespace

void open(Device device) {
    device_info(device);
    std::optional<InsideDriver> inside;
    if (device.backend != Backend::cpu) {
        inside.emplace();
    }
    CUresult why = 0;
    if (device.backend == Backend::cuda && !cuda_context(device.index, true, &why)) {
        throw Error(why == cuda_out_of_memory ? Fault::memory : Fault::device, no_cuda_context(why),
            {.device = device.str()});
    }
    if (device.backend == Backend::opencl && !opencl_device(device.index, true)) {
        throw Error(Fault::device, no_opencl_context, {.device = device.str()});
    }
}

Current::Current(Device device) : before_(this_thread.device) {
    if (device.backend != Backend::cpu) {
        inside_.emplace();
    }
    this_thread.device = device;
    if (device.backend == Backend::opencl) {
        make_first_call_of_opencl();
    }
}

Current::~Current() {
    this_thread.device = before_;
}

void wait_for_devices() {
    wait_for_cuda();
    wait_for_opencl();
}

void link_hooks() {}

}  // namespace driver

void trim_host_memory(size_t keep) {
    driver::host_memory().trim(keep);
    driver::trim_pinned_memory(keep);
}

}  // namespace tilewright
