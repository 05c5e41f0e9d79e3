// A machine without libcuda and without OpenCL: programs start, say what is missing, and work on the CPU.
#include "tests/runtime/drivers/any_operator.h"
#include "tests/support/image_library.h"
#include "tilewright/device.h"
#include "tilewright/generated.h"
#include <HalideRuntime.h>

namespace tilewright {

TEST(NoDriver, EachBackendSaysWhatIsMissing) {
    int missing = 0;
    for (const DeviceInfo &d : devices()) {
        if (d.device.backend == Backend::cpu) {
            EXPECT_TRUE(d.usable);
            EXPECT_GT(d.memory, 0u);
            EXPECT_GT(d.units, 0);
            continue;
        }
        missing++;
        EXPECT_FALSE(d.usable);
        const char *library = d.device.backend == Backend::cuda ? "libcuda.so.1" : "libOpenCL.so.1";
        EXPECT_NE(d.why_not.find(library), std::string::npos) << d.why_not;
    }
    EXPECT_EQ(missing, 2);
}

TEST(NoDriver, AutoIsTheCpuAndTheOthersAreRefused) {
    EXPECT_EQ(best_device(), Device{});
    EXPECT_EQ(Device::parse("auto"), Device{});
    for (const char *name : {"cuda", "cuda:1", "opencl"}) {
        const Error error = error_of([&] { Device::parse(name); });
        EXPECT_EQ(error.fault(), Fault::device) << error.what();
    }
    for (Device device : {Device{Backend::cuda, 0}, Device{Backend::opencl, 0}}) {
        EXPECT_EQ(error_of([&] { device_info(device); }).fault(), Fault::device);
        Array array(Type::u8, {4, 4});
        EXPECT_EQ(error_of([&] { array.sync(device); }).fault(), Fault::device);
        EXPECT_THROW(synchronize(device), Error);
    }
}

TEST(NoDriver, TheCpuWorks) {
    const AnyOperator any(Backend::cpu);
    if (!any.op) {
        GTEST_SKIP() << "not run here: no CPU variants were built";
    }
    EXPECT_FALSE(any.run(best_device()).empty());
    for (Backend backend : {Backend::cuda, Backend::opencl}) {
        EXPECT_EQ(error_of([&] { any.run({backend, 0}); }).fault(), Fault::device);
    }
}

namespace {

// A library that was made without checks, and so does not tell of a failure by its code.
int silent(void **) {
    halide_error(nullptr, "the launch failed");
    return 0;
}

}  // namespace

TEST(NoDriver, WhatHalideSaysIsAnErrorWhateverTheLibraryReturns) {
    const Array input(Type::u8, {4, 4});
    Array output(Type::u8, {4, 4});
    const Error error = error_of([&] {
        run_generated(generated_variant("silent", "by hand", "u8", Backend::cpu, silent, image_to_image),
            Device{}, {&input, 1}, output);
    });
    EXPECT_STREQ(error.what(), "silent: the launch failed [by hand, cpu]");
}

}  // namespace tilewright
