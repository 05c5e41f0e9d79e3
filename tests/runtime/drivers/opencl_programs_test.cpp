// What reaches the driver when an OpenCL program is made and built, against the fake libOpenCL.so.1.
#include "runtime/devices/opencl.h"
#include "runtime/devices/opencl_options.h"
#include "tests/runtime/drivers/any_operator.h"
#include "tests/runtime/drivers/fakes.h"
#include <gtest/gtest.h>

// The hook that the runtime defines.
extern "C" void *halide_opencl_get_symbol(void *, const char *name);

namespace tilewright {

namespace {

const Device last{Backend::opencl, 5};

using fake_opencl::record;

}  // namespace

// Of a row whose options are given, and of a kernel that converts halves.
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
    EXPECT_EQ(built(halves, "-D A=1"), "-D A=1");
    EXPECT_NE(record().sources.back().find("vstore_half_rte"), std::string::npos);
    EXPECT_NE(record().sources.back().find(halves), std::string::npos);
    {
        const std::string relaxed = "-cl-fast-relaxed-math";
        const driver::OpenClOptions options(relaxed);
        EXPECT_EQ(built(plain, ""), relaxed);
        EXPECT_EQ(built(plain, "-D A=1"), "-D A=1 " + relaxed);
    }
    EXPECT_EQ(built(plain, ""), "") << "the options end with their scope";
}

}  // namespace tilewright
