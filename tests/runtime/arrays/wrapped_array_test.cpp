// Arrays on memory of a device that another library owns (Array::wrap). An array of our own stands for it:
// the OpenCL buffer behind it is wrapped.
#include "tests/support/arrays.h"
#include "tests/support/errors.h"
#include "tests/support/operators.h"
#include "tilewright/stream.h"
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <utility>

namespace tilewright {

namespace {

class WrappedArray : public testing::Test {
protected:
    void SetUp() override {
        std::string why_not;
        const auto found = usable_device(Backend::opencl, why_not);
        if (!op_ || !found || op_->variants("tuned", Backend::opencl).empty()) {
            GTEST_SKIP() << "not run here: " << (op_ ? why_not : "invert was not built");
        }
        opencl_ = found->device;
        source_ = on_device(1);
        target_ = on_device(2);
    }

    // An array whose newest elements are on the device, because a call wrote them there.
    Array on_device(unsigned seed) {
        const Array image = random_array<uint8_t>({h, w}, seed, w);
        Array output(Type::u8, {h, w}, w);
        (*op_)({&image, 1}, output, {}, {.device = opencl_});
        return output;
    }

    Array wrapped(const Array &owner, std::shared_ptr<const void> keep = {}) {
        return Array::wrap(Type::u8, opencl_, owner.device_memory(), {h, w}, {}, std::move(keep));
    }

    static constexpr int64_t h = 64, w = 96;
    const Operator *op_ = built_operator("invert");
    Device opencl_;
    Array source_, target_;
};

}  // namespace

TEST_F(WrappedArray, CallsUseTheMemoryInPlace) {
    const Array input = wrapped(source_);
    Array output = wrapped(target_);
    EXPECT_TRUE(input.is_wrapped());
    EXPECT_EQ(input.newest_on(), opencl_);
    const Counters before = counters();
    (*op_)({&input, 1}, output, {}, {.device = opencl_});
    const Counters after = counters();
    EXPECT_EQ(after.bytes_to_device, before.bytes_to_device);
    EXPECT_EQ(after.bytes_to_host, before.bytes_to_host);
    const uint8_t *in = source_.as<uint8_t>();  // the owner brings its own copy up to date
    const uint8_t *out = std::as_const(output).as<uint8_t>();
    for (int64_t i = 0; i < h * w; i++) {
        ASSERT_EQ(out[i], 255 - in[i]) << i;
    }
}

TEST_F(WrappedArray, TheHostReadsWhatIsThereNow) {
    const Array view = wrapped(source_);
    const uint8_t before = view.as<uint8_t>()[5];
    Array output = wrapped(source_);
    const Array other = wrapped(target_);
    (*op_)({&other, 1}, output, {}, {.device = opencl_});
    EXPECT_EQ(view.as<uint8_t>()[5], 255 - std::as_const(target_).as<uint8_t>()[5]);
    EXPECT_NE(view.as<uint8_t>()[5], before);  // two random images
    EXPECT_EQ(view.newest_on(), opencl_);
}

TEST_F(WrappedArray, CallsOnTheCpuReadACopy) {
    const Array input = wrapped(source_);
    Array output;
    (*op_)({&input, 1}, output, {}, {.device = Device{}});
    EXPECT_EQ(output.as<uint8_t>()[7], 255 - std::as_const(source_).as<uint8_t>()[7]);
}

TEST_F(WrappedArray, MemoryIsComparedByItsBuffer) {
    EXPECT_TRUE(wrapped(source_).overlaps(wrapped(source_)));
    EXPECT_FALSE(wrapped(source_).overlaps(wrapped(target_)));
    EXPECT_FALSE(wrapped(source_).overlaps(target_));
    Array output = wrapped(source_);
    const Array input = wrapped(source_);
    expect_error(
        Fault::usage, "shares memory", [&] { (*op_)({&input, 1}, output, {}, {.device = opencl_}); });
}

TEST_F(WrappedArray, TheOwnerIsHeldAsLongAsAnArrayUsesIt) {
    auto owner = std::make_shared<int>(1);
    {
        const Array array = wrapped(source_, owner);
        const Array part = array.crop(3, 4, 5, 6);
        EXPECT_EQ(owner.use_count(), 2);
    }
    EXPECT_EQ(owner.use_count(), 1);
}

TEST_F(WrappedArray, WhatTheHostWouldHaveToWriteIsRefused) {
    Array output = wrapped(target_);
    expect_error(Fault::usage, "another library's memory", [&] { output.data(); });
    expect_error(Fault::usage, "another library's memory",
        [&] { (*op_)({&source_, 1}, output, {}, {.device = Device{}}); });
}

// The middle of a padded field is cut out by the host.
TEST_F(WrappedArray, WhatTheHostMakesOfAResultIsSentThere) {
    const Operator *fresnel = built_operator("fresnel");
    if (!fresnel || fresnel->variants("tuned", Backend::opencl).empty()) {
        GTEST_SKIP() << "not built";
    }
    const Array field = random_array<uint8_t>({20, 20}, 3, 64);
    const Settings settings{{"wavelength", 532e-9}, {"distance", 1e-3}, {"pitch", 8e-6},
        {"method", "convolution"}, {"pad", "yes"}};
    Array own;
    (*fresnel)({&field, 1}, own, settings, {.device = opencl_});
    Array output = Array::wrap(own.type(), opencl_, target_.device_memory(), own.shape());
    (*fresnel)({&field, 1}, output, settings, {.device = opencl_});
    const auto row_bytes = (size_t)own.shape()[1] * size_of(own.type());
    const auto row = [](const Array &array, int64_t y) {
        return static_cast<const std::byte *>(array.data()) +
               y * array.strides()[0] * (int64_t)size_of(array.type());
    };
    for (int64_t y = 0; y < own.shape()[0]; y++) {
        EXPECT_EQ(memcmp(row(own, y), row(std::as_const(output), y), row_bytes), 0) << y;
    }
}

TEST_F(WrappedArray, BadMemoryIsRefused) {
    const uint64_t memory = source_.device_memory();
    expect_error(Fault::usage, "view()", [&] { Array::wrap(Type::u8, Device{}, memory, {h, w}); });
    expect_error(Fault::usage, "strides", [&] { Array::wrap(Type::u8, opencl_, 0, {h, w}); });
    expect_error(Fault::usage, "strides", [&] { Array::wrap(Type::u8, opencl_, memory, {h, w}, {w, 2}); });
    expect_error(Fault::usage, "bytes", [&] { Array::wrap(Type::u8, opencl_, memory, {1 << 20, 1 << 10}); });
    const std::vector<uint64_t> words(8, 1);  // memory that is no object of a driver
    for (const uint64_t number :
        {(uint64_t)8, ~(uint64_t)7, (uint64_t)words.data(), memory + 1, memory + 8}) {
        expect_error(Fault::usage, "no cl_mem of", [&] { Array::wrap(Type::u8, opencl_, number, {h, w}); });
    }
}

TEST_F(WrappedArray, JoiningNoStreamDoesNothing) {
    const JoinedStream joined(opencl_, reinterpret_cast<void *>(1));
    const JoinedStream none(Device{}, nullptr);
}

}  // namespace tilewright
