#include "runtime/devices/opencl/opencl_programs.h"
#include "generators/algorithms/module_text.h"
#include "generators/algorithms/tensor_text.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/devices/opencl/opencl.h"
#include "runtime/devices/program_cache.h"
#include "runtime/devices/thread_context.h"
#include "runtime/process/immortal.h"
#include "runtime/process/kept_signals.h"
#include <HalideRuntime.h>
#include <cstdlib>
#include <exception>
#include <map>
#include <new>
#include <optional>
#include <utility>
#include <vector>

namespace tilewright::driver {

namespace {

// Numbers of the OpenCL standard.
constexpr unsigned binary_sizes = 0x1165, binaries = 0x1166;

// The driver's functions that Halide does not ask for.
struct Functions {
    using Program = void;
    using WithBinary = Program *(void *context, unsigned devices, void *const *device, const size_t *bytes,
        const unsigned char **binary, int *status, int *error);
    using Build = int(
        Program *, unsigned n, void *const *devices, const char *options, void *notify, void *data);
    using Info = int(Program *, unsigned what, size_t bytes, void *value, size_t *needed);
    using Release = int(Program *);

    WithBinary *with_binary = opencl<WithBinary>("clCreateProgramWithBinary");
    Build *build = opencl<Build>("clBuildProgram");
    Info *info = opencl<Info>("clGetProgramInfo");
    Release *release = opencl<Release>("clReleaseProgram");

    bool take_binaries() const {
        return with_binary && build && release;
    }
    bool complete() const {
        return take_binaries() && info;
    }
};

const Functions &functions() {
    static const Functions all;
    return all;
}

// Programs that Halide has not built yet (it makes and builds one at a time, under a lock of its own): the
// identity of those that come from a source, and nothing for those that come from the cache or from
// program_of_ptx(), and are built.
std::map<void *, std::optional<std::string>> &waiting() {
    return immortal([] { return std::map<void *, std::optional<std::string>>(); });
}

// PoCL makes a binary by compiling every kernel once more, for work-groups of any size: half of what it
// compiles for a first call. And it keeps what it compiled itself, unless POCL_KERNEL_CACHE is 0.
bool keeps_its_own(const DeviceInfo &device) {
    const char *cache = getenv("POCL_KERNEL_CACHE");
    return device.platform == "Portable Computing Language" && (!cache || std::string(cache) != "0");
}

// Everything that the binary depends on. Halide's build options follow from the device.
std::string identity_of(const DeviceInfo &device, const std::string &source) {
    return device.name + "\n" + device.platform + "\n" + device.driver + "\n" + device.capability + "\n" +
           source;
}

// Says to build() what a program is. Where there is no memory for that, build() builds it, which may be once
// more, and keeps nothing.
void remember(void *program, std::optional<std::string> identity) noexcept try {
    waiting()[program] = std::move(identity);
} catch (const std::bad_alloc &) {  // NOLINT(bugprone-empty-catch): see above
}

// The program of a binary, built; null where the driver does not take it.
void *from_binary(void *context, const std::string &binary) {
    const KeptSignals kept;
    OpenClDevice *device = opencl_device(this_thread.device.index, false);
    const size_t bytes = binary.size();
    const auto *data = reinterpret_cast<const unsigned char *>(binary.data());
    int status = 0, error = 0;
    void *program = functions().with_binary(context, 1, &device->device, &bytes, &data, &status, &error);
    if (program == nullptr) {
        return nullptr;
    }
    if (status == 0 && error == 0 &&
        functions().build(program, 1, &device->device, nullptr, nullptr, nullptr) == 0) {
        remember(program, std::nullopt);
        return program;
    }
    functions().release(program);
    return nullptr;
}

// The binary of a program for the only device of its context; empty where the driver gives none.
std::string binary_of(void *program) {
    size_t bytes = 0, needed = 0;
    if (functions().info(program, binary_sizes, sizeof bytes, &bytes, &needed) != 0 ||
        needed != sizeof bytes) {
        return "";
    }
    std::string binary(bytes, '\0');
    char *data = binary.data();
    return functions().info(program, binaries, sizeof data, (void *)&data, nullptr) == 0 ? binary : "";
}

// The PTX with the variant's limits of registers, and that of blocks of more than 256 threads, which cannot
// have the 255 registers that a thread has at most.
std::string with_limits(const std::string &ptx) {
    const Variant *variant = this_thread.variant;
    if (variant == nullptr) {
        return ptx;
    }
    std::vector<Variant::RegisterCap> caps = variant->register_caps;
    if (const int threads = variant->needs.threads; threads > 256) {
        caps.push_back({"", registers_of_block(threads)});
    }
    return with_register_caps(ptx, caps);
}

}  // namespace

std::string options_of_variant(const char *given) {
    const Variant *variant = this_thread.variant;
    std::string all = given ? given : "", options = variant ? variant->opencl_options : "";
    if (variant && options.empty() && variant->needs.threads > 256 &&
        device_info(this_thread.device).compute_capability > 0) {
        options = "-cl-nv-maxrregcount=" + std::to_string(registers_of_block(variant->needs.threads));
    }
    return all + (all.empty() || options.empty() ? "" : " ") + options;
}

void *program_of_ptx(void *context, const std::string &ptx, ArgumentsOfKernels &arguments) try {
    const DeviceInfo &device = device_info(this_thread.device);
    if (!functions().take_binaries() || device.compute_capability < number_behind(ptx, before_capability)) {
        return nullptr;
    }
    std::string text = with_limits(with_tensor_products(ptx));
    arguments = gather_numbers(text);
    return from_binary(context, text + '\0');
} catch (const std::bad_alloc &) {
    throw;
} catch (const std::exception &) {  // calls or parameters that are not understood
    return nullptr;
}

void *program_of(void *context, const std::string &source, const std::function<void *()> &make) noexcept {
    try {
        const DeviceInfo &device = device_info(this_thread.device);
        if (functions().complete() && !program_cache().is_off() && !keeps_its_own(device)) {
            std::string identity = identity_of(device, source);
            if (const auto binary = program_cache().find(identity)) {
                if (void *program = from_binary(context, *binary)) {
                    return program;
                }
                program_cache().remove(identity);
            }
            void *program = make();
            if (program != nullptr) {
                remember(program, std::move(identity));
            }
            return program;
        }
    } catch (const std::exception &) {  // NOLINT(bugprone-empty-catch): no memory for the cache's own work
    }
    return make();
}

int build(void *program, const std::function<int()> &build) noexcept {
    const auto known = waiting().find(program);
    if (known == waiting().end()) {
        return build();
    }
    const std::optional<std::string> identity = std::move(known->second);
    waiting().erase(known);
    if (!identity) {
        return 0;
    }
    const int code = build();
    try {
        if (code == 0) {
            program_cache().keep(*identity, binary_of(program));
        }
    } catch (const std::exception &) {  // NOLINT(bugprone-empty-catch): no memory, so it is not kept
    }
    return code;
}

}  // namespace tilewright::driver
