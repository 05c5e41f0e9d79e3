#include "runtime/devices/opencl/opencl_programs.h"
#include "generators/algorithms/module_text.h"
#include "generators/algorithms/tensor_text.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/devices/opencl/opencl.h"
#include "runtime/devices/thread_context.h"
#include "runtime/process/kept_signals.h"
#include <HalideRuntime.h>
#include <exception>
#include <new>
#include <vector>

namespace tilewright::driver {

namespace {

// The driver's functions that Halide does not ask for.
struct Functions {
    using Program = void;
    using WithBinary = Program *(void *context, unsigned devices, void *const *device, const size_t *bytes,
        const unsigned char **binary, int *status, int *error);
    using Build = int(
        Program *, unsigned n, void *const *devices, const char *options, void *notify, void *data);
    using Release = int(Program *);

    WithBinary *with_binary = opencl<WithBinary>("clCreateProgramWithBinary");
    Build *build = opencl<Build>("clBuildProgram");
    Release *release = opencl<Release>("clReleaseProgram");

    bool complete() const {
        return with_binary && build && release;
    }
};

const Functions &functions() {
    static const Functions all;
    return all;
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
        return program;
    }
    functions().release(program);
    return nullptr;
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
    if (!functions().complete() || device.compute_capability < number_behind(ptx, before_capability)) {
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

}  // namespace tilewright::driver
