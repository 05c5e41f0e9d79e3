// The hooks of CUDA: what Halide's runtime gets when it asks for a function of the driver or for a context
// (hooks.h).
#include "generators/algorithms/early_starts.h"
#include "generators/algorithms/integers.h"
#include "generators/algorithms/module_text.h"
#include "generators/algorithms/next_block.h"
#include "runtime/devices/calls/counters.h"
#include "runtime/devices/calls/recorder.h"
#include "runtime/devices/calls/wrapped_functions.h"
#include "runtime/devices/cuda/cuda.h"
#include "runtime/devices/cuda/driver_function.h"
#include "runtime/devices/cuda/embedded_cubins.h"
#include "runtime/devices/cuda/graph.h"
#include "runtime/devices/cuda/image_kernels.h"
#include "runtime/devices/cuda/tensor_maps.h"
#include "runtime/devices/kernel_text.h"
#include "runtime/devices/memory/memory_pool.h"
#include "runtime/devices/own_queue.h"
#include "runtime/devices/thread_context.h"
#include "runtime/process/immortal.h"
#include <HalideRuntime.h>
#include <atomic>
#include <dlfcn.h>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::driver {

namespace {

constexpr ErrorCodes codes{.no_memory = 2, .other = 999};  // CUDA_ERROR_OUT_OF_MEMORY and _UNKNOWN

// Over 48 KB of shared memory, a kernel has to ask for it first. Halide's runtime does not, so this does.
CUresult launch_kernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
    unsigned shared, void *stream, void **parameters, void **extra) {
    TensorArguments with_maps;
    if (const TensorMaps *maps = std::exchange(this_thread.maps, nullptr)) {
        if (const CUresult code = with_maps.add(*maps, parameters)) {
            return code;
        }
        parameters = with_maps.all();
        shared += TensorArguments::bytes_of_barriers;
    }
    if (shared > 48 * 1024) {
        allow_shared_memory(f, shared);
    }
    count_kernel((uint64_t)bx * by * bz);
    if (ImageLaunches *images = this_thread.images) {
        parameters = images->arguments(parameters, gz);
        if (parameters == nullptr) {
            return 0;  // nothing is launched, and Launch::call() refuses the library
        }
    }
    if (CudaGraph *graph = this_thread.graph) {
        graph->add_kernel(f, {gx, gy, gz}, {bx, by, bz}, shared, parameters);
    }
    const auto launch = [&] {
        return real<launch_kernel>(f, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra);
    };
    if (Recorder *recorder = this_thread.recorder) {
        KernelLaunch recorded = recorder->launch_of(f);
        recorded.grid = {gx, gy, gz};
        recorded.block = {bx, by, bz};
        const CUresult code = launch_and_describe(f, shared, launch, recorded);
        recorder->run().kernels.push_back(std::move(recorded));
        return code;
    }
    return launch();
}

// Loads a module as the machine code that is linked in, where the driver takes it, and else as PTX, which the
// driver compiles and keeps on disk for later processes. Options are for the compiler, and the machine code
// was made without any. Several kernels are compiled by several threads of the driver, where it knows the
// option; the machine code is the same.
template<typename Load>
CUresult load_best(const std::string &ptx, bool without_options, const Load &load) {
    if (without_options) {
        const EmbeddedCubin *embedded = embedded_cubin_of(ptx, device_info(this_thread.device).capability);
        if (embedded && load(embedded->begin) == 0) {
            return 0;
        }
    }
    const int threads = compiling_threads(ptx);
    return threads > 1 && load(ptx.c_str(), threads) == 0 ? 0 : load(ptx.c_str());
}

// A module as the driver gets it.
struct Text {
    std::string ptx;
    MapsOfKernels maps;
};

// With tensor products, and as the variant and the device have it. No text, in which case Halide was told
// why, where it has calls or maps that are not understood.
std::optional<Text> text_for_driver(const char *image) {
    try {
        std::string ptx = with_instructions(kernel_text(image));
        const Variant *variant = this_thread.variant;
        if (variant && !variant->register_caps.empty()) {
            ptx = with_register_caps(ptx, variant->register_caps);
        }
        ptx = with_early_starts(std::move(ptx), device_info(this_thread.device).compute_capability);
        MapsOfKernels maps = tensor_maps_of(ptx);
        return Text{std::move(ptx), std::move(maps)};
    } catch (const std::runtime_error &error) {  // an exception must not pass Halide's runtime
        halide_error(nullptr, error.what());
        return std::nullopt;
    }
}

CUresult load_module(void **module, const void *image, unsigned n, int *options, void **values);

// Loads a text with options for the compiler.
CUresult load_text(
    void **module, const std::string &ptx, std::vector<int> options, std::vector<void *> values) {
    const bool without_options = options.empty();
    options.push_back(split_compile);
    values.push_back(nullptr);
    return load_best(ptx, without_options, [&](const void *program, int threads = 0) {
        values.back() = (void *)(intptr_t)threads;
        return real<load_module>(
            module, program, (unsigned)options.size() - (threads == 0), options.data(), values.data());
    });
}

// A module that Halide has loaded.
struct Module {
    const char *text = nullptr;  // as Halide gave it; null once the module for many images was asked for
    void *of_images = nullptr;   // the module for many images; null where it could not be made
    // Which parameters of each kernel of that module are addresses. Empty without the module.
    std::map<std::string, std::vector<bool>> addresses;
    MapsOfKernels maps;
};

struct Modules {
    std::mutex mutex;
    std::map<const void *, Module> of_handle;
    std::atomic<bool> have_maps{false};  // some of them
};

Modules &modules() {
    return immortal([] { return Modules(); });
}

void remember(void *handle, const char *image, Text text) {
    if (Recorder *recorder = this_thread.recorder) {
        recorder->add_module(handle, text.ptx.c_str());
    }
    const std::lock_guard lock(modules().mutex);
    modules().have_maps = modules().have_maps || !text.maps.empty();
    modules().of_handle[handle] = {image, nullptr, {}, std::move(text.maps)};
}

// Halide asks for at most 64 registers per thread. Without that option ptxas takes as many as the kernel
// needs, or as its variant allows.
CUresult load_module(void **module, const void *image, unsigned n, int *options, void **values) {
    const ModuleClock clock;
    constexpr int max_registers = 0;  // CU_JIT_MAX_REGISTERS
    std::vector<int> other_options;
    std::vector<void *> other_values;
    for (unsigned i = 0; i < n; i++) {
        if (options[i] != max_registers) {
            other_options.push_back(options[i]);
            other_values.push_back(values[i]);
        }
    }
    const auto *const given = static_cast<const char *>(image);
    std::optional<Text> text = text_for_driver(given);
    if (!text) {
        constexpr CUresult invalid_ptx = 218;  // CUDA_ERROR_INVALID_PTX
        return invalid_ptx;
    }
    const CUresult code = load_text(module, text->ptx, std::move(other_options), std::move(other_values));
    if (code != 0) {
        return code;
    }
    try {
        remember(*module, given, std::move(*text));
    } catch (const std::bad_alloc &) {  // its kernels could be launched without their maps
        static constexpr DriverFunction<CUresult(void *)> unload{"cuModuleUnload"};
        unload(*module);
        return codes.no_memory;
    }
    return 0;
}

// The module's kernels for many images, which are made and loaded at the first use. Null where they cannot
// be.
const Module *module_of_images(void *handle) noexcept try {
    const std::lock_guard lock(modules().mutex);
    Module &module = modules().of_handle[handle];
    if (module.text) {
        const std::optional<Text> text = text_for_driver(std::exchange(module.text, nullptr));
        auto made = text ? kernels_of_images(text->ptx) : std::nullopt;
        if (made && load_text(&module.of_images, made->text, {}, {}) == 0) {
            module.addresses = std::move(made->addresses);
        }
    }
    return module.addresses.empty() ? nullptr : &module;
} catch (const std::exception &) {  // no memory
    return nullptr;
}

// The maps that a kernel takes; null where it takes none.
const TensorMaps *maps_of(void *module, const char *name) {
    if (!modules().have_maps) {
        return nullptr;
    }
    const std::lock_guard lock(modules().mutex);
    const auto known = modules().of_handle.find(module);
    if (known == modules().of_handle.end()) {
        return nullptr;
    }
    const MapsOfKernels &maps = known->second.maps;
    const auto found = maps.find(name);
    return found == maps.end() ? nullptr : &found->second;
}

// Halide asks for a kernel by its name before each launch.
CUresult get_function(void **function, void *module, const char *name) {
    const CUresult code = real<get_function>(function, module, name);
    this_thread.maps = maps_of(module, name);
    if (ImageLaunches *images = this_thread.images; images && code == 0) {
        const Module *made = module_of_images(module);
        if (made && real<get_function>(function, made->of_images, name) == 0) {
            images->set_kernel(made->addresses.find(name)->second);
        } else {
            images->fail();
        }
    }
    if (Recorder *recorder = this_thread.recorder; recorder && code == 0) {
        recorder->add_function(*function, name, module);
    }
    return code;
}

// A graph has no copies: what the host does between kernels is not done again, and not for many images.
void work_of_the_host() {
    if (this_thread.graph) {
        this_thread.graph->give_up();
    }
    if (this_thread.images) {
        this_thread.images->fail();
    }
}

void count_to_device(size_t bytes) {
    count_copy_to_device(bytes);
    work_of_the_host();
}

void count_to_host(size_t bytes) {
    count_copy_to_host(bytes);
    work_of_the_host();
}

CUresult copy_to_device(uint64_t to, const void *from, size_t bytes) {
    count_to_device(bytes);
    return real<copy_to_device>(to, from, bytes);
}

CUresult copy_to_device_async(uint64_t to, const void *from, size_t bytes, void *stream) {
    count_to_device(bytes);
    return real<copy_to_device_async>(to, from, bytes, stream);
}

CUresult copy_to_host(void *to, uint64_t from, size_t bytes) {
    count_to_host(bytes);
    return real<copy_to_host>(to, from, bytes);
}

CUresult copy_to_host_async(void *to, uint64_t from, size_t bytes, void *stream) {
    count_to_host(bytes);
    return real<copy_to_host_async>(to, from, bytes, stream);
}

// Sizes are multiples of 256 bytes, so that aligned words at the end of an image are inside.
CUresult allocate(uint64_t *pointer, size_t bytes) {
    bytes = round_up(bytes, 256);
    if (Recorder *recorder = this_thread.recorder) {
        recorder->allocated(bytes);
    }
    CudaGraph *const graph = this_thread.graph;
    ImageLaunches *const images = this_thread.images;
    const size_t of_one = bytes;
    bytes *= images ? (size_t)images->count() : 1;
    *pointer = graph ? graph->take_memory(bytes) : 0;
    const bool is_kept = *pointer != 0;
    if (const CUresult error = is_kept ? 0 : take_cuda_memory(this_thread.device, bytes, *pointer)) {
        return error;
    }
    if (graph && !is_kept) {
        graph->keep_memory(*pointer, bytes);
    }
    if (images) {
        images->add_memory(*pointer, bytes, (int64_t)of_one);
    }
    return 0;
}

CUresult deallocate(uint64_t pointer) {
    if (this_thread.images) {
        this_thread.images->remove_memory(pointer);
    }
    if (this_thread.graph && this_thread.graph->give_back_memory(pointer)) {
        return 0;
    }
    return cuda_memory().give_back(pointer) ? 0 : real<deallocate>(pointer);
}

void deallocate_in(void *context, uint64_t pointer) {
    const InCudaContext here(context);
    real<deallocate>(pointer);
}

constexpr WrappedFunction wrapped_functions[] = {
    {"cuLaunchKernel", wrap<codes, launch_kernel>},
    {"cuModuleGetFunction", wrap<codes, get_function>},
    {"cuModuleLoadDataEx", wrap<codes, load_module>},
    {"cuMemcpyHtoD_v2", wrap<codes, copy_to_device>},
    {"cuMemcpyHtoDAsync_v2", wrap<codes, copy_to_device_async>},
    {"cuMemcpyDtoH_v2", wrap<codes, copy_to_host>},
    {"cuMemcpyDtoHAsync_v2", wrap<codes, copy_to_host_async>},
    {"cuMemAlloc_v2", wrap<codes, allocate>},
    {"cuMemFree_v2", wrap<codes, deallocate>},
};

}  // namespace

MemoryPool &cuda_memory() {
    return immortal([] { return MemoryPool(deallocate_in); });
}

CUresult take_cuda_memory(Device device, size_t bytes, uint64_t &memory) {
    static constexpr DriverFunction<CUresult(uint64_t *, size_t)> cu_allocate{"cuMemAlloc_v2"};
    CUresult error = 0;
    memory = cuda_memory().take(device, cuda_context(device.index), own_queue(), bytes, [&] {
        count_allocation();
        uint64_t made = 0;
        error = cu_allocate(&made, bytes);
        return error == 0 ? made : 0;
    });
    return memory != 0 ? 0 : error;
}

// Before main(): inside a hook, Halide's runtime could not be told that the host has no memory for it.
[[maybe_unused]] static const bool made = (cuda_memory(), true);

}  // namespace tilewright::driver

using namespace tilewright;

extern "C" {

void *halide_cuda_get_symbol(void *, const char *name) {
    void *f = driver::libcuda() ? dlsym(driver::libcuda(), name) : nullptr;
    return f ? driver::wrapped(driver::wrapped_functions, name, f) : nullptr;
}

// The context of the device that the thread works on. As the process ends, Halide asks without `create`, to
// free what it has there. Where it never asked with `create` it has nothing, not even the driver's functions:
// it then gets no context.
int halide_cuda_acquire_context(void *user_context, void **context, bool create) {
    static std::atomic<bool> used{false};
    used = used || create;
    const Device device = driver::this_thread.device;
    driver::CUresult why = 0;
    *context = !used ? nullptr :
                       driver::cuda_context(device.backend == Backend::cuda ? device.index : 0, create, &why);
    if (!*context && create) {
        halide_error(user_context, driver::no_cuda_context(why).c_str());
        return halide_error_code_gpu_device_error;
    }
    return 0;
}

int halide_cuda_release_context(void *) {
    return 0;
}

// The stream of copies, launches and waits.
int halide_cuda_get_stream(void *, void *, void **stream) {
    *stream = driver::own_queue();
    return 0;
}
}
