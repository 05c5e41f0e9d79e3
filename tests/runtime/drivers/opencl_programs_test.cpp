// What reaches the driver when an OpenCL program is made and built, against the fake libOpenCL.so.1.
#include "runtime/devices/opencl/opencl.h"
#include "runtime/devices/opencl/opencl_functions.h"
#include "runtime/devices/thread_context.h"
#include "tests/runtime/drivers/any_operator.h"
#include "tests/runtime/drivers/fakes/fakes.h"
#include <gtest/gtest.h>

// The hook that the runtime defines.
extern "C" void *halide_opencl_get_symbol(void *, const char *name);

namespace tilewright {

namespace {

const Device last{Backend::opencl, 5};

using fake_opencl::record;

}  // namespace

// Of a variant whose options are given, and of a kernel that converts halves.
TEST(OpenClPrograms, OptionsAndConversionsOfHalvesReachTheDriver) {
    devices(Backend::opencl);
    const auto create = reinterpret_cast<void *(*)(void *, unsigned, const char **, const size_t *, int *)>(
        halide_opencl_get_symbol(nullptr, "clCreateProgramWithSource"));
    const auto build =
        reinterpret_cast<int (*)(void *, unsigned, void *const *, const char *, void *, void *)>(
            halide_opencl_get_symbol(nullptr, "clBuildProgram"));
    const auto release =
        reinterpret_cast<int (*)(void *)>(halide_opencl_get_symbol(nullptr, "clReleaseProgram"));
    const driver::OpenClDevice *device = driver::opencl_device(last.index, true);
    ASSERT_TRUE(create && build && release && device);
    const driver::ScopedValue on(driver::this_thread.device, last);
    const auto built = [&](const char *source, const char *given) {
        int error = -1;
        void *program = create(device->context, 1, &source, nullptr, &error);
        EXPECT_EQ(error, 0);
        EXPECT_EQ(build(program, 1, &device->device, given, nullptr, nullptr), 0);
        release(program);
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
    std::string product_of_bytes =
        "__kernel void f() {}\n__kernel void g(int n) { tilewright_lanes_u8_1(n); }";
    driver::declare_results(product_of_bytes);
    EXPECT_EQ(product_of_bytes, "__kernel void f() {}\n__kernel void g(int n) {\n int4 tilewright_results; "
                                "tilewright_lanes_u8_1(n); }");
    const std::string products = functions(nvidia, product_of_bytes);
    EXPECT_NE(products.find("m16n8k32"), std::string::npos);
    EXPECT_NE(products.find("#define tilewright_lanes_u8_1("), std::string::npos);
    const std::string product = "tw_wgmma_f16_n64_k16_3";
    const std::string called = functions(nvidia, "x = " + product + "(0, 1.f); y = " + product + "(1, 1.f);");
    EXPECT_NE(called.find("noinline)) float " + product + "(int w0, float w1, "), std::string::npos)
        << called;
    EXPECT_EQ(called.find(product), called.rfind(product)) << called;
}

// Kernels with products of rows, and no others, round the address of their local memory up.
TEST(OpenClPrograms, RowsBeginAtMultiplesOf1024BytesOfLocalMemory) {
    const auto kernel = [](const std::string &product, const std::string &first_line) {
        return "__kernel void k(\n __global float *to,\n __local int16* cells)\n{" + first_line +
               "\n to[0] = " + product + "(0, 1.f, 1.f, 0.f);\n}\n";
    };
    const std::string panels = "tw_wgmma_f16_n64_k16_0", rows = "tw_wgmma_f16_n64_k16_a3_0",
                      rounding = "\n cells = (__local int16 *)(((ulong)cells + 1023) / 1024 * 1024);";
    std::string one = kernel(panels, ""), all = kernel(panels, "") + kernel(rows, "") + kernel(panels, "");
    EXPECT_FALSE(driver::align_local_memory(one));
    EXPECT_EQ(one, kernel(panels, ""));
    EXPECT_TRUE(driver::align_local_memory(all));
    EXPECT_EQ(all, kernel(panels, "") + kernel(rows, rounding) + kernel(panels, ""));
}

// Kernels are kept by program and name, one object per launch that goes on, until their program is released.
TEST(OpenClPrograms, KernelsAreKeptUntilTheirProgramIsReleased) {
    devices(Backend::opencl);
    const auto function = [](const char *name) { return halide_opencl_get_symbol(nullptr, name); };
    const auto create_program =
        reinterpret_cast<void *(*)(void *, unsigned, const char **, const size_t *, int *)>(
            function("clCreateProgramWithSource"));
    const auto build =
        reinterpret_cast<int (*)(void *, unsigned, void *const *, const char *, void *, void *)>(
            function("clBuildProgram"));
    const auto create = reinterpret_cast<void *(*)(void *, const char *, int *)>(function("clCreateKernel"));
    const auto release = reinterpret_cast<int (*)(void *)>(function("clReleaseKernel"));
    const auto release_program = reinterpret_cast<int (*)(void *)>(function("clReleaseProgram"));
    const driver::OpenClDevice *device = driver::opencl_device(last.index, true);
    ASSERT_TRUE(create_program && build && create && release && release_program && device);
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
    void *const first = create(program, "f", &error);
    EXPECT_EQ(error, 0);
    void *const second = create(program, "f", &error);  // another thread launches meanwhile
    EXPECT_NE(first, second);
    EXPECT_EQ(release(first), 0);
    EXPECT_EQ(record().kernels_released, before.kernels_released);
    EXPECT_NE(create(program, "g", &error), first);
    EXPECT_NE(create(other, "f", &error), first);
    EXPECT_EQ(create(program, "f", &error), first);
    EXPECT_EQ(record().kernels_created, before.kernels_created + 4);

    EXPECT_EQ(release(first), 0);
    EXPECT_EQ(release(second), 0);
    EXPECT_EQ(release_program(other), 0);
    EXPECT_EQ(record().kernels_released, before.kernels_released);
    EXPECT_EQ(release_program(program), 0);
    EXPECT_EQ(record().kernels_released, before.kernels_released + 2);
}

// A driver that makes no kernel.
TEST(OpenClPrograms, AKernelThatIsNotMadeIsAnError) {
    devices(Backend::opencl);
    const auto create = reinterpret_cast<void *(*)(void *, const char *, int *)>(
        halide_opencl_get_symbol(nullptr, "clCreateKernel"));
    ASSERT_TRUE(create);
    const int wrong = record().wrong;
    int error = 0;
    EXPECT_EQ(create(nullptr, "f", &error), nullptr);
    EXPECT_NE(error, 0);
    EXPECT_EQ(record().wrong, wrong + 1);
}

}  // namespace tilewright
