// What reaches the driver when an OpenCL program is made and built, against the fake libOpenCL.so.1.
#include "generators/algorithms/module_text.h"
#include "runtime/devices/calls/halide_calls.h"
#include "runtime/devices/opencl/opencl.h"
#include "runtime/devices/opencl/opencl_functions.h"
#include "runtime/devices/opencl/ptx_arguments.h"
#include "runtime/devices/thread_context.h"
#include "runtime/dispatch/image_operator.h"
#include "tests/runtime/drivers/any_operator.h"
#include "tests/runtime/drivers/fakes/fakes.h"
#include "tests/support/image_library.h"
#include "tilewright/generated.h"
#include <HalideRuntime.h>
#include <gtest/gtest.h>
#include <stdexcept>

// The hook that the runtime defines.
extern "C" void *halide_opencl_get_symbol(void *, const char *name);

namespace tilewright {

namespace {

const Device last{Backend::opencl, 5};

using fake_opencl::record;

// A function that the runtime gives Halide's own runtime as the driver's.
template<class Signature>
class Function {
public:
    explicit Function(const char *name) : name_(name) {}

    template<class... Arguments>
    auto operator()(Arguments... arguments) const {
        const auto function = reinterpret_cast<Signature *>(halide_opencl_get_symbol(nullptr, name_));
        if (!function) {
            throw std::runtime_error(name_ + std::string(" is missing"));
        }
        return function(arguments...);
    }

private:
    const char *name_;
};

const Function<void *(void *, unsigned, const char **, const size_t *, int *)> create_program(
    "clCreateProgramWithSource");
const Function<int(void *, unsigned, void *const *, const char *, void *, void *)> build("clBuildProgram");
const Function<int(void *)> release_program("clReleaseProgram"), release_kernel("clReleaseKernel");
const Function<void *(void *, const char *, int *)> create_kernel("clCreateKernel");
const Function<int(
    void *, void *, unsigned, const size_t *, const size_t *, const size_t *, unsigned, const void *, void *)>
    launch("clEnqueueNDRangeKernel");

// A kernel of PTX that takes an address, three numbers and what `local` says.
std::string entry(const std::string &name, const std::string &local) {
    return ".visible .entry " + name + "(\n\t.param .u64 .ptr .global .align 1 " + name +
           "_param_0,\n\t.param .f64 " + name + "_param_1,\n\t.param .u8 " + name +
           "_param_2,\n\t.param .u32 " + name + "_param_3" + local + "\n)\n{\n\tld.param.b64 \t%rd1, [" +
           name + "_param_0];\n\tld.param.b32 \t%r1, [" + name + "_param_3];\n}\n";
}

// What runs in place of the libraries of the variants below: a library whose kernel is OpenCL C and PTX.
int launch_kernel_of_both(void **) {
    const driver::OpenClDevice *device = driver::opencl_device(driver::this_thread.device.index, true);
    const std::string all = "__kernel void f() { }" + std::string(assembly_begin) +
                            ".version 7.0\n.target sm_75, texmode_independent\n.visible .entry f(\n)\n{\n"
                            "\tret;\n}\n" +
                            std::string(assembly_end);
    const char *text = all.c_str();
    int error = 0;
    void *program = create_program(device->context, 1, &text, nullptr, &error);
    if (!program) {
        return halide_error_code_gpu_device_error;
    }
    EXPECT_EQ(build(program, 1, &device->device, "", nullptr, nullptr), 0);
    void *kernel = create_kernel(program, "f", &error);
    const size_t one = 1;
    const int code = launch(device->queue, kernel, 1, nullptr, &one, &one, 0, nullptr, nullptr);
    if (code == 0) {
        release_kernel(kernel);
    }
    release_program(program);
    return code == 0 ? 0 : halide_error_code_gpu_device_error;
}

}  // namespace

// Of a variant whose options are given, and of a kernel that converts halves.
TEST(OpenClPrograms, OptionsAndConversionsOfHalvesReachTheDriver) {
    devices(Backend::opencl);
    const driver::OpenClDevice *device = driver::opencl_device(last.index, true);
    ASSERT_TRUE(device);
    const driver::ScopedValue on(driver::this_thread.device, last);
    const auto built = [&](const char *source, const char *given) {
        int error = -1;
        void *program = create_program(device->context, 1, &source, nullptr, &error);
        EXPECT_EQ(error, 0);
        EXPECT_EQ(build(program, 1, &device->device, given, nullptr, nullptr), 0);
        release_program(program);
        return record().options.back();
    };
    const char *plain = "__kernel void f(__global ushort *to) { *to = 1; }",
               *halves = "__kernel void f(__global ushort *to) { *to = tilewright_half_of_float(1); }";
    EXPECT_EQ(built(plain, ""), "");
    EXPECT_EQ(record().sources.back(), plain);
    built("__kernel void f(void) { barrier(0); barrier(0 | CLK_LOCAL_MEM_FENCE); }", "");
    EXPECT_EQ(record().sources.back(),
        "__kernel void f(void) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); "
        "barrier(0 | CLK_LOCAL_MEM_FENCE); }");
    EXPECT_EQ(built(halves, "-D A=1"), "-D A=1");
    EXPECT_NE(record().sources.back().find("vstore_half_rte"), std::string::npos);
    EXPECT_NE(record().sources.back().find(halves), std::string::npos);
    {
        const std::string relaxed = "-cl-fast-relaxed-math";
        Variant variant{};
        variant.opencl_options = relaxed;
        const driver::ScopedValue options(driver::this_thread.variant, &variant);
        EXPECT_EQ(built(plain, ""), relaxed);
        EXPECT_EQ(built(plain, "-D A=1"), "-D A=1 " + relaxed);
    }
    {
        Variant variant{};
        variant.needs.threads = 416;
        const driver::ScopedValue large(driver::this_thread.variant, &variant);
        EXPECT_EQ(built(plain, ""), "") << "an option of NVIDIA's alone";
        const driver::ScopedValue there(
            driver::this_thread.device, Device{Backend::opencl, fake_opencl::nvidia});
        EXPECT_EQ(built(plain, "-D A=1"), "-D A=1 -cl-nv-maxrregcount=128");
        variant.needs.threads = 256;
        EXPECT_EQ(built(plain, ""), "");
    }
    EXPECT_EQ(built(plain, ""), "") << "the options end with their scope";
}

// A device of compute capability 8.6 gets instructions, and any other one plain C, or the extension's
// built-in where its compiler, and not only its list of extensions, has it.
TEST(OpenClPrograms, FunctionsOfWordsAreTheDevicesOwn) {
    devices(Backend::opencl);
    const std::string source = "__kernel void f(__global uint *to) { *to = tilewright_dot(1, 2, 3); }";
    const auto functions = [&](const Device &device, const std::string &of) {
        const driver::OpenClDevice *known = driver::opencl_device(device.index, true);
        return known ? driver::functions_for(of, *known) : "no device";
    };
    const Device nvidia{Backend::opencl, fake_opencl::nvidia};
    EXPECT_EQ(device_info(nvidia).compute_capability, 86);
    EXPECT_EQ(device_info(nvidia).pci_address, "0000:1b:01.0");
    EXPECT_EQ(device_info(last).compute_capability, 0);
    EXPECT_EQ(device_info(last).pci_address, "");
    for (const auto &[device, expected] : {std::pair{nvidia, "dp4a.u32.u32"},
             {last, "#ifdef __opencl_c_integer_dot_product_input_4x8bit_packed"},
             {last, "#else\nTILEWRIGHT_FUNCTION"}}) {
        const std::string all = functions(device, source);
        EXPECT_NE(all.find(expected), std::string::npos) << device.str() << "\n" << all;
        EXPECT_EQ(all.find("dp4a") != std::string::npos, device == nvidia) << all;
        EXPECT_EQ(all.find("half"), std::string::npos) << all;
        EXPECT_EQ(functions(device, "__kernel void f() {}"), "");
    }
}

// NVIDIA's driver gets the PTX that is behind the OpenCL C, with the variant's limits of registers. Others
// get the OpenCL C, and so does an older GPU than the PTX is for.
TEST(OpenClPrograms, PtxReachesTheDriversThatTakeIt) {
    devices(Backend::opencl);
    const std::string source = "__kernel void f() { }";
    const auto ptx = [](int capability) {
        return ".version 7.0\n.target sm_" + std::to_string(capability) +
               ", texmode_independent\n.visible .entry f(\n)\n{\n\tret;\n}\n";
    };
    Variant variant{};
    const driver::ScopedValue of_variant(driver::this_thread.variant, &variant);
    int error = 0;
    const auto make = [&](const Device &on, const std::string &text) {
        const driver::ScopedValue here(driver::this_thread.device, on);
        const driver::OpenClDevice *device = driver::opencl_device(on.index, true);
        const char *all = text.c_str();
        void *program = create_program(device->context, 1, &all, nullptr, &error);
        if (program) {
            EXPECT_EQ(build(program, 1, &device->device, "", nullptr, nullptr), 0);
            release_program(program);
        }
        return program != nullptr;
    };
    const auto with_ptx = [&](const std::string &before, int capability) {
        return before + std::string(assembly_begin) + ptx(capability) + std::string(assembly_end);
    };
    const Device nvidia{Backend::opencl, fake_opencl::nvidia};
    const size_t builds = record().options.size();
    size_t sources = record().sources.size(), binaries = record().binaries.size();

    EXPECT_TRUE(make(nvidia, with_ptx(source, 80)));
    EXPECT_EQ(record().options.size(), builds + 1) << "built once";
    EXPECT_EQ(record().sources.size(), sources);
    ASSERT_EQ(record().binaries.size(), ++binaries);
    EXPECT_EQ(record().binaries.back(), ptx(80) + '\0');
    variant.register_caps = {{"f", 96}};
    variant.needs.threads = 512;
    EXPECT_TRUE(make(nvidia, with_ptx(source, 80)));
    EXPECT_NE(record().binaries.back().find("f(\n)\n.maxnreg 96\n{"), std::string::npos);
    variant.register_caps.clear();
    EXPECT_TRUE(make(nvidia, with_ptx(source, 80)));
    EXPECT_NE(record().binaries.back().find(".maxnreg 128\n{"), std::string::npos)
        << "a block of 512 threads";
    binaries = record().binaries.size();

    EXPECT_TRUE(make(nvidia, with_ptx(source, 90))) << "of capability 8.6";
    EXPECT_TRUE(make(last, with_ptx(source, 80)));
    EXPECT_EQ(record().binaries.size(), binaries);
    ASSERT_EQ(record().sources.size(), sources + 2);
    EXPECT_EQ(record().sources.back(), source);
    EXPECT_EQ(error, 0);
    EXPECT_FALSE(make(last, with_ptx("", 80))) << "there is no OpenCL C";
    EXPECT_NE(error, 0);
    const Error refused =
        error_of([&] { throw_halide_error(error, "gaussian_blur", "tuned_fused_16", last); });
    EXPECT_STREQ(refused.what(),
        "gaussian_blur: the OpenCL driver does not take its kernels, which have to be PTX; "
        "take another schedule, or CUDA [tuned_fused_16, opencl:5]");
}

// Numbers reach a kernel that is PTX as the bytes of one parameter, when it is launched, and local memory
// only where the kernel has not its own.
TEST(OpenClPrograms, NumbersOfPtxAreOneParameter) {
    devices(Backend::opencl);
    const Function<int(void *, unsigned, size_t, const void *)> set("clSetKernelArg");
    const Device nvidia{Backend::opencl, fake_opencl::nvidia};
    const driver::ScopedValue here(driver::this_thread.device, nvidia);
    const driver::OpenClDevice *device = driver::opencl_device(nvidia.index, true);
    const std::string text = std::string(assembly_begin) + ".version 7.0\n.target sm_80\n" +
                             entry("f", ",\n\t.param .u64 .ptr .shared .align 16 f_local") + entry("g", "") +
                             std::string(assembly_end);
    const char *all = text.c_str();
    int error = -1;
    void *program = create_program(device->context, 1, &all, nullptr, &error);
    ASSERT_NE(program, nullptr);
    const std::string made = record().binaries.back();
    for (const std::string part :
        {"f_param_0,\n\t.param .align 8 .b8 f_numbers[16],\n\t.param .u64 .ptr .shared .align 16 f_local\n)",
            "g_param_0,\n\t.param .align 8 .b8 g_numbers[16]\n)\n{\n\tld.param.b64 \t%rd1, [g_param_0];\n"
            "\tld.param.b32 \t%r1, [g_numbers+12];"}) {
        EXPECT_NE(made.find(part), std::string::npos) << made;
    }
    using Arguments = std::vector<std::pair<unsigned, std::string>>;
    const auto launched = [&](const char *name) {
        const size_t before = record().arguments.size();
        void *kernel = create_kernel(program, name, &error);
        const double number = 1.5;
        const char letter = 'x';
        const unsigned word = 0x64636261, buffer = 7;
        EXPECT_EQ(set(kernel, 0, sizeof buffer, &buffer), 0);
        EXPECT_EQ(set(kernel, 1, sizeof number, &number), 0);
        EXPECT_EQ(set(kernel, 2, sizeof letter, &letter), 0);
        EXPECT_EQ(set(kernel, 3, sizeof word, &word), 0);
        EXPECT_EQ(set(kernel, 4, 512, nullptr), 0);
        const size_t one = 1;
        EXPECT_EQ(launch(device->queue, kernel, 1, nullptr, &one, &one, 0, nullptr, nullptr), 0);
        return Arguments(record().arguments.begin() + (ptrdiff_t)before, record().arguments.end());
    };
    const Arguments f = launched("f"), g = launched("g");
    ASSERT_EQ(f.size(), 3u);
    EXPECT_EQ(f[0], std::pair(0u, std::string("\7\0\0\0", 4)));
    EXPECT_EQ(f[1], std::pair(2u, std::string("local")));
    EXPECT_EQ(f[2].first, 1u);
    EXPECT_EQ(f[2].second.substr(0, 9), std::string("\0\0\0\0\0\0\xf8\x3fx", 9));
    EXPECT_EQ(f[2].second.substr(12), "abcd");
    ASSERT_EQ(g.size(), 2u);
    EXPECT_EQ(g[1].second.substr(12), "abcd");
    release_program(program);
}

// A number that is the handle of a buffer would be an address of anywhere.
TEST(OpenClPrograms, PtxWhoseParametersAreNotUnderstoodIsRefused) {
    const auto gather = [](const std::string &parameters) {
        std::string text = ".visible .entry f(\n" + parameters + "\n)\n{\n\tret;\n}\n";
        driver::gather_numbers(text);
        return text;
    };
    const std::string number = "\t.param .u32 f_param_0",
                      address = "\t.param .u64 .ptr .global .align 1 f_param_1";
    EXPECT_NE(gather(address + ",\n" + number).find("f_numbers[4]"), std::string::npos);
    EXPECT_THROW(gather(number + ",\n" + address), std::runtime_error);
    EXPECT_THROW(gather("\t.param .align 64 .b8 f_map_0[128]"), std::runtime_error);
    EXPECT_THROW(gather("\t.param"), std::runtime_error);
}

// Kernels are kept by program and name, one object per launch that goes on, until their program is released.
TEST(OpenClPrograms, KernelsAreKeptUntilTheirProgramIsReleased) {
    devices(Backend::opencl);
    const driver::OpenClDevice *device = driver::opencl_device(last.index, true);
    ASSERT_TRUE(device);
    const auto program_of = [&](const char *source) {
        int error = -1;
        void *program = create_program(device->context, 1, &source, nullptr, &error);
        EXPECT_EQ(build(program, 1, &device->device, "", nullptr, nullptr), 0);
        return program;
    };
    void *const program = program_of("__kernel void f() {}"), *const other =
                                                                  program_of("__kernel void g() {}");
    const fake_opencl::Record before = record();
    int error = -1;
    void *const first = create_kernel(program, "f", &error);
    EXPECT_EQ(error, 0);
    void *const second = create_kernel(program, "f", &error);  // another thread launches meanwhile
    EXPECT_NE(first, second);
    EXPECT_EQ(release_kernel(first), 0);
    EXPECT_EQ(record().kernels_released, before.kernels_released);
    EXPECT_NE(create_kernel(program, "g", &error), first);
    EXPECT_NE(create_kernel(other, "f", &error), first);
    EXPECT_EQ(create_kernel(program, "f", &error), first);
    EXPECT_EQ(record().kernels_created, before.kernels_created + 4);

    EXPECT_EQ(release_kernel(first), 0);
    EXPECT_EQ(release_kernel(second), 0);
    EXPECT_EQ(release_program(other), 0);
    EXPECT_EQ(record().kernels_released, before.kernels_released);
    EXPECT_EQ(release_program(program), 0);
    EXPECT_EQ(record().kernels_released, before.kernels_released + 2);
}

// Where a driver takes no PTX, or none with so much memory, or does not launch it, the call is made by the
// next variant of the family; whoever asks for the variant itself gets a line that says what is missing.
TEST(OpenClPrograms, WhereMemoryOfPtxIsRefusedAnotherVariantRuns) {
    const auto variant = [](const std::string &schedule, int64_t shared_bytes) {
        Variant made = generated_variant("picky", schedule, "u8", Backend::opencl, launch_kernel_of_both,
            image_to_image, {.shared_bytes = shared_bytes, .ptx = 75});
        made.family = "tuned";
        return made;
    };
    constexpr ImageForm form("generated");
    const std::vector<Variant> variants = {
        variant("tuned_huge", 90000), variant("tuned_large", 60000), variant("tuned_any", 40000)};
    const ImageOperator op("picky", "a test's", variants, {&form});
    const Array image(Type::u8, {8, 8});
    const auto ran = [&](Device device, const std::string &schedule, const std::string &layout) {
        Array output;
        const Array images(Type::u8, {2, 8, 8});
        Statistics statistics;
        op({layout.empty() ? &image : &images, 1}, output, {},
            {.device = device, .schedule = schedule, .statistics = &statistics, .layout = layout});
        return statistics.libraries.back();
    };
    const auto expect_refusal = [&](Device device, const std::string &has) {
        const Error error = error_of([&] { ran(device, "tuned_huge", ""); });
        EXPECT_EQ(error.fault(), Fault::device);
        EXPECT_EQ(std::string(error.what()),
            "picky: schedule = tuned_huge: its blocks take 90000 bytes of shared memory, and " +
                device.str() + " has " + has + " per block");
    };
    const Device nvidia{Backend::opencl, fake_opencl::nvidia}, old{Backend::opencl, fake_opencl::old_nvidia};
    const std::string large = variants[1].name(), any = variants[2].name();
    EXPECT_EQ(ran(nvidia, "tuned_large", ""), large);

    // A driver that takes no PTX: the fake one of this device.
    const size_t sources = record().sources.size();
    EXPECT_EQ(ran(old, "tuned", ""), any);
    EXPECT_EQ(record().sources.size(), sources + 1) << "OpenCL C with so much memory is not tried";
    EXPECT_EQ(ran(old, "tuned", ""), any);
    expect_refusal(old, "49152");
    EXPECT_EQ(ran(nvidia, "tuned_large", ""), large) << "another device";

    // A launch that is refused, of as much memory as others had, and then of more.
    const fake_opencl::Requests &requests = fake_opencl::requests();
    requests.refuse_once(1, 0);
    EXPECT_EQ(error_of([&] { ran(nvidia, "tuned_large", ""); }).fault(), Fault::device);
    EXPECT_EQ(ran(nvidia, "tuned_large", ""), large) << "it had another reason";
    requests.refuse_once(1, 0);
    EXPECT_EQ(ran(nvidia, "tuned", "nhw"), large);
    EXPECT_EQ(ran(nvidia, "tuned", ""), large);
    expect_refusal(nvidia, "60000");
    requests.refuse_once(1, 0);
    EXPECT_EQ(error_of([&] { ran(nvidia, "tuned", ""); }).fault(), Fault::device)
        << "another reason than memory";
}

// A driver that makes no kernel.
TEST(OpenClPrograms, AKernelThatIsNotMadeIsAnError) {
    devices(Backend::opencl);
    const int wrong = record().wrong;
    int error = 0;
    EXPECT_EQ(create_kernel(nullptr, "f", &error), nullptr);
    EXPECT_NE(error, 0);
    EXPECT_EQ(record().wrong, wrong + 1);
}

}  // namespace tilewright
