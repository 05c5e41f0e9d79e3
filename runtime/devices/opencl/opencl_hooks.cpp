// The hooks of OpenCL: what Halide's runtime gets when it asks for a function of the loader or for a context
// (hooks.h).
#include "generators/algorithms/integers.h"
#include "generators/algorithms/module_text.h"
#include "runtime/devices/calls/counters.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/devices/calls/recorder.h"
#include "runtime/devices/calls/wrapped_functions.h"
#include "runtime/devices/kernel_text.h"
#include "runtime/devices/memory/memory_pool.h"
#include "runtime/devices/opencl/opencl.h"
#include "runtime/devices/opencl/opencl_functions.h"
#include "runtime/devices/opencl/opencl_kernels.h"
#include "runtime/devices/opencl/opencl_launches.h"
#include "runtime/devices/opencl/opencl_programs.h"
#include "runtime/devices/opencl/ptx_memory.h"
#include "runtime/devices/own_queue.h"
#include "runtime/devices/thread_context.h"
#include "runtime/process/immortal.h"
#include "runtime/process/inside.h"
#include <HalideRuntime.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>

namespace tilewright::driver {

namespace {

void *create_buffer(void *context, uint64_t flags, size_t bytes, void *host, int *error);

void *allocate_buffer(void *context, uint64_t flags, size_t bytes, void *host, int *error) {
    count_allocation();
    return real<create_buffer>(context, flags, bytes, host, error);
}

// Halide's buffers come from the pool: on an H200 the column sum went from .085 to .024 ms.
void *create_buffer(void *context, uint64_t flags, size_t bytes, void *host, int *error) {
    constexpr uint64_t read_write = 1;
    int ignored = 0;
    error = error ? error : &ignored;
    if (flags != read_write || host) {
        return allocate_buffer(context, flags, bytes, host, error);
    }
    bytes = round_up(bytes, 64);
    if (Recorder *recorder = this_thread.recorder) {
        recorder->allocated(bytes);
    }
    *error = 0;
    OpenClLaunches *const launches = this_thread.launches;
    uint64_t memory = launches ? launches->take_memory(bytes) : 0;
    if (memory == 0) {
        memory = take_opencl_memory(context, bytes, error);
        if (launches && memory != 0) {
            launches->keep_memory(memory, bytes);
        }
    }
    return reinterpret_cast<void *>(memory);
}

int retain_buffer(void *buffer) {
    if (this_thread.launches) {
        this_thread.launches->lose_memory(reinterpret_cast<uint64_t>(buffer));
    }
    return opencl_memory().retain(reinterpret_cast<uint64_t>(buffer)) ? 0 : real<retain_buffer>(buffer);
}

int release_buffer(void *buffer) {
    if (this_thread.launches && this_thread.launches->give_back_memory(reinterpret_cast<uint64_t>(buffer))) {
        return 0;
    }
    return opencl_memory().give_back(reinterpret_cast<uint64_t>(buffer)) ? 0 : real<release_buffer>(buffer);
}

void deallocate_buffer(void *, uint64_t buffer) {
    real<release_buffer>(reinterpret_cast<void *>(buffer));
}

int release_kernel(void *kernel);
int set_argument(void *kernel, unsigned index, size_t bytes, const void *value);
OpenClKernels &kernels();

// What the thread says of the kernel that it launches next.
struct NextLaunch {
    void *kernel = nullptr;
    const PtxArguments *arguments = nullptr;  // null where they are not of PTX
    std::array<unsigned char, PtxArguments::most_bytes> numbers{};
};
thread_local constinit NextLaunch next_launch;

// Sets the numbers of a kernel that is PTX.
int set_numbers(void *kernel) {
    const PtxArguments *arguments = next_launch.kernel == kernel ? next_launch.arguments : nullptr;
    return arguments && arguments->bytes > 0 ? real<set_argument>(kernel, arguments->addresses,
                                                   arguments->bytes, next_launch.numbers.data()) :
                                               0;
}

// Halide's runtime does not give back a kernel one of whose arguments the driver refused.
int set_argument(void *kernel, unsigned index, size_t bytes, const void *value) {
    const PtxArguments *arguments = next_launch.kernel == kernel ? next_launch.arguments : nullptr;
    if (arguments && index >= arguments->addresses) {
        const size_t number = index - arguments->addresses;
        if (number < arguments->numbers.size()) {
            const PtxArguments::Number place = arguments->numbers[number];
            std::memcpy(next_launch.numbers.data() + place.at, value, std::min(bytes, place.bytes));
            return 0;
        }
        if (!arguments->has_local) {
            return 0;
        }
        index = arguments->local();
    }
    const int code = real<set_argument>(kernel, index, bytes, value);
    if (code != 0) {
        release_kernel(kernel);
    } else if (this_thread.launches) {
        this_thread.launches->add_argument(index, bytes, value);
    }
    return code;
}

// Compilers make static objects of their own when they first compile, some of them as late as a kernel's
// first launch.
std::atomic<bool> compiled{false};

// Halide's runtime does not give back a kernel whose launch failed; nor one whose launch cannot be recorded.
struct Launching {
    explicit Launching(void *kernel) : kernel(kernel) {}
    ~Launching() {
        if (code != 0) {
            release_kernel(kernel);
        }
    }
    Launching(const Launching &) = delete;

    void *const kernel;
    int code = -1;
};

int launch_kernel(void *queue, void *kernel, unsigned dims, const size_t *offset, const size_t *global,
    const size_t *local, unsigned waits, const void *list, void *event) {
    uint64_t threads = 1;
    for (unsigned d = 0; local && d < dims; d++) {
        threads *= local[d];
    }
    count_kernel(threads);
    const auto launch = [&] {
        return real<launch_kernel>(queue, kernel, dims, offset, global, local, waits, list, event);
    };
    Launching launching(kernel);
    int code = set_numbers(kernel);
    if (code != 0) {
        return launching.code = code;
    }
    if (Recorder *recorder = this_thread.recorder) {
        KernelLaunch recorded;
        recorded.grid = recorded.block = {1, 1, 1};
        for (unsigned d = 0; d < dims; d++) {
            recorded.block[d] = local ? local[d] : 1;
            recorded.grid[d] = global[d] / recorded.block[d];
        }
        code = launch_and_describe(queue, kernel, launch, recorded);
        recorder->run().kernels.push_back(std::move(recorded));
    } else {
        code = launch();
    }
    if (code == 0) {
        take_ptx_memory(this_thread.variant, this_thread.device);
    } else {
        refuse_ptx_memory(this_thread.variant, device_info(this_thread.device));
    }
    if (OpenClLaunches *launches = code == 0 ? this_thread.launches : nullptr) {
        local && !offset ? launches->add_kernel(kernel, dims, global, local) : launches->give_up();
        if (launches->keeps(kernel)) {
            kernels().let_go(kernel);
        }
    }
    if (compiled.exchange(false)) {
        end_drivers_at_exit(wait_for_devices);
    }
    return launching.code = code;
}

// The text of a program: its source, with the functions that it calls and OpenCL C does not have in front,
// and PTX. None, in which case Halide was told why, where a library's text is missing.
std::optional<OpenClText> text_for_driver(unsigned count, const char **strings, const size_t *lengths) {
    try {
        std::string all;
        const bool takes_ptx = device_info(this_thread.device).compute_capability > 0;
        for (unsigned i = 0; i < count; i++) {
            all += lengths && lengths[i] ? std::string(strings[i], lengths[i]) :
                                           kernel_text(strings[i], takes_ptx);
        }
        OpenClText text(std::move(all));
        put_fences(text.source);
        const OpenClDevice *device = opencl_device(this_thread.device.index, false);
        if (device && !text.source.empty()) {
            text.source.insert(0, functions_for(text.source, *device));
        }
        return text;
    } catch (const std::runtime_error &error) {  // an exception must not pass Halide's runtime
        halide_error(nullptr, error.what());
        return std::nullopt;
    }
}

// PTX, which NVIDIA's driver compiles sooner than OpenCL C and to faster code, or, where it is not taken, the
// source.
void *create_program(void *context, unsigned count, const char **strings, const size_t *lengths, int *error) {
    int ignored = 0;
    error = error ? error : &ignored;
    constexpr int invalid_value = -30;  // CL_INVALID_VALUE
    const std::optional<OpenClText> text = text_for_driver(count, strings, lengths);
    *error = text ? 0 : invalid_value;
    if (text && !text->assembly.empty()) {
        const ModuleClock clock;
        compiled = true;
        OpenClKernels::OfPrograms known;
        ArgumentsOfKernels &arguments = known.try_emplace(nullptr).first->second;
        if (void *program = program_of_ptx(context, text->assembly, arguments)) {
            kernels().know(program, known.extract(known.begin()));
            return program;
        }
        const bool has_refused = refuse_ptx_memory(this_thread.variant, device_info(this_thread.device));
        if (has_refused || text->source.empty()) {
            halide_error(nullptr, "the OpenCL driver does not take its kernels, which have to be PTX; take "
                                  "another schedule, or CUDA");
            *error = invalid_value;
        }
    }
    if (*error != 0) {
        return nullptr;
    }
    const char *source = text->source.c_str();
    const size_t size = text->source.size();
    return real<create_program>(context, 1, &source, &size, error);
}

int build_program(
    void *program, unsigned n, void *const *devices, const char *options, void *notify, void *data) {
    const ModuleClock clock;
    compiled = true;
    if (kernels().knows(program)) {
        return 0;  // PTX, which is built
    }
    const std::string all = options_of_variant(options);
    return real<build_program>(program, n, devices, all.c_str(), notify, data);
}

OpenClKernels &kernels() {
    return immortal([] { return OpenClKernels(); });
}

void *create_kernel(void *program, const char *name, int *error) {
    *error = 0;
    void *kernel = kernels().take(program, name, [&] { return real<create_kernel>(program, name, error); });
    next_launch.kernel = kernel;
    next_launch.arguments = kernels().arguments_of(program, name);
    return kernel;
}

int release_kernel(void *kernel) {
    if (this_thread.launches && this_thread.launches->keeps(kernel)) {
        return 0;
    }
    return kernels().give_back(kernel) ? 0 : real<release_kernel>(kernel);
}

int release_program(void *program) {
    kernels().forget(program, real<release_kernel>);
    return real<release_program>(program);
}

// What is done between kernels is not done again, and what is made for a launch alone is gone then.
void stop_recording() {
    if (this_thread.launches) {
        this_thread.launches->give_up();
    }
}

void *create_part(void *buffer, uint64_t flags, unsigned type, const void *region, int *error) {
    stop_recording();
    return real<create_part>(buffer, flags, type, region, error);
}

void *create_image(
    void *context, uint64_t flags, const void *format, const void *description, void *host, int *error) {
    stop_recording();
    return real<create_image>(context, flags, format, description, host, error);
}

int copy_buffer(void *queue, void *from, void *to, size_t from_offset, size_t to_offset, size_t bytes,
    unsigned waits, const void *list, void *event) {
    stop_recording();
    return real<copy_buffer>(queue, from, to, from_offset, to_offset, bytes, waits, list, event);
}

int write_buffer(void *queue, void *buffer, unsigned blocking, size_t offset, size_t bytes, const void *from,
    unsigned waits, const void *list, void *event) {
    stop_recording();
    count_copy_to_device(bytes);
    return real<write_buffer>(queue, buffer, blocking, offset, bytes, from, waits, list, event);
}

int read_buffer(void *queue, void *buffer, unsigned blocking, size_t offset, size_t bytes, void *to,
    unsigned waits, const void *list, void *event) {
    stop_recording();
    count_copy_to_host(bytes);
    return real<read_buffer>(queue, buffer, blocking, offset, bytes, to, waits, list, event);
}

constexpr ErrorCodes codes{.no_memory = -6, .other = -30};  // CL_OUT_OF_HOST_MEMORY, CL_INVALID_VALUE

constexpr WrappedFunction wrapped_functions[] = {
    {"clCreateBuffer", wrap<codes, create_buffer>},
    {"clRetainMemObject", wrap<codes, retain_buffer>},
    {"clReleaseMemObject", wrap<codes, release_buffer>},
    {"clEnqueueNDRangeKernel", wrap<codes, launch_kernel>},
    {"clCreateProgramWithSource", wrap<codes, create_program>},
    {"clBuildProgram", wrap<codes, build_program>},
    {"clCreateKernel", wrap<codes, create_kernel>},
    {"clSetKernelArg", wrap<codes, set_argument>},
    {"clReleaseKernel", wrap<codes, release_kernel>},
    {"clReleaseProgram", wrap<codes, release_program>},
    {"clEnqueueWriteBuffer", wrap<codes, write_buffer>},
    {"clEnqueueReadBuffer", wrap<codes, read_buffer>},
    {"clEnqueueCopyBuffer", wrap<codes, copy_buffer>},
    {"clCreateSubBuffer", wrap<codes, create_part>},
    {"clCreateImage", wrap<codes, create_image>},
};

// Held between acquire and release: Halide wants one call at a time in a queue between them. A queue of its
// own has one thread.
std::recursive_mutex &in_use() {
    return immortal([] { return std::recursive_mutex(); });
}

}  // namespace

uint64_t take_opencl_memory(void *context, size_t bytes, int *error) {
    constexpr uint64_t read_write = 1;
    return opencl_memory().take(this_thread.device, context, own_queue(), bytes, [&] {
        return reinterpret_cast<uint64_t>(allocate_buffer(context, read_write, bytes, nullptr, error));
    });
}

MemoryPool &opencl_memory() {
    return immortal([] { return MemoryPool(deallocate_buffer); });
}

// Before main(): inside a hook, Halide's runtime could not be told that the host has no memory for them.
[[maybe_unused]] static const bool made = (opencl_memory(), in_use(), kernels(), true);

}  // namespace tilewright::driver

using namespace tilewright;

extern "C" {

void *halide_opencl_get_symbol(void *, const char *name) {
    void *f = driver::libopencl() ? dlsym(driver::libopencl(), name) : nullptr;
    return f ? driver::wrapped(driver::wrapped_functions, name, f) : nullptr;
}

// Context and queue of the device that the thread works on. Halide's own choice of a platform reads past a
// table of four entries. `create`: as for CUDA (cuda_hooks.cpp).
int halide_acquire_cl_context(void *user_context, void **context, void **queue, bool create) {
    static std::atomic<bool> used{false};
    if (!driver::own_queue()) {
        driver::in_use().lock();
    }
    used = used || create;
    const Device device = driver::this_thread.device;
    driver::OpenClDevice *d =
        !used ? nullptr : driver::opencl_device(device.backend == Backend::opencl ? device.index : 0, create);
    *context = d ? d->context : nullptr;
    *queue = !d ? nullptr : driver::own_queue() ? driver::own_queue() : d->queue;
    if (!d && create) {
        halide_error(user_context, driver::no_opencl_context);
        return halide_error_code_gpu_device_error;
    }
    return 0;
}

int halide_release_cl_context(void *) {
    if (!driver::own_queue()) {
        driver::in_use().unlock();
    }
    return 0;
}
}
