#pragma once
// The CUDA driver: its library, devices and contexts. The few of its functions that are used are declared
// here, so that no CUDA header is needed. Not installed.
#include "tilewright/device.h"
#include "tilewright/launches.h"
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::driver {

using CUresult = int;
using CUcontext = void *;
constexpr CUresult cuda_out_of_memory = 2;

// The driver's library; null when there is none. It is opened at the first call.
void *libcuda();

// The devices that the driver shows; one unusable entry that says why when there are none. Makes no context.
std::vector<DeviceInfo> cuda_devices();

// The device's primary context, which other CUDA libraries of this process use, too; made at first use if
// `create`. Null when there is none, or none can be made; `why` is then the driver's reason.
CUcontext cuda_context(int index, bool create = true, CUresult *why = nullptr);

// The driver's name of an error: "CUDA_ERROR_INVALID_VALUE".
std::string cuda_error(CUresult code);

// The message about a context that cannot be made.
std::string no_cuda_context(CUresult why);

// While it lives, the context is the one that this thread's driver functions work on.
class InCudaContext {
public:
    explicit InCudaContext(CUcontext context);
    ~InCudaContext();
    InCudaContext(const InCudaContext &) = delete;
};

// Allows a kernel's function more dynamic shared memory than 48 KB, up to what the device has.
void allow_shared_memory(void *function, unsigned bytes);

// How many threads of the driver compile a module: one per kernel, and at most eight. `split_compile` is the
// driver's option for it, CU_JIT_SPLIT_COMPILE of CUDA 13; older drivers refuse it.
constexpr int split_compile = 34;
int compiling_threads(const std::string &ptx);

// Milliseconds between two events around `calls`, on the current CUDA device. Errors: those of `calls`;
// device, when the device stopped.
double cuda_time_ms(const std::function<void()> &calls);

// Launches a kernel by `launch`, and adds its time and what the driver says of the kernel to `recorded`,
// which has its grid and block. Returns the code of the launch.
CUresult launch_and_describe(
    void *function, unsigned shared, const std::function<CUresult()> &launch, KernelLaunch &recorded);

// A stream of the device's context, which does not wait for the work of the context's first stream, nor that
// for its. Null when the driver makes none.
void *new_cuda_stream(int index);

// Has what `after` is given from now on wait for what `before` was given so far; both are streams of the
// device's context. The host does not wait. Errors: device.
void order_cuda_streams(Device device, void *before, void *after);

// Locks pages of host memory, so that all devices copy from and to it directly, or ends that. False where
// the driver does not. unlock_pages() is true for pages that were not locked, too.
bool lock_pages(void *begin, size_t bytes);
bool unlock_pages(void *begin);

// Memory of the device for this thread's queue: of the pool (memory_pool.h), or new. Returns the driver's
// code, and 0 as `memory` where there is none.
CUresult take_cuda_memory(Device device, size_t bytes, uint64_t &memory);

// Waits until the work of all contexts has ended.
void wait_for_cuda();

}  // namespace tilewright::driver
