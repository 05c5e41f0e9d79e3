#include "runtime/devices/cuda/cuda.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/devices/cuda/driver_function.h"
#include "runtime/devices/own_queue.h"
#include "runtime/devices/thread_context.h"
#include "runtime/process/immortal.h"
#include "runtime/process/inside.h"
#include "tilewright/error.h"
#include "tilewright/variant.h"
#include <algorithm>
#include <atomic>
#include <dlfcn.h>
#include <fstream>
#include <map>
#include <mutex>

namespace tilewright::driver {

namespace {

constexpr DriverFunction<CUresult(unsigned)> cu_init{"cuInit"};
constexpr DriverFunction<CUresult(int *)> cu_driver_version{"cuDriverGetVersion"};
constexpr DriverFunction<CUresult(int *)> cu_device_count{"cuDeviceGetCount"};
constexpr DriverFunction<CUresult(int *, int)> cu_device_get{"cuDeviceGet"};
constexpr DriverFunction<CUresult(char *, int, int)> cu_device_name{"cuDeviceGetName"};
constexpr DriverFunction<CUresult(size_t *, int)> cu_device_memory{"cuDeviceTotalMem_v2"};
constexpr DriverFunction<CUresult(char *, int, int)> cu_device_address{"cuDeviceGetPCIBusId"};
constexpr DriverFunction<CUresult(int *, int, int)> cu_device_attribute{"cuDeviceGetAttribute"};
constexpr DriverFunction<CUresult(CUcontext *, int)> cu_primary_context{"cuDevicePrimaryCtxRetain"};
constexpr DriverFunction<CUresult(CUcontext)> cu_push{"cuCtxPushCurrent_v2"};
constexpr DriverFunction<CUresult(CUcontext *)> cu_pop{"cuCtxPopCurrent_v2"};
constexpr DriverFunction<CUresult(void **, unsigned)> cu_stream_create{"cuStreamCreate"};
constexpr DriverFunction<CUresult(void *, size_t, unsigned)> cu_host_register{"cuMemHostRegister_v2"};
constexpr DriverFunction<CUresult(void *)> cu_host_unregister{"cuMemHostUnregister"};
constexpr DriverFunction<CUresult()> cu_synchronize{"cuCtxSynchronize"};
constexpr DriverFunction<CUresult(void *, void *, unsigned)> cu_stream_wait{"cuStreamWaitEvent"};
constexpr DriverFunction<CUresult(void **, unsigned)> cu_event_create{"cuEventCreate"};
constexpr DriverFunction<CUresult(void *, void *)> cu_event_record{"cuEventRecord"};
constexpr DriverFunction<CUresult(void *)> cu_event_synchronize{"cuEventSynchronize"};
constexpr DriverFunction<CUresult(float *, void *, void *)> cu_event_elapsed{"cuEventElapsedTime"};
constexpr DriverFunction<CUresult(void *)> cu_event_destroy{"cuEventDestroy_v2"};
constexpr DriverFunction<CUresult(void *, int, int)> cu_function_attribute{"cuFuncSetAttribute"};
constexpr DriverFunction<CUresult(int *, int, void *)> cu_function_get{"cuFuncGetAttribute"};
constexpr DriverFunction<CUresult(int *, void *, int, size_t)> cu_blocks_per_multiprocessor{
    "cuOccupancyMaxActiveBlocksPerMultiprocessor"};
constexpr DriverFunction<CUresult(int *)> cu_context_device{"cuCtxGetDevice"};
constexpr DriverFunction<CUresult(int, const char **)> cu_error_name{"cuGetErrorName"};

// The primary contexts that were asked for, by the device's index.
struct Contexts {
    std::mutex mutex;
    std::map<int, CUcontext> of_device;
};

Contexts &contexts() {
    return immortal([] { return Contexts(); });
}

// "CUDA 12.4, driver 550.54.15"; the driver's own version only where the kernel module tells it.
std::string driver_version() {
    int version = 0;
    cu_driver_version(&version);
    std::string text = "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    std::ifstream file("/proc/driver/nvidia/version");
    for (std::string word; file >> word;) {
        const bool only_digits_and_dots = word.find_first_not_of("0123456789.") == std::string::npos;
        if (only_digits_and_dots && word.find('.') != std::string::npos) {
            return text + ", driver " + word;
        }
    }
    return text;
}

// The oldest compute capability that a library is linked in for; 0 where there is no such library.
std::atomic<int> &oldest_linked() {
    static std::atomic<int> oldest{0};
    return oldest;
}

int oldest_capability() {
    constexpr int of_our_libraries = 80;
    return oldest_linked() ? oldest_linked().load() : of_our_libraries;
}

std::string dotted(int capability) {
    return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

DeviceInfo cuda_device(int index, const std::string &driver) {
    // CU_DEVICE_ATTRIBUTE_...
    constexpr int threads_per_block = 1, shared_memory_per_block = 8, multiprocessors = 16,
                  capability_major = 75, capability_minor = 76, shared_memory_on_request = 97;
    DeviceInfo d;
    int device = 0;
    char name[256] = "", address[32] = "";
    size_t bytes = 0;
    cu_device_get(&device, index);
    cu_device_name(name, sizeof name, device);
    cu_device_memory(&bytes, device);
    cu_device_address(address, sizeof address, device);
    const auto attribute = [&](int which) {
        int value = 0;
        cu_device_attribute(&value, which, device);
        return value;
    };
    const int capability = 10 * attribute(capability_major) + attribute(capability_minor);
    d.units = attribute(multiprocessors);
    constexpr int of_every_gpu = 1024;  // since compute capability 2.0, where the driver does not answer
    const int threads = attribute(threads_per_block);
    d.block_threads = threads > 0 ? threads : of_every_gpu;
    d.block_memory = std::max(attribute(shared_memory_per_block), attribute(shared_memory_on_request));
    d.fp64 = d.images = true;
    d.half = capability >= 53;
    d.device = {Backend::cuda, index};
    d.name = name;
    d.driver = driver;
    d.memory = bytes;
    d.capability = dotted(capability);
    d.compute_capability = capability;
    d.pci_address = address;
    d.is_gpu = true;
    d.usable = capability >= oldest_capability();
    if (!d.usable) {
        d.why_not = "it has compute capability " + d.capability + "; the CUDA libraries need " +
                    dotted(oldest_capability()) +
                    " or newer. Use OpenCL on it, or build with TILEWRIGHT_CUDA_CAPABILITY=" +
                    std::to_string(capability);
    }
    return d;
}

}  // namespace

std::string cuda_error(CUresult code) {
    const char *name = nullptr;
    cu_error_name(code, &name);
    return name ? name : "error " + std::to_string(code);
}

// By the name that every driver installs; the unversioned one belongs to a developer's package.
void *libcuda() {
    static void *library = [] {
        void *found = dlopen("libcuda.so.1", RTLD_NOW);
        return found ? found : dlopen("libcuda.so", RTLD_NOW);
    }();
    return library;
}

std::vector<DeviceInfo> cuda_devices() {
    DeviceInfo none;
    none.device = {Backend::cuda, 0};
    none.name = "none";
    if (!libcuda()) {
        none.why_not =
            "the NVIDIA driver's libcuda.so.1 was not found; install the driver, or use the CPU or OpenCL";
        return {none};
    }
    constexpr CUresult no_device = 100;
    if (CUresult error = cu_init(0); error != 0 && error != no_device) {
        none.why_not = "the NVIDIA driver does not start (cuInit: " + cuda_error(error) +
                       "); `nvidia-smi` shows its state";
        return {none};
    }
    int n = 0;
    cu_device_count(&n);
    if (n == 0) {
        none.why_not = "the NVIDIA driver sees no GPU; CUDA_VISIBLE_DEVICES may hide it";
        return {none};
    }
    const std::string driver = driver_version();
    std::vector<DeviceInfo> found;
    for (int i = 0; i < n; i++) {
        found.push_back(cuda_device(i, driver));
    }
    return found;
}

CUcontext cuda_context(int index, bool create, CUresult *why) {
    const std::lock_guard lock(contexts().mutex);
    CUcontext &context = contexts().of_device[index];
    if (!context && create) {
        int device = 0;
        cu_init(0);
        CUresult error = cu_device_get(&device, index);
        if (error == 0) {
            error = cu_primary_context(&context, device);
        }
        if (error != 0) {
            context = nullptr;
        } else {
            end_drivers_at_exit(wait_for_devices);
        }
        if (why) {
            *why = error;
        }
    }
    return context;
}

std::string no_cuda_context(CUresult why) {
    return "no context can be made on it (" + cuda_error(why) +
           "); another process may use it exclusively, or its memory is full (see `nvidia-smi`)";
}

InCudaContext::InCudaContext(CUcontext context) {
    cu_push(context);
}

InCudaContext::~InCudaContext() {
    CUcontext popped;
    cu_pop(&popped);
}

void allow_shared_memory(void *function, unsigned bytes) {
    constexpr int max_dynamic_shared_size_bytes = 8;  // CU_FUNC_ATTRIBUTE_...
    cu_function_attribute(function, max_dynamic_shared_size_bytes, (int)bytes);
}

int compiling_threads(const std::string &ptx) {
    constexpr std::string_view entry = ".entry ";
    int kernels = 0;
    for (size_t at = ptx.find(entry); at != std::string::npos; at = ptx.find(entry, at + entry.size())) {
        kernels++;
    }
    return std::clamp(kernels, 1, 8);
}

double cuda_time_ms(const std::function<void()> &calls) {
    struct Events {
        const InCudaContext context{cuda_context(this_thread.device.index)};
        void *start = nullptr, *stop = nullptr;
        CUresult error = cu_event_create(&start, 0);
        Events() {
            error = error ? error : cu_event_create(&stop, 0);
            error = error ? error : cu_event_record(start, own_queue());
        }
        ~Events() {
            for (void *event : {start, stop}) {
                if (event) {  // the driver takes every address for an event
                    cu_event_destroy(event);
                }
            }
        }
    } events;
    calls();
    CUresult error = events.error;
    float ms = 0;
    error = error ? error : cu_event_record(events.stop, own_queue());
    error = error ? error : cu_event_synchronize(events.stop);
    error = error ? error : cu_event_elapsed(&ms, events.start, events.stop);
    if (error) {
        throw Error(
            Fault::device, "the device stopped: " + cuda_error(error), {.device = this_thread.device.str()});
    }
    return ms;
}

CUresult launch_and_describe(
    void *function, unsigned shared, const std::function<CUresult()> &launch, KernelLaunch &recorded) {
    CUresult code = 0;
    try {
        recorded.ms = cuda_time_ms([&] { code = launch(); });
    } catch (const Error &) {
        return code;  // the device stopped: Halide's next call says so
    }
    if (code != 0) {
        recorded.ms.reset();
    }
    // CU_FUNC_ATTRIBUTE_... and CU_DEVICE_ATTRIBUTE_...
    constexpr int max_threads = 0, static_shared = 1, local = 3, registers = 4,
                  threads_of_multiprocessor = 39;
    const auto attribute = [&](int which) -> std::optional<int64_t> {
        int value = 0;
        return cu_function_get(&value, which, function) == 0 ? std::optional<int64_t>(value) : std::nullopt;
    };
    recorded.most_threads = attribute(max_threads);
    recorded.spill_bytes = attribute(local);
    recorded.registers = attribute(registers);
    recorded.shared_bytes = shared + attribute(static_shared).value_or(0);
    int value = 0, device = 0;
    const auto threads = (int)recorded.threads_of_block();
    if (cu_blocks_per_multiprocessor(&value, function, threads, shared) == 0) {
        recorded.blocks_per_unit = value;
    }
    if (cu_context_device(&device) == 0 &&
        cu_device_attribute(&value, threads_of_multiprocessor, device) == 0 && value > 0) {
        recorded.most_threads_of_unit = value;
    }
    return code;
}

void *new_cuda_stream(int index) {
    constexpr unsigned non_blocking = 1;  // CU_STREAM_NON_BLOCKING
    const InCudaContext here(cuda_context(index));
    void *stream = nullptr;
    return cu_stream_create(&stream, non_blocking) == 0 ? stream : nullptr;
}

void order_cuda_streams(Device device, void *before, void *after) {
    constexpr unsigned no_timing = 2;  // CU_EVENT_DISABLE_TIMING
    const InCudaContext here(cuda_context(device.index));
    void *event = nullptr;
    CUresult error = cu_event_create(&event, no_timing);
    error = error ? error : cu_event_record(event, before);
    error = error ? error : cu_stream_wait(after, event, 0);
    if (event) {
        cu_event_destroy(event);  // the driver keeps it until it has happened
    }
    if (error) {
        throw Error(Fault::device, "the stream cannot be joined: " + cuda_error(error),
            {.argument = "stream", .device = device.str()});
    }
}

bool lock_pages(void *begin, size_t bytes) {
    constexpr unsigned portable = 1;  // CU_MEMHOSTREGISTER_PORTABLE: for all contexts
    return cu_host_register(begin, bytes, portable) == 0;
}

bool unlock_pages(void *begin) {
    constexpr CUresult not_locked = 713;  // CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED
    const CUresult code = cu_host_unregister(begin);
    return code == 0 || code == not_locked;
}

// Takes no lock: the program is ending, and the threads that were inside a driver have left it (inside.h).
void wait_for_cuda() {
    for (const auto &[index, context] : contexts().of_device) {
        if (context) {
            const InCudaContext here(context);
            cu_synchronize();
        }
    }
}

}  // namespace tilewright::driver

namespace tilewright {

bool cuda_libraries_from(int capability) {
    std::atomic<int> &oldest = driver::oldest_linked();
    oldest = oldest == 0 ? capability : std::min(oldest.load(), capability);
    return true;
}

}  // namespace tilewright
