// Prepared calls and calls like earlier ones, against the fake libOpenCL.so.1: what they hold, and what they
// do where the driver refuses.
#include "runtime/arrays/storage.h"
#include "runtime/devices/memory/memory_pool.h"
#include "tests/runtime/drivers/fakes/fakes.h"
#include "tests/support/counted_form.h"
#include "tests/support/errors.h"
#include "tests/support/operators.h"
#include "tilewright/prepared.h"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

namespace tilewright {

namespace {

using fake_opencl::record;
using fake_opencl::requests;

const Device fifth{Backend::opencl, 5};

class OpenClPrepared : public testing::Test {
protected:
    void SetUp() override {
        devices(Backend::opencl);
        if (!fft || !recursive || !invert) {
            GTEST_SKIP() << "not run here: fft2d, recursive_gaussian and invert were not all built";
        }
    }
    void TearDown() override {
        EXPECT_EQ(record().wrong, 0);
    }
    const Operator *const fft = built_operator("fft2d"), *const invert = built_operator("invert"),
                          *const recursive = built_operator("recursive_gaussian");
    const Array field{Type::c64, {64, 64}}, image{Type::f32, {300, 300}};
    const Settings sigma{{"sigma", 5.0}};
};

int kernels_held() {
    return record().kernels_created - record().kernels_released;
}

// What a call sets and launches.
struct Launched {
    int kernels;
    std::vector<std::string> arguments;

    // Numbers of kernels that are started again are not set.
    bool has_buffers_alone() const {
        return !arguments.empty() &&
               std::ranges::all_of(arguments, [](const std::string &a) { return a.size() == 8; });
    }
    // Some buffer begins with the bytes, of which there are 64. Handles of the fake driver are addresses.
    bool begins_with(const void *bytes) const {
        return std::ranges::any_of(arguments, [&](const std::string &argument) {
            uintptr_t memory = 0;
            memcpy(&memory, argument.data(), std::min(sizeof memory, argument.size()));
            return argument.size() == 8 && memcmp(reinterpret_cast<const void *>(memory), bytes, 64) == 0;
        });
    }
    bool has(uint64_t handle) const {
        const std::string bytes(reinterpret_cast<const char *>(&handle), sizeof handle);
        return std::ranges::count(arguments, bytes) > 0;
    }
};
template<typename Call>
Launched launched(const Call &call) {
    const fake_opencl::Record before = record();
    call();
    Launched made{record().kernels[5] - before.kernels[5], {}};
    for (size_t i = before.arguments.size(); i < record().arguments.size(); i++) {
        made.arguments.push_back(record().arguments[i].second);
    }
    return made;
}

}  // namespace

// The kernels and the memory are those of calls before, which get them from the prepared call.
TEST_F(OpenClPrepared, AllIsGivenBack) {
    const auto call = [&] {
        Array output;
        (*recursive)({&image, 1}, output, sigma, {.device = fifth});
    };
    call();
    const int kernels = kernels_held();
    const size_t taken = driver::opencl_memory().use().taken;
    {
        Array output;
        Prepared prepared = recursive->prepare({&image, 1}, output, sigma, {.device = fifth});
        EXPECT_TRUE(launched([&] { prepared(); }).has_buffers_alone());
        EXPECT_GT(driver::opencl_memory().use().taken, taken + output.storage()->bytes())
            << "the output, and what is between the kernels";
    }
    EXPECT_EQ(driver::opencl_memory().use().taken, taken);
    EXPECT_LT(kernels_held(), kernels) << "it had some of them";
    call();
    EXPECT_EQ(kernels_held(), kernels);
    EXPECT_EQ(driver::opencl_memory().use().taken, taken);
}

TEST_F(OpenClPrepared, AKernelThatIsRefusedIsOneError) {
    Array output;
    const auto like_before = [&] { (*fft)({&field, 1}, output, {}, {.device = fifth}); };
    const Launched first = launched(like_before);
    ASSERT_GE(first.kernels, 2);
    Prepared prepared = fft->prepare({&field, 1}, output, {}, {.device = fifth});
    const auto expect_one_error = [&](const auto &call) {
        ASSERT_TRUE(launched(call).has_buffers_alone());
        const size_t taken = driver::opencl_memory().use().taken;
        requests().refuse_once(2, 0);
        const Launched part = launched(
            [&] { expect_error(Fault::device, "the kernels cannot be launched: OpenCL error -5", call); });
        EXPECT_EQ(part.kernels, 1);
        EXPECT_EQ(driver::opencl_memory().use().taken, taken);
        EXPECT_EQ(launched(call).kernels, first.kernels);
    };
    expect_one_error([&] { prepared(); });
    like_before();
    like_before();
    expect_one_error(like_before);
}

// Between calls other calls get the memory in which the kernels work. A call that then gets none is planned
// again, as if it were the first.
TEST_F(OpenClPrepared, MemoryThatIsRefusedIsNoWrongResult) {
    Array output(Type::f32, {300, 300});
    const auto call = [&] { (*recursive)({&image, 1}, output, sigma, {.device = fifth}); };
    const Launched first = launched(call);
    for (const bool always : {false, true}) {
        call();
        call();
        ASSERT_TRUE(launched(call).has_buffers_alone());
        driver::opencl_memory().free_all();
        requests().refuse_memory(always);
        requests().refuse_once(0, always ? 0 : 1);
        if (always) {
            expect_error(Fault::memory, "out of memory", call);
        } else {
            const Launched without = launched(call);
            EXPECT_EQ(without.kernels, first.kernels);
            EXPECT_FALSE(without.has_buffers_alone()) << "the libraries start them";
        }
        requests().refuse_memory(false);
        EXPECT_EQ(launched(call).kernels, first.kernels);
    }
}

// Kernels get no address inside of a buffer: the plan makes a copy of the part.
TEST_F(OpenClPrepared, APartOfAnArrayRunsByThePlan) {
    static constexpr CountedForm form("invert");
    static const ImageOperator counted("invert", "a test's", invert->variants(), {&form});
    Array whole(Type::u8, {256, 256}), output;
    whole.as<uint8_t>()[128 * 256 + 64] = 1;
    const Array first = whole.crop(0, 0, 64, 64), other = whole.crop(128, 64, 64, 64);
    Prepared prepared = counted.prepare({&first, 1}, output, {}, {.device = fifth});
    const Launched at_begin = launched([&] { prepared(); });
    const uint64_t handle = whole.storage()->device_memory();
    EXPECT_TRUE(at_begin.has_buffers_alone() && at_begin.has(handle));
    const auto expect_copy = [&](const auto &call) {
        const Launched there = launched(call);
        EXPECT_EQ(there.kernels, at_begin.kernels);
        EXPECT_TRUE(there.begins_with(other.clone().data()));
        EXPECT_FALSE(there.has(handle + (uint64_t)other.offset_bytes())) << "that is no handle";
    };
    const int plans = CountedForm::planned;
    expect_copy([&] { prepared({&other, 1}, output); });
    EXPECT_TRUE(launched([&] { prepared({&first, 1}, output); }).has_buffers_alone());
    EXPECT_EQ(CountedForm::planned, plans);
    const auto call = [&](const Array &part) { counted({&part, 1}, output, {}, {.device = fifth}); };
    for (const Array &part : {first, first, other, first}) {  // the last one is recorded
        call(part);
    }
    EXPECT_TRUE(launched([&] { call(first); }).has_buffers_alone());
    expect_copy([&] { call(other); });
}

}  // namespace tilewright
