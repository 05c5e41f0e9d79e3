// A libcuda.so.1 without a GPU: three devices whose memory is host memory and whose kernels do nothing. It
// holds Halide and the hooks to the driver's rules (memory, modules and kernels belong to the context that is
// current; a kernel has 48 KB of shared memory unless it asked for more), and records what it was asked for.
// Exported is what they look up by name. This file has devices, contexts, modules and kernels;
// libcuda_memory.cpp has memory, copies, streams and events, libcuda_graph.cpp graphs.
#include "tests/runtime/drivers/fakes/libcuda.h"
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace {

using namespace fake_cuda;

struct Module {
    int device;
    std::string ptx;
    std::map<std::string, Kernel> kernels;
};

// The sizes of a kernel's arguments, as its PTX declares them: ".param .u64 .ptr .align 1 name_param_0,", or
// ".param .align 64 .b8 name_map_0[192],".
std::vector<size_t> arguments_of(const std::string &ptx, const std::string &kernel) {
    std::vector<size_t> bytes;
    const size_t begin = ptx.find(".entry " + kernel + "("), end = ptx.find(')', begin);
    for (size_t at = ptx.find(".param .", begin); at < end; at = ptx.find(".param .", at + 1)) {
        const std::string declared = ptx.substr(at + strlen(".param ."), ptx.find('\n', at) - at);
        const bool is_array = declared.starts_with("align");
        bytes.push_back(is_array ? (size_t)std::stoi(declared.substr(declared.find('[') + 1)) :
                                   (size_t)std::stoi(declared.substr(1)) / 8);
    }
    return bytes;
}

Context contexts[devices] = {{0}, {1}, {2}};
std::set<Module *> &modules = *new std::set<Module *>;
thread_local Context *stack[16];
thread_local int depth = 0;

std::atomic<bool> refuses_cubins{false};

// Machine code begins with this, and has zeros in it.
const std::string &cubin_begin = *new std::string("cubin\0of", 8);

}  // namespace

namespace fake_cuda {

std::mutex &mutex = *new std::mutex;
Record &record = *new Record;

Context *current() {
    return depth > 0 ? stack[depth - 1] : nullptr;
}

}  // namespace fake_cuda

extern "C" {

const Record *fake_cuda_record() {
    return &record;
}

void fake_cuda_refuse_cubins(bool refuse) {
    refuses_cubins = refuse;
}

int cuInit(unsigned) {
    const char *wanted = getenv("FAKE_CUDA_INIT");  // a driver that does not start
    return wanted ? (int)strtol(wanted, nullptr, 10) : ok;
}
int cuDriverGetVersion(int *version) {
    *version = 12040;
    return ok;
}
int cuDeviceGetCount(int *count) {
    constexpr int not_initialized = 3;
    if (cuInit(0) != ok) {
        return not_initialized;
    }
    *count = devices;
    return ok;
}
int cuDeviceGet(int *device, int ordinal) {
    if (ordinal < 0 || ordinal >= devices) {
        return invalid_value;
    }
    *device = ordinal;
    return ok;
}
int cuDeviceGetName(char *name, int length, int device) {
    snprintf(name, (size_t)length, "Fake GPU %d", device);
    return ok;
}
int cuDeviceTotalMem_v2(size_t *bytes, int device) {
    *bytes = (size_t)(device + 1) << 30;
    return ok;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
    const int capability[] = {9, 8, 7}, most_shared[] = {227 * 1024, 163 * 1024, 96 * 1024};
    switch (attribute) {
    case 1: *value = 1024; return ok;       // threads per block
    case 8: *value = 48 * 1024; return ok;  // shared memory per block, without and with a request
    case 97:
        *value = most_shared[device];
        if (const char *wanted = getenv("FAKE_CUDA_SHARED")) {
            *value = (int)strtol(wanted, nullptr, 10);
        }
        return ok;
    case 16: *value = 100 + device; return ok;  // multiprocessors
    case 39: *value = 2048; return ok;          // threads of one
    case 75: *value = capability[device]; return ok;
    case 76: *value = 0; return ok;
    }
    *value = 0;
    return ok;
}
int cuDevicePrimaryCtxRetain(Context **context, int device) {
    std::lock_guard lock(mutex);
    if (const char *wanted = getenv("FAKE_CUDA_CONTEXT")) {  // a GPU that another process has for itself
        return (int)strtol(wanted, nullptr, 10);
    }
    record.contexts[device]++;
    *context = &contexts[device];
    return ok;
}
int cuCtxCreate_v2(Context **, unsigned, int) {
    return invalid_context;  // the hooks take primary contexts; Halide's own choice of a device must not be
                             // reached
}
int cuCtxDestroy_v2(Context *) {
    return invalid_context;
}
int cuProfilerStop() {
    return ok;
}
int cuCtxGetApiVersion(Context *, unsigned *version) {
    *version = 3020;
    return ok;
}
int cuCtxGetDevice(int *device) {
    *device = current() ? current()->device : 0;
    return current() ? ok : invalid_context;
}
int cuCtxPushCurrent_v2(Context *context) {
    if (!context || depth == 16) {
        return invalid_context;
    }
    stack[depth++] = context;
    return ok;
}
int cuCtxPopCurrent_v2(Context **context) {
    if (depth == 0) {
        return invalid_context;
    }
    *context = stack[--depth];
    return ok;
}
int cuCtxSynchronize() {
    return current() ? ok : invalid_context;
}
int cuModuleLoadDataEx(Module **module, const void *image, unsigned count, int *options, void **) {
    std::lock_guard lock(mutex);
    const auto *text = static_cast<const char *>(image);
    const bool is_cubin = strcmp(text, "cubin") == 0 && !refuses_cubins;
    if (is_cubin) {
        text += cubin_begin.size();
    }
    if (!current() || !strstr(text, ".version")) {  // PTX is text and says its version first
        return invalid_value;
    }
    record.module_options.emplace_back(options, options + count);
    record.module_text.emplace_back(text);
    record.module_is_cubin.push_back(is_cubin);
    record.module_device.push_back(current()->device);
    std::unique_ptr<Module> made(new Module{current()->device, text, {}});
    modules.insert(made.get());
    *module = made.release();
    record.modules++;
    return ok;
}
int cuModuleLoadData(Module **module, const void *image) {
    return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}
int cuModuleUnload(Module *module) {
    std::lock_guard lock(mutex);
    if (modules.erase(module) == 0) {
        return invalid_value;
    }
    delete module;
    record.modules--;
    return ok;
}
// As the driver's descriptions begin with the address of the matrix, so do these.
int cuTensorMapEncodeTiled(void *map, int, unsigned, uint64_t matrix, const void *, const void *,
    const void *, const void *, int, int, int, int) {
    memset(map, 0, 128);
    memcpy(map, &matrix, sizeof matrix);
    return ok;
}

int cuModuleGetFunction(Kernel **kernel, Module *module, const char *name) {
    std::lock_guard lock(mutex);
    if (!current() || !modules.contains(module) || module->device != current()->device) {
        record.wrong_context++;
        return invalid_context;
    }
    const Kernel made{module->device, 48 * 1024, arguments_of(module->ptx, name)};
    *kernel = &module->kernels.try_emplace(name, made).first->second;
    return ok;
}
int cuFuncSetAttribute(Kernel *kernel, int attribute, int value) {
    std::lock_guard lock(mutex);
    if (attribute != 8 || value > 227 * 1024) {
        return invalid_value;
    }
    kernel->shared_limit = value;
    record.shared_limits.push_back(value);
    return ok;
}
// FAKE_CUDA_SILENT: a driver that does not have these functions.
int cuFuncGetAttribute(int *value, int attribute, Kernel *) {
    // threads, shared, local, registers
    const std::map<int, int> values = {{0, 1024}, {1, 16}, {3, 8}, {4, 40}};
    const auto known = values.find(attribute);
    if (getenv("FAKE_CUDA_SILENT") || known == values.end()) {
        return not_found;
    }
    *value = known->second;
    return ok;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Kernel *, int threads, size_t) {
    if (getenv("FAKE_CUDA_SILENT") || threads <= 0) {
        return not_found;
    }
    *blocks = 1024 / threads;
    return ok;
}
int cuLaunchKernel(Kernel *kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
    unsigned bz, unsigned shared, void *stream, void **, void **) {
    std::lock_guard lock(mutex);
    if (!current() || kernel->device != current()->device) {
        record.wrong_context++;
        return invalid_context;
    }
    if (shared > (unsigned)kernel->shared_limit) {
        record.too_much_shared++;
        return invalid_value;
    }
    if (bx * by * bz > 1024 || gx * gy * gz == 0) {
        return invalid_value;
    }
    record.launches.push_back({kernel->device, {gx, gy, gz}, {bx, by, bz}, shared, stream});
    return ok;
}

int cuGetErrorName(int code, const char **name) {
    *name = code == out_of_memory ? "CUDA_ERROR_OUT_OF_MEMORY" :
            code == 999           ? "CUDA_ERROR_UNKNOWN" :
                                    "CUDA_ERROR_OTHER";
    return ok;
}
}
