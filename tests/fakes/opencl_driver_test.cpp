// The driver seam against the fake libOpenCL.so.1: which platform is used, and how its buffers are.
#include "any_operator.h"
#include "driver_seam.h"
#include "opencl_record.h"
#include "storage.h"
#include <HalideRuntimeOpenCL.h>
#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <numeric>
#include <stdexcept>

namespace tilewright {

namespace {

const fake_opencl::Record &record() {
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_NOLOAD);
    auto ask = library ? reinterpret_cast<const fake_opencl::Record *(*)()>(dlsym(library, "fake_opencl_record")) : nullptr;
    if (!ask) {
        throw std::runtime_error("the fake libOpenCL.so.1 is not the one that was loaded; ctest sets LD_LIBRARY_PATH");
    }
    return *ask();
}

const Device last{Backend::opencl, 5};

class OpenClDriver : public testing::Test {
protected:
    void SetUp() override {
        devices();
        record();
    }
    void TearDown() override {
        EXPECT_EQ(record().wrong, 0);
        EXPECT_EQ(record().asked_for_fewer_platforms, 0);
    }
    const AnyOperator any{Backend::opencl};
};

// A device buffer as Halide's runtime makes it.
struct DeviceBuffer {
    halide_dimension_t dim;
    halide_buffer_t buffer = {};

    explicit DeviceBuffer(int bytes) : dim(0, bytes, 1) {
        buffer.type = halide_type_t(halide_type_uint, 8);
        buffer.dimensions = 1;
        buffer.dim = &dim;
    }
    int make() {
        return halide_device_malloc(nullptr, &buffer, halide_opencl_device_interface());
    }
    uintptr_t memory() {
        return halide_opencl_get_cl_mem(nullptr, &buffer);
    }
};

}  // namespace

TEST_F(OpenClDriver, DevicesAreToldApart) {
    int i = 0;
    for (const DeviceInfo &d : devices()) {
        if (d.device.backend == Backend::opencl) {
            EXPECT_EQ(d.device.str(), "opencl:" + std::to_string(i));
            EXPECT_EQ(d.name, "Fake device " + std::to_string(i));
            EXPECT_EQ(d.platform, "Fake platform " + std::to_string(i));
            EXPECT_NE(d.driver.find("7." + std::to_string(i)), std::string::npos) << d.driver;
            EXPECT_EQ(d.memory, (uint64_t)(i + 1) << 30);
            EXPECT_EQ(d.units, 8 + i);
            EXPECT_EQ(d.is_gpu, i == 3);
            EXPECT_EQ(d.usable, i != 1 && i != 2);
            EXPECT_EQ(d.why_not.empty(), d.usable);
            EXPECT_EQ(d.why_not.find("compiler") != std::string::npos, i == 1) << d.why_not;
            EXPECT_EQ(d.why_not.find("single bytes") != std::string::npos, i == 2) << d.why_not;
            i++;
        }
    }
    EXPECT_EQ(i, fake_opencl::platforms);
    EXPECT_EQ(best_device().str(), "opencl:3") << "the only GPU";
    EXPECT_EQ(Device::parse("opencl:5"), last);
    EXPECT_EQ(error_of([] { Device::parse("opencl:2"); }).fault(), Fault::device);
    EXPECT_EQ(error_of([] { Device::parse("opencl:6"); }).fault(), Fault::device);
    EXPECT_EQ(std::accumulate(record().contexts.begin(), record().contexts.end(), 0), 0) << "listing takes no context";
}

// Before the others that run something: only a process's first call builds the kernels.
TEST_F(OpenClDriver, BuffersAreKeptForTheNextCall) {
    ASSERT_TRUE(any.op);
    const fake_opencl::Record before = record();
    Statistics once, again;
    any.run(last, &once);
    const size_t made = record().buffer_bytes.size();
    EXPECT_EQ(once.counters.allocations, made - before.buffer_bytes.size());
    EXPECT_GT(once.counters.allocations, 0u);
    EXPECT_GT(once.counters.modules, 0u);
    any.run(last, &again);
    EXPECT_EQ(record().buffer_bytes.size(), made);
    EXPECT_EQ(again.counters.allocations, 0u);
    EXPECT_EQ(again.counters.modules, 0u);
    EXPECT_EQ(again.counters.copies_to_device, 0u);
    EXPECT_EQ(record().buffers_released, before.buffers_released);
    for (size_t bytes : record().buffer_bytes) {
        EXPECT_EQ(bytes % 64, 0u);
    }
    driver::trim_opencl_pool();
    EXPECT_GT(record().buffers_released, before.buffers_released);
}

TEST_F(OpenClDriver, ThePlatformIsTheOneThatWasAskedFor) {
    ASSERT_TRUE(any.op);
    for (int index : {5, 0, 4}) {
        const fake_opencl::Record before = record();
        any.run({Backend::opencl, index}).sync();
        for (int p = 0; p < fake_opencl::platforms; p++) {
            EXPECT_EQ(record().kernels[p] > before.kernels[p], p == index) << p;
            EXPECT_EQ(record().writes[p] > before.writes[p], p == index) << p;
            EXPECT_EQ(record().builds[p], p == index ? std::max(before.builds[p], 1) : before.builds[p]) << p;
        }
        EXPECT_EQ(record().contexts[index], 1);
    }
}

TEST_F(OpenClDriver, BuffersOfOneDeviceAreNotGivenToAnother) {
    const fake_opencl::Record before = record();
    Array a(Type::u8, {501, 50}), b(Type::u8, {501, 50});
    a.sync(last);
    a = {};
    b.sync({Backend::opencl, 4});
    EXPECT_EQ(record().buffer_bytes.size() - before.buffer_bytes.size(), 2u);
    EXPECT_EQ(record().writes[4] - before.writes[4], 1);
}

TEST_F(OpenClDriver, ABufferIsNotGivenAwayWhileACropOfItLives) {
    prepare_halide();
    driver::Current current(last);
    DeviceBuffer whole(4096), crop(1024), other(4096);
    ASSERT_EQ(whole.make(), 0);
    ASSERT_EQ(halide_device_crop(nullptr, &whole.buffer, &crop.buffer), 0);
    ASSERT_EQ(halide_device_release_crop(nullptr, &crop.buffer), 0);
    ASSERT_EQ(other.make(), 0);
    EXPECT_NE(other.memory(), whole.memory());
    const uintptr_t memory = whole.memory();
    ASSERT_EQ(halide_device_free(nullptr, &whole.buffer), 0);
    DeviceBuffer next(4096);
    ASSERT_EQ(next.make(), 0);
    EXPECT_EQ(next.memory(), memory) << "nobody has it any more";
    halide_device_free(nullptr, &other.buffer);
    halide_device_free(nullptr, &next.buffer);
}

TEST(OpenClFaultDeathTest, NoDeviceMemoryIsAMemoryFault) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    setenv("TILEWRIGHT_FAULT", "device-memory", 1);
    EXPECT_EXIT(
        {
            const AnyOperator any(Backend::opencl);
            const Error error = error_of([&] { any.run(last); });
            exit(error.fault() == Fault::memory && std::string(error.what()).find("opencl:5") != std::string::npos ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
    unsetenv("TILEWRIGHT_FAULT");
}

}  // namespace tilewright
