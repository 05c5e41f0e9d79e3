#pragma once
// OpenCL: its loader, devices, contexts and queues. Not installed.
#include "tilewright/device.h"
#include "tilewright/launches.h"
#include <dlfcn.h>
#include <functional>
#include <optional>
#include <vector>

namespace tilewright::driver {

struct OpenClDevice {
    DeviceInfo info;
    void *platform = nullptr, *device = nullptr, *context = nullptr, *queue = nullptr;
};

// The loader's library; null when there is none. It is opened at the first call.
void *libopencl();

// The loader's function of that name; null where it has none.
template<typename F>
F *opencl(const char *name) {
    return libopencl() ? reinterpret_cast<F *>(dlsym(libopencl(), name)) : nullptr;
}

// The devices of all platforms; one unusable entry that says why when there are none. Makes no context.
std::vector<DeviceInfo> opencl_devices();

// The device with its context and queue, which are made at first use if `create`; null when there are none.
OpenClDevice *opencl_device(int index, bool create);

// A further queue of the device; null when the driver makes none.
void *new_opencl_queue(int index);

constexpr const char *no_opencl_context =
    "no OpenCL context can be made on it; `clinfo` shows whether its driver works";

// Launches a kernel by `launch`, and adds its name, its time and what the driver says of it to `recorded`.
// Returns the code of the launch.
int launch_and_describe(
    void *queue, void *kernel, const std::function<int()> &launch, KernelLaunch &recorded);

// The size of a buffer of the library's context on the device that `index` numbers; nothing for what is no
// such buffer. Buffers that were released cannot be told from others.
std::optional<size_t> bytes_of_cl_mem(int index, uint64_t memory);

// Memory of a context for this thread's queue, from opencl_memory(); 0, and the driver's code, where there is
// none. Errors: std::bad_alloc.
uint64_t take_opencl_memory(void *context, size_t bytes, int *error);

// Waits until the work of all queues has ended.
void wait_for_opencl();

}  // namespace tilewright::driver
