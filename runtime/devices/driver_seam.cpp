#include "runtime/devices/driver_seam.h"
#include "runtime/process/inside.h"
#include "runtime/process/kept_signals.h"
#include "tilewright/error.h"
#include "tilewright/statistics.h"
#include <HalideRuntime.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <new>

namespace tilewright {

namespace {

// ---------------------------------------------------------------------------------------------------------------- counters

struct AtomicCounters {
    std::atomic<uint64_t> kernels{0}, copies_to_device{0}, bytes_to_device{0}, copies_to_host{0}, bytes_to_host{0}, allocations{0},
        modules{0}, module_us{0}, largest_block{0};
} count;

void count_kernel(uint64_t threads) {
    count.kernels++;
    uint64_t largest = count.largest_block;
    while (threads > largest && !count.largest_block.compare_exchange_weak(largest, threads)) {
    }
}

void count_to_device(uint64_t bytes) {
    count.copies_to_device++;
    count.bytes_to_device += bytes;
}

void count_to_host(uint64_t bytes) {
    count.copies_to_host++;
    count.bytes_to_host += bytes;
}

// Adds the time until its end to the time that modules took.
struct ModuleClock {
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    ~ModuleClock() {
        count.modules++;
        count.module_us += std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start).count();
    }
};

thread_local Device current;
thread_local const std::vector<Row::RegisterCap> *register_caps = nullptr;

// ---------------------------------------------------------------------------------------------------------- device memory

// Device memory that was given back, kept by context and size for the next call: Halide's runtime asks for it and gives it back for every
// intermediate of every call, and the drivers take long over both. A queue, and CUDA's stream, run in order, so memory can be handed out again
// at once.
class MemoryPool {
public:
    using Free = void (*)(void *context, uint64_t memory);

    explicit MemoryPool(Free free) : free_(free) {
    }

    // Kept memory, or what `make` makes (0: it cannot, even after all that is kept was freed).
    template<typename Make>
    uint64_t take(void *context, size_t bytes, Make make) {
        std::lock_guard lock(mutex_);
        if (auto at = kept_.find({context, bytes}); at != kept_.end()) {
            const uint64_t memory = at->second.memory;
            forget(at);
            taken_[memory].owners = 1;
            return memory;
        }
        uint64_t memory = make();
        if (!memory && !kept_.empty()) {
            free_all();
            memory = make();
        }
        if (memory) {
            taken_[memory] = {{context, bytes}, most_kept(current), 1};
        }
        return memory;
    }

    // One more owner. False for memory that is not from here.
    bool retain(uint64_t memory) {
        std::lock_guard lock(mutex_);
        const auto at = taken_.find(memory);
        if (at == taken_.end()) {
            return false;
        }
        at->second.owners++;
        return true;
    }

    bool give_back(uint64_t memory) {
        std::lock_guard lock(mutex_);
        const auto at = taken_.find(memory);
        if (at == taken_.end()) {
            return false;
        }
        if (--at->second.owners > 0) {
            return true;
        }
        keep(at);
        return true;
    }

    void free_all() {
        std::lock_guard lock(mutex_);
        while (!kept_.empty()) {
            free(kept_.begin());
        }
    }

private:
    using Key = std::pair<void *, size_t>;  // context, bytes
    struct Taken {
        Key key;
        size_t most_kept;  // of this context
        int owners;        // Halide's own buffer, and crops of it
    };
    struct Kept {
        uint64_t memory, since;
    };
    using KeptAt = std::multimap<Key, Kept>::iterator;

    // See trim_device_memory().
    static size_t most_kept(Device device) {
        const DeviceInfo &info = device_info(device);
        return info.is_gpu ? info.memory / 8 : std::min<uint64_t>(info.memory / 8, uint64_t(1) << 30);
    }

    void keep(std::map<uint64_t, Taken>::iterator taken) {
        const auto [key, most, owners] = taken->second;
        const uint64_t memory = taken->first;
        KeptAt at = kept_.end();
        try {
            at = kept_.insert({key, {memory, ++clock_}});
            by_age_[clock_] = at;
            kept_bytes_[key.first] += key.second;
        } catch (const std::bad_alloc &) {  // no memory on the host to remember it: it goes back at once
            by_age_.erase(clock_);
            if (at != kept_.end()) {
                kept_.erase(at);
            }
            taken_.erase(taken);
            free_(key.first, memory);
            return;
        }
        for (auto oldest = by_age_.begin(); kept_bytes_[key.first] > most;) {
            const KeptAt candidate = (oldest++)->second;
            if (candidate->first.first == key.first) {
                free(candidate);
            }
        }
    }

    void forget(KeptAt at) {
        kept_bytes_[at->first.first] -= at->first.second;
        by_age_.erase(at->second.since);
        kept_.erase(at);
    }

    void free(KeptAt at) {
        const auto [key, kept] = *at;
        forget(at);
        taken_.erase(kept.memory);
        free_(key.first, kept.memory);
    }

    const Free free_;
    std::recursive_mutex mutex_;  // take() frees
    std::map<uint64_t, Taken> taken_;
    std::multimap<Key, Kept> kept_;
    std::map<uint64_t, KeptAt> by_age_;
    std::map<void *, size_t> kept_bytes_;
    uint64_t clock_ = 0;
};

// -------------------------------------------------------------------------------------------------------------------- CUDA

using CUresult = int;
using CUcontext = void *;
constexpr CUresult cuda_out_of_memory = 2;

// The driver's library, by the name that every driver installs; the unversioned one is a developer's.
void *libcuda() {
    static void *library = [] {
        void *found = dlopen("libcuda.so.1", RTLD_NOW);
        return found ? found : dlopen("libcuda.so", RTLD_NOW);
    }();
    return library;
}

// A driver function, asked for at its first use.
template<typename F>
struct DriverFunction;
template<typename... Args>
struct DriverFunction<CUresult(Args...)> {
    const char *name;
    CUresult operator()(Args... args) const {
        static auto &known = *new std::map<std::string, void *>;
        static auto &mutex = *new std::mutex;
        void *f;
        {
            std::lock_guard lock(mutex);
            auto [at, added] = known.try_emplace(name, nullptr);
            if (added && libcuda()) {
                at->second = dlsym(libcuda(), name);
            }
            f = at->second;
        }
        return f ? reinterpret_cast<CUresult (*)(Args...)>(f)(args...) : 500;  // CUDA_ERROR_NOT_FOUND
    }
};

const DriverFunction<CUresult(unsigned)> cu_init{"cuInit"};
const DriverFunction<CUresult(int *)> cu_driver_version{"cuDriverGetVersion"};
const DriverFunction<CUresult(int *)> cu_device_count{"cuDeviceGetCount"};
const DriverFunction<CUresult(int *, int)> cu_device_get{"cuDeviceGet"};
const DriverFunction<CUresult(char *, int, int)> cu_device_name{"cuDeviceGetName"};
const DriverFunction<CUresult(size_t *, int)> cu_device_memory{"cuDeviceTotalMem_v2"};
const DriverFunction<CUresult(int *, int, int)> cu_device_attribute{"cuDeviceGetAttribute"};
const DriverFunction<CUresult(CUcontext *, int)> cu_primary_context{"cuDevicePrimaryCtxRetain"};
const DriverFunction<CUresult(CUcontext)> cu_push{"cuCtxPushCurrent_v2"};
const DriverFunction<CUresult(CUcontext *)> cu_pop{"cuCtxPopCurrent_v2"};
const DriverFunction<CUresult()> cu_synchronize{"cuCtxSynchronize"};
const DriverFunction<CUresult(void **, unsigned)> cu_event_create{"cuEventCreate"};
const DriverFunction<CUresult(void *, void *)> cu_event_record{"cuEventRecord"};
const DriverFunction<CUresult(void *)> cu_event_synchronize{"cuEventSynchronize"};
const DriverFunction<CUresult(float *, void *, void *)> cu_event_elapsed{"cuEventElapsedTime"};
const DriverFunction<CUresult(void *)> cu_event_destroy{"cuEventDestroy_v2"};
const DriverFunction<CUresult(void *, int, int)> cu_function_attribute{"cuFuncSetAttribute"};
const DriverFunction<CUresult(int, const char **)> cu_error_name{"cuGetErrorName"};

std::string cuda_error(CUresult code) {
    const char *name = nullptr;
    cu_error_name(code, &name);
    return name ? name : "error " + std::to_string(code);
}

std::map<int, CUcontext> &cuda_contexts = *new std::map<int, CUcontext>;
std::vector<void *> &cl_queues = *new std::vector<void *>;

void finish();

// The device's primary context, which other CUDA libraries in this process use too; made at first use if `create`. Null when there is none,
// or none can be made; `why` is then the driver's reason.
CUcontext cuda_context(int index, bool create = true, CUresult *why = nullptr) {
    static auto &mutex = *new std::mutex;
    std::lock_guard lock(mutex);
    CUcontext &context = cuda_contexts[index];
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
            drivers_end_here(finish);
        }
        if (why) {
            *why = error;
        }
    }
    return context;
}

std::string no_cuda_context(CUresult why) {
    return "no context can be made on it (" + cuda_error(why) + "); another process may use it exclusively, or its memory is full (see `nvidia-smi`)";
}

constexpr const char *no_opencl_context = "no OpenCL context can be made on it; `clinfo` shows whether its driver works";

// Wrappers of driver functions. `real<I>` keeps what the wrapped one is.
template<int id>
void *real = nullptr;
enum { launch_kernel, load_module, to_device, to_device_async, to_host, to_host_async, allocate, deallocate, create_buffer, retain_buffer, release_buffer, enqueue, build_program, write_buffer, read_buffer };

// Kernels may use all shared memory that the device has: over 48 KB a kernel has to say so first.
CUresult launch(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream,
                void **parameters, void **extra) {
    constexpr int max_dynamic_shared_size_bytes = 8;
    if (shared > 48 * 1024) {
        cu_function_attribute(f, max_dynamic_shared_size_bytes, (int)shared);
    }
    count_kernel((uint64_t)bx * by * bz);
    return reinterpret_cast<decltype(&launch)>(real<launch_kernel>)(f, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra);
}

}  // namespace

namespace driver {

// The PTX with each kernel's cap as a directive of its entry: `.entry name(parameters)\n.maxnreg 96\n{`.
std::string with_register_caps(const std::string &ptx, const std::vector<Row::RegisterCap> &caps) {
    const std::string entry = ".entry ";
    std::string capped;
    size_t done = 0;
    for (size_t at = ptx.find(entry); at != std::string::npos; at = ptx.find(entry, at)) {
        at += entry.size();
        const std::string name = ptx.substr(at, ptx.find_first_of("( \n", at) - at);
        const size_t body = ptx.find('{', at);
        const auto cap = std::find_if(caps.begin(), caps.end(), [&](const Row::RegisterCap &c) { return name.find(c.kernel) != std::string::npos; });
        if (body == std::string::npos || cap == caps.end()) {
            continue;
        }
        capped += ptx.substr(done, body - done) + ".maxnreg " + std::to_string(cap->most) + "\n";
        done = body;
    }
    return capped + ptx.substr(done);
}

}  // namespace driver

namespace {

// Halide asks for at most 64 registers a thread; without that option ptxas takes what the kernel needs, or what its row allows.
CUresult load(void **module, const void *image, unsigned n, int *options, void **values) {
    ModuleClock clock;
    constexpr int max_registers = 0;
    std::vector<int> kept_options;
    std::vector<void *> kept_values;
    for (unsigned i = 0; i < n; i++) {
        if (options[i] != max_registers) {
            kept_options.push_back(options[i]);
            kept_values.push_back(values[i]);
        }
    }
    std::string capped;
    if (register_caps && !register_caps->empty()) {
        capped = driver::with_register_caps(static_cast<const char *>(image), *register_caps);
        image = capped.c_str();
    }
    return reinterpret_cast<decltype(&load)>(real<load_module>)(module, image, (unsigned)kept_options.size(), kept_options.data(), kept_values.data());
}

CUresult copy_to_device(uint64_t to, const void *from, size_t bytes) {
    count_to_device(bytes);
    return reinterpret_cast<decltype(&copy_to_device)>(real<to_device>)(to, from, bytes);
}

CUresult copy_to_device_async(uint64_t to, const void *from, size_t bytes, void *stream) {
    count_to_device(bytes);
    return reinterpret_cast<decltype(&copy_to_device_async)>(real<to_device_async>)(to, from, bytes, stream);
}

CUresult copy_to_host(void *to, uint64_t from, size_t bytes) {
    count_to_host(bytes);
    return reinterpret_cast<decltype(&copy_to_host)>(real<to_host>)(to, from, bytes);
}

CUresult copy_to_host_async(void *to, uint64_t from, size_t bytes, void *stream) {
    count_to_host(bytes);
    return reinterpret_cast<decltype(&copy_to_host_async)>(real<to_host_async>)(to, from, bytes, stream);
}

void cuda_free_in(void *context, uint64_t pointer) {
    CUcontext popped;
    cu_push(context);
    reinterpret_cast<CUresult (*)(uint64_t)>(real<deallocate>)(pointer);
    cu_pop(&popped);
}

MemoryPool &cuda_pool = *new MemoryPool(cuda_free_in);

CUresult cuda_allocate(uint64_t *pointer, size_t bytes) {
    bytes = (bytes + 255) / 256 * 256;  // aligned words at the end of an image lie inside
    CUresult error = 0;
    *pointer = cuda_pool.take(cuda_context(current.index), bytes, [&] {
        count.allocations++;
        uint64_t made = 0;
        error = reinterpret_cast<decltype(&cuda_allocate)>(real<allocate>)(&made, bytes);
        return error == 0 ? made : 0;
    });
    return *pointer ? 0 : error;
}

CUresult cuda_free(uint64_t pointer) {
    return cuda_pool.give_back(pointer) ? 0 : reinterpret_cast<decltype(&cuda_free)>(real<deallocate>)(pointer);
}

template<int id, typename F>
void *wrapped(void *function, F wrapper) {
    real<id> = function;
    return reinterpret_cast<void *>(wrapper);
}

// ------------------------------------------------------------------------------------------------------------------ OpenCL

void *libopencl() {
    static void *library = [] {
        void *found = dlopen("libOpenCL.so.1", RTLD_NOW);
        return found ? found : dlopen("libOpenCL.so", RTLD_NOW);
    }();
    return library;
}

template<typename F>
F *opencl(const char *name) {
    return libopencl() ? reinterpret_cast<F *>(dlsym(libopencl(), name)) : nullptr;
}

struct OpenClDevice {
    DeviceInfo info;
    void *platform = nullptr, *device = nullptr, *context = nullptr, *queue = nullptr;
};

std::string opencl_text(int (*ask)(void *, unsigned, size_t, void *, size_t *), void *of, unsigned what) {
    size_t bytes = 0;
    if (!ask || ask(of, what, 0, nullptr, &bytes) != 0 || bytes == 0) {
        return "";
    }
    std::string text(bytes, '\0');
    ask(of, what, bytes, text.data(), nullptr);
    text.resize(strlen(text.c_str()));
    return text;
}

// All devices of all platforms, in the loader's order; found once, so that `opencl:1` stays what it is. Like all that Halide's
// runtime may still ask for while the process ends, it is never destroyed.
std::vector<OpenClDevice> &opencl_list() {
    static auto &list = *new std::vector<OpenClDevice>([] {
        const KeptSignals kept;
        std::vector<OpenClDevice> found;
        using Info = int(void *, unsigned, size_t, void *, size_t *);
        auto platform_ids = opencl<int(unsigned, void **, unsigned *)>("clGetPlatformIDs");
        auto device_ids = opencl<int(void *, uint64_t, unsigned, void **, unsigned *)>("clGetDeviceIDs");
        auto platform_info = opencl<Info>("clGetPlatformInfo");
        auto device_info = opencl<Info>("clGetDeviceInfo");
        unsigned n = 0;
        if (!platform_ids || !device_ids || platform_ids(0, nullptr, &n) != 0) {
            return found;
        }
        std::vector<void *> platforms(n);
        platform_ids(n, platforms.data(), nullptr);
        for (void *platform : platforms) {
            unsigned count = 0;
            constexpr uint64_t all = 0xffffffff;
            if (device_ids(platform, all, 0, nullptr, &count) != 0) {
                continue;
            }
            std::vector<void *> ids(count);
            device_ids(platform, all, count, ids.data(), nullptr);
            for (void *id : ids) {
                OpenClDevice d;
                d.platform = platform;
                d.device = id;
                d.info.device = {Backend::opencl, (int)found.size()};
                d.info.name = opencl_text(device_info, id, 0x102B);
                d.info.platform = opencl_text(platform_info, platform, 0x0902);
                d.info.driver = opencl_text(device_info, id, 0x102D);
                d.info.capability = opencl_text(device_info, id, 0x102F);
                uint64_t type = 0;
                unsigned units = 0, available = 1, compiler = 1;
                device_info(id, 0x1000, sizeof type, &type, nullptr);
                device_info(id, 0x1002, sizeof units, &units, nullptr);
                device_info(id, 0x1027, sizeof available, &available, nullptr);
                device_info(id, 0x1028, sizeof compiler, &compiler, nullptr);
                device_info(id, 0x101F, sizeof d.info.memory, &d.info.memory, nullptr);
                d.info.units = (int)units;
                d.info.is_gpu = type & 4;
                d.info.usable = true;
                if (opencl_text(device_info, id, 0x1030).find("cl_khr_byte_addressable_store") == std::string::npos &&
                    d.info.capability.find("OpenCL 1.0") != std::string::npos) {
                    d.info.usable = false;
                    d.info.why_not = "it cannot store single bytes; an OpenCL 1.1 device can";
                } else if (!available || !compiler) {
                    d.info.usable = false;
                    d.info.why_not = available ? "it has no compiler for kernels" : "its driver says that it is not available";
                }
                found.push_back(std::move(d));
            }
        }
        return found;
    }());
    return list;
}

// Context and queue of a device, made at first use if `create`; nullptr when there are none.
OpenClDevice *opencl_device(int index, bool create) {
    static auto &mutex = *new std::mutex;
    std::lock_guard lock(mutex);
    auto &list = opencl_list();
    if (index < 0 || index >= (int)list.size()) {
        return nullptr;
    }
    OpenClDevice &d = list[index];
    if (!d.context && create) {
        auto create_context = opencl<void *(const intptr_t *, unsigned, void *const *, void *, void *, int *)>("clCreateContext");
        auto create_queue = opencl<void *(void *, void *, uint64_t, int *)>("clCreateCommandQueue");
        const intptr_t properties[] = {0x1084, (intptr_t)d.platform, 0};
        int error = 0;
        d.context = create_context(properties, 1, &d.device, nullptr, nullptr, &error);
        d.queue = d.context ? create_queue(d.context, d.device, 0, &error) : nullptr;
        if (d.queue) {
            cl_queues.push_back(d.queue);
            drivers_end_here(finish);
        }
    }
    return d.queue ? &d : nullptr;
}

void *create_cl_buffer(void *context, uint64_t flags, size_t bytes, void *host, int *error) {
    count.allocations++;
    return reinterpret_cast<void *(*)(void *, uint64_t, size_t, void *, int *)>(real<create_buffer>)(context, flags, bytes, host, error);
}

void release_cl_buffer(void *, uint64_t buffer) {
    reinterpret_cast<int (*)(void *)>(real<release_buffer>)(reinterpret_cast<void *>(buffer));
}

// On an H200 the column sum went from .085 to .024 ms.
MemoryPool &cl_pool = *new MemoryPool(release_cl_buffer);

void *cl_create_buffer(void *context, uint64_t flags, size_t bytes, void *host, int *error) {
    constexpr uint64_t read_write = 1;
    int ignored = 0;
    error = error ? error : &ignored;
    if (flags != read_write || host) {
        return create_cl_buffer(context, flags, bytes, host, error);
    }
    bytes = (bytes + 63) / 64 * 64;
    *error = 0;
    return reinterpret_cast<void *>(cl_pool.take(context, bytes, [&] {
        return reinterpret_cast<uint64_t>(create_cl_buffer(context, flags, bytes, host, error));
    }));
}

int cl_retain_buffer(void *buffer) {
    return cl_pool.retain(reinterpret_cast<uint64_t>(buffer)) ? 0 : reinterpret_cast<int (*)(void *)>(real<retain_buffer>)(buffer);
}

int cl_release_buffer(void *buffer) {
    return cl_pool.give_back(reinterpret_cast<uint64_t>(buffer)) ? 0 : reinterpret_cast<int (*)(void *)>(real<release_buffer>)(buffer);
}

// Compilers make static objects of their own when they first compile, some of them as late as a kernel's first launch.
std::atomic<bool> compiled{false};

int cl_enqueue(void *queue, void *kernel, unsigned dims, const size_t *offset, const size_t *global, const size_t *local, unsigned waits,
               const void *list, void *event) {
    uint64_t threads = 1;
    for (unsigned d = 0; local && d < dims; d++) {
        threads *= local[d];
    }
    count_kernel(threads);
    const int code = reinterpret_cast<decltype(&cl_enqueue)>(real<enqueue>)(queue, kernel, dims, offset, global, local, waits, list, event);
    if (compiled.exchange(false)) {
        drivers_end_here(finish);
    }
    return code;
}

int cl_build(void *program, unsigned n, void *const *devices, const char *options, void *notify, void *data) {
    ModuleClock clock;
    compiled = true;
    return reinterpret_cast<decltype(&cl_build)>(real<build_program>)(program, n, devices, options, notify, data);
}

int cl_write(void *queue, void *buffer, unsigned blocking, size_t offset, size_t bytes, const void *from, unsigned waits, const void *list, void *event) {
    count_to_device(bytes);
    return reinterpret_cast<decltype(&cl_write)>(real<write_buffer>)(queue, buffer, blocking, offset, bytes, from, waits, list, event);
}

int cl_read(void *queue, void *buffer, unsigned blocking, size_t offset, size_t bytes, void *to, unsigned waits, const void *list, void *event) {
    count_to_host(bytes);
    return reinterpret_cast<decltype(&cl_read)>(real<read_buffer>)(queue, buffer, blocking, offset, bytes, to, waits, list, event);
}

// Waits for what is under way on all devices.
void finish() {
    for (const auto &[index, context] : cuda_contexts) {
        if (context) {
            CUcontext popped;
            cu_push(context);
            cu_synchronize();
            cu_pop(&popped);
        }
    }
    for (void *queue : cl_queues) {
        opencl<int(void *)>("clFinish")(queue);
    }
}

std::recursive_mutex &opencl_in_use = *new std::recursive_mutex;  // Halide wants one call at a time between acquire and release

}  // namespace

Counters counters() {
    Counters c;
    c.kernels = count.kernels;
    c.copies_to_device = count.copies_to_device;
    c.bytes_to_device = count.bytes_to_device;
    c.copies_to_host = count.copies_to_host;
    c.bytes_to_host = count.bytes_to_host;
    c.allocations = count.allocations;
    c.modules = count.modules;
    c.module_ms = (double)count.module_us / 1000;
    c.largest_block = count.largest_block;
    return c;
}

namespace driver {

Current::Current(Device device) : before_(current) {
    if (device.backend != Backend::cpu) {
        inside_.emplace();
    }
    current = device;
}

Current::~Current() {
    current = before_;
}

RegisterCaps::RegisterCaps(const std::vector<Row::RegisterCap> &caps) : before_(register_caps) {
    register_caps = &caps;
}

RegisterCaps::~RegisterCaps() {
    register_caps = before_;
}

std::vector<DeviceInfo> cuda_devices() {
    DeviceInfo none;
    none.device = {Backend::cuda, 0};
    none.name = "none";
    if (!libcuda()) {
        none.why_not = "the NVIDIA driver's libcuda.so.1 was not found; install the driver, or use the CPU or OpenCL";
        return {none};
    }
    constexpr CUresult no_device = 100;
    if (CUresult error = cu_init(0); error != 0 && error != no_device) {
        none.why_not = "the NVIDIA driver does not start (cuInit: " + cuda_error(error) + "); `nvidia-smi` shows its state";
        return {none};
    }
    int n = 0, version = 0;
    cu_device_count(&n);
    cu_driver_version(&version);
    if (n == 0) {
        none.why_not = "the NVIDIA driver sees no GPU; CUDA_VISIBLE_DEVICES may hide it";
        return {none};
    }
    std::string driver = "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    std::ifstream file("/proc/driver/nvidia/version");
    for (std::string word; file >> word;) {
        if (word.find_first_not_of("0123456789.") == std::string::npos && word.find('.') != std::string::npos) {
            driver += ", driver " + word;
            break;
        }
    }
    std::vector<DeviceInfo> found;
    for (int i = 0; i < n; i++) {
        DeviceInfo d;
        int device = 0, major = 0, minor = 0;
        char name[256] = "";
        size_t bytes = 0;
        cu_device_get(&device, i);
        cu_device_name(name, sizeof name, device);
        cu_device_memory(&bytes, device);
        cu_device_attribute(&major, 75, device);
        cu_device_attribute(&minor, 76, device);
        cu_device_attribute(&d.units, 16, device);
        d.device = {Backend::cuda, i};
        d.name = name;
        d.driver = driver;
        d.memory = bytes;
        d.capability = std::to_string(major) + "." + std::to_string(minor);
        d.is_gpu = true;
        d.usable = major >= 8;
        if (!d.usable) {
            d.why_not = "it has compute capability " + d.capability + "; the CUDA libraries need 8.0 or newer. Use OpenCL on it";
        }
        found.push_back(d);
    }
    return found;
}

std::vector<DeviceInfo> opencl_devices() {
    std::vector<DeviceInfo> found;
    for (const OpenClDevice &d : opencl_list()) {
        found.push_back(d.info);
    }
    if (found.empty()) {
        DeviceInfo none;
        none.device = {Backend::opencl, 0};
        none.name = "none";
        none.why_not = libopencl() ? "the OpenCL loader knows no device; install a vendor's OpenCL, or pocl-opencl-icd for the CPU" :
                                     "the OpenCL loader libOpenCL.so.1 was not found; install ocl-icd-libopencl1 and a vendor's OpenCL";
        found.push_back(none);
    }
    return found;
}

void open(Device device) {
    device_info(device);
    CUresult why = 0;
    if (device.backend == Backend::cuda && !cuda_context(device.index, true, &why)) {
        throw Error(why == cuda_out_of_memory ? Fault::memory : Fault::device, no_cuda_context(why), {.device = device.str()});
    }
    if (device.backend == Backend::opencl && !opencl_device(device.index, true)) {
        throw Error(Fault::device, no_opencl_context, {.device = device.str()});
    }
}

double cuda_time_ms(const std::function<void()> &calls) {
    struct Events {
        void *start = nullptr, *stop = nullptr;
        Events() {
            cu_push(cuda_context(current.index));
            cu_event_create(&start, 0);
            cu_event_create(&stop, 0);
        }
        ~Events() {
            CUcontext popped;
            cu_event_destroy(start);
            cu_event_destroy(stop);
            cu_pop(&popped);
        }
    } events;
    cu_event_record(events.start, nullptr);
    calls();
    cu_event_record(events.stop, nullptr);
    CUresult error = cu_event_synchronize(events.stop);
    float ms = 0;
    if (!error) {
        error = cu_event_elapsed(&ms, events.start, events.stop);
    }
    if (error) {
        throw Error(Fault::device, "the device stopped: " + cuda_error(error), {.device = current.str()});
    }
    return ms;
}

}  // namespace driver

void trim_device_memory() {
    const Inside inside;
    cuda_pool.free_all();
    cl_pool.free_all();
}

}  // namespace tilewright

// ------------------------------------------------------------------------------------------------- what Halide's runtime calls

using namespace tilewright;

extern "C" {

void *halide_cuda_get_symbol(void *, const char *name) {
    void *f = libcuda() ? dlsym(libcuda(), name) : nullptr;
    const std::string asked = name;
    if (!f) {
        return nullptr;
    }
    if (asked == "cuLaunchKernel") {
        return wrapped<launch_kernel>(f, launch);
    }
    if (asked == "cuModuleLoadDataEx") {
        return wrapped<load_module>(f, load);
    }
    if (asked == "cuMemcpyHtoD_v2") {
        return wrapped<to_device>(f, copy_to_device);
    }
    if (asked == "cuMemcpyHtoDAsync_v2") {
        return wrapped<to_device_async>(f, copy_to_device_async);
    }
    if (asked == "cuMemcpyDtoH_v2") {
        return wrapped<to_host>(f, copy_to_host);
    }
    if (asked == "cuMemcpyDtoHAsync_v2") {
        return wrapped<to_host_async>(f, copy_to_host_async);
    }
    if (asked == "cuMemAlloc_v2") {
        return wrapped<allocate>(f, cuda_allocate);
    }
    if (asked == "cuMemFree_v2") {
        return wrapped<deallocate>(f, cuda_free);
    }
    return f;
}

// Halide asks without `create` as the process ends, to give back what it has there. Where it never asked otherwise it has nothing, not even the
// driver's functions.
int halide_cuda_acquire_context(void *user_context, void **context, bool create) {
    static std::atomic<bool> used{false};
    used = used || create;
    CUresult why = 0;
    *context = !used ? nullptr : cuda_context(current.backend == Backend::cuda ? current.index : 0, create, &why);
    if (!*context && create) {
        halide_error(user_context, no_cuda_context(why).c_str());
        return halide_error_code_gpu_device_error;
    }
    return 0;
}

int halide_cuda_release_context(void *) {
    return 0;
}

void *halide_opencl_get_symbol(void *, const char *name) {
    void *f = libopencl() ? dlsym(libopencl(), name) : nullptr;
    const std::string asked = name;
    if (!f) {
        return nullptr;
    }
    if (asked == "clCreateBuffer") {
        return wrapped<create_buffer>(f, cl_create_buffer);
    }
    if (asked == "clRetainMemObject") {
        return wrapped<retain_buffer>(f, cl_retain_buffer);
    }
    if (asked == "clReleaseMemObject") {
        return wrapped<release_buffer>(f, cl_release_buffer);
    }
    if (asked == "clEnqueueNDRangeKernel") {
        return wrapped<enqueue>(f, cl_enqueue);
    }
    if (asked == "clBuildProgram") {
        return wrapped<build_program>(f, cl_build);
    }
    if (asked == "clEnqueueWriteBuffer") {
        return wrapped<write_buffer>(f, cl_write);
    }
    if (asked == "clEnqueueReadBuffer") {
        return wrapped<read_buffer>(f, cl_read);
    }
    return f;
}

// Halide's own choice of platform reads past a table of four; ours takes the device that the thread works on.
int halide_acquire_cl_context(void *user_context, void **context, void **queue, bool create) {
    static bool used = false;
    opencl_in_use.lock();
    used = used || create;
    OpenClDevice *d = !used ? nullptr : opencl_device(current.backend == Backend::opencl ? current.index : 0, create);
    *context = d ? d->context : nullptr;
    *queue = d ? d->queue : nullptr;
    if (!d && create) {
        halide_error(user_context, no_opencl_context);
        return halide_error_code_gpu_device_error;
    }
    return 0;
}

int halide_release_cl_context(void *) {
    opencl_in_use.unlock();
    return 0;
}
}
