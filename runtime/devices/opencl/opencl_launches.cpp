#include "runtime/devices/opencl/opencl_launches.h"
#include "runtime/devices/calls/counters.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/devices/memory/memory_pool.h"
#include "runtime/devices/opencl/opencl.h"
#include "runtime/process/inside.h"
#include "tilewright/error.h"
#include <HalideRuntimeOpenCL.h>
#include <algorithm>
#include <cstring>
#include <new>
#include <string>

extern "C" {
int halide_acquire_cl_context(void *user_context, void **context, void **queue, bool create);
int halide_release_cl_context(void *user_context);
}

namespace tilewright::driver {

namespace {

struct LaunchFunctions {
    int (*set_argument)(void *kernel, unsigned index, size_t bytes,
        const void *value) = opencl<int(void *, unsigned, size_t, const void *)>("clSetKernelArg");
    int (*launch)(void *queue, void *kernel, unsigned dims, const size_t *offset, const size_t *global,
        const size_t *local, unsigned waits, const void *list,
        void *event) = opencl<int(void *, void *, unsigned, const size_t *, const size_t *, const size_t *,
        unsigned, const void *, void *)>("clEnqueueNDRangeKernel");
    int (*release)(void *kernel) = opencl<int(void *)>("clReleaseKernel");
};

const LaunchFunctions &launch_functions() {
    static const LaunchFunctions all;
    return all;
}

// The context and the queue of this thread, which no other thread uses meanwhile. Errors: device.
struct InQueue {
    explicit InQueue(Device device) {
        const int code = halide_acquire_cl_context(nullptr, &context, &queue, true);
        if (code != 0 || queue == nullptr) {
            halide_release_cl_context(nullptr);
            throw Error(Fault::device, "OpenCL has no queue: error " + std::to_string(code),
                {.device = device.str()});
        }
    }
    ~InQueue() {
        halide_release_cl_context(nullptr);
    }
    InQueue(const InQueue &) = delete;

    void *context = nullptr, *queue = nullptr;
};

[[noreturn]] void refuse(int code, Device device) {
    constexpr int no_memory = -4, no_host_memory = -6;  // CL_MEM_OBJECT_ALLOCATION_FAILURE and ..._HOST_...
    throw Error(code == no_memory || code == no_host_memory ? Fault::memory : Fault::device,
        "the kernels cannot be launched: OpenCL error " + std::to_string(code), {.device = device.str()});
}

}  // namespace

OpenClLaunches::OpenClLaunches(Device device) : RecordedKernels(device, opencl_memory()) {}

OpenClLaunches::~OpenClLaunches() {
    const Inside inside(std::nothrow);
    if (drivers_have_ended()) {
        return;
    }
    for (const Kernel &kernel : kernels_) {
        launch_functions().release(kernel.kernel);
    }
    let_go();
}

void OpenClLaunches::add_argument(unsigned index, size_t bytes, const void *value) noexcept try {
    if (bytes == sizeof(uint64_t) && value != nullptr) {
        Argument &made = arguments_.emplace_back(Argument{kernels_.size(), index, 0});
        memcpy(&made.value, value, bytes);
    }
} catch (const std::bad_alloc &) {
    give_up();
}

void OpenClLaunches::add_kernel(
    void *kernel, unsigned dims, const size_t *global, const size_t *local) noexcept try {
    Kernel &made = kernels_.emplace_back(Kernel{kernel, dims, {1, 1, 1}, {1, 1, 1}});
    std::copy_n(global, dims, made.global.begin());
    std::copy_n(local, dims, made.local.begin());
} catch (const std::bad_alloc &) {
    give_up();
}

bool OpenClLaunches::keeps(const void *kernel) const noexcept {
    return std::ranges::any_of(kernels_, [&](const Kernel &kept) { return kept.kernel == kernel; });
}

uint64_t OpenClLaunches::allocated(size_t bytes) {
    const InQueue here(device_);
    int error = 0;
    const uint64_t memory = take_opencl_memory(here.context, bytes, &error);
    if (memory == 0) {
        throw Error(
            Fault::memory, "out of memory: OpenCL error " + std::to_string(error), {.device = device_.str()});
    }
    return memory;
}

// Other arguments keep the values that the kernels' objects have. One of 8 bytes that is a cl_mem is no
// number. Where it is in two buffers, as in arrays that wrap the same memory, nothing says which of them the
// kernel means.
bool OpenClLaunches::make(std::span<const Buffer> buffers) {
    std::erase_if(arguments_, [&](Argument &argument) {
        const auto is_it = [&](const Buffer &buffer) { return buffer.address == argument.value; };
        argument.buffer = (size_t)(std::ranges::find_if(buffers, is_it) - buffers.begin());
        return argument.buffer == buffers.size();
    });
    const bool are_apart = std::ranges::all_of(arguments_, [&](const Argument &argument) {
        return std::ranges::count(buffers, argument.value, &Buffer::address) == 1;
    });
    return are_apart && !kernels_.empty();
}

// All buffers are set, because a cl_mem of before may be gone, and another one have its address.
void OpenClLaunches::start(std::span<const uint64_t> addresses) {
    const InQueue here(device_);
    const auto check = [this](int code) {
        if (code != 0) {
            refuse(code, device_);
        }
    };
    for (const Argument &argument : arguments_) {
        const uint64_t memory = addresses[argument.buffer];
        check(launch_functions().set_argument(
            kernels_[argument.kernel].kernel, argument.index, sizeof memory, &memory));
    }
    for (const Kernel &kernel : kernels_) {
        check(launch_functions().launch(here.queue, kernel.kernel, kernel.dims, nullptr, kernel.global.data(),
            kernel.local.data(), 0, nullptr, nullptr));
        count_kernel(kernel.local[0] * kernel.local[1] * kernel.local[2]);
    }
}

}  // namespace tilewright::driver
