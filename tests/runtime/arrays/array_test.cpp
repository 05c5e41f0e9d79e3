// Arrays: their memory, what they refuse, views, crops and overlap.
#include "tilewright/array.h"
#include "tests/support/arrays.h"
#include "tests/support/errors.h"
#include "tests/support/operators.h"
#include <array>
#include <climits>
#include <cmath>
#include <limits>
#include <span>

namespace tilewright {

TEST(Array, OwnsZeroedAlignedMemoryWithPaddedRows) {
    for (int64_t w : {1, 63, 64, 65, 1000}) {
        const Array array(Type::u16, {5, w});
        EXPECT_EQ(array.strides()[0] * 2 % 64, 0);
        EXPECT_LT(array.strides()[0] * 2 - w * 2, 64);
        EXPECT_EQ((uintptr_t)array.data() % 128, 0u);
        EXPECT_EQ(array.size(), 5 * w);
        for (int64_t y = 0; y < 5; y++) {
            EXPECT_EQ(array.at<uint16_t>({y, w - 1}), 0);
        }
    }
    EXPECT_EQ(Array(Type::u8, {5, 7, 3}, 0).strides(), (std::vector<int64_t>{21, 3, 1}));
    EXPECT_EQ(Array(Type::f32, {5, 7}, 40).strides(), (std::vector<int64_t>{10, 1}));
    EXPECT_EQ(Array(Type::f64, {9}).strides(), (std::vector<int64_t>{1}));
    EXPECT_TRUE(Array().empty());
    EXPECT_EQ(Array().size(), 0);
    EXPECT_EQ(Array().data(), nullptr);
    EXPECT_EQ(Array(Type::u8, {5, 7, 3}).describe(), "u8 (5, 7, 3)");
}

TEST(Array, RefusesShapesThatAreNone) {
    const std::vector<std::vector<int64_t>> wrong = {
        {}, {0}, {3, 0}, {-1, 4}, {1, 1, 1, 1, 1, 1, 1, 1, 1}, {int64_t(1) << 31}, {INT64_MAX, INT64_MAX}};
    for (const auto &shape : wrong) {
        const Error error = error_of([&] { Array(Type::u8, shape); });
        EXPECT_EQ(error.fault(), Fault::usage);
        EXPECT_EQ(error.context().argument, "shape");
    }
    EXPECT_EQ(error_of([] { Array(Type::f32, {4, 4}, 15); }).fault(), Fault::usage) << "less than a row";
    EXPECT_EQ(error_of([] { Array(Type::f32, {4, 4}, 18); }).fault(), Fault::usage) << "half an element";
    EXPECT_EQ(error_of([] { Array(Type::u8, {4, 4}, -7); }).fault(), Fault::usage);
}

TEST(Array, MoreThanMemoryIsAMemoryFault) {
    EXPECT_EQ(error_of([] { Array(Type::f64, {INT32_MAX, INT32_MAX / 8}); }).fault(), Fault::memory);
    EXPECT_EQ(error_of([] { Array(Type::u8, {INT32_MAX, INT32_MAX, 2}); }).fault(), Fault::memory);
    EXPECT_EQ(error_of([] { Array(Type::f64, {INT32_MAX, INT32_MAX}); }).fault(), Fault::memory)
        << "bytes whose number overflows";
    EXPECT_EQ(error_of([] { Array(Type::u8, {100, 4}, int64_t(1) << 61); }).fault(), Fault::memory)
        << "rows whose product overflows";
}

TEST(Array, ElementsAreReadAsWhatTheyAre) {
    Array array(Type::f32, {2, 3});
    array.as<float>()[array.strides()[0] + 2] = 1.5f;
    EXPECT_EQ(array.at<float>({1, 2}), 1.5f);
    EXPECT_EQ(error_of([&] { array.as<uint8_t>(); }).fault(), Fault::usage);
    EXPECT_EQ(error_of([&] { array.at<double>({0, 0}); }).fault(), Fault::usage);
    for (const std::vector<int64_t> &index :
        std::vector<std::vector<int64_t>>{{2, 0}, {0, 3}, {-1, 0}, {0}, {0, 0, 0}}) {
        EXPECT_EQ(error_of([&] { array.at<float>(index); }).fault(), Fault::usage);
    }
}

TEST(Array, CopiesShareAndClonesDoNot) {
    Array array = random_array<uint8_t>({4, 9});
    Array copy = array, clone = array.clone(0);
    copy.as<uint8_t>()[0] = 77;
    EXPECT_EQ(array.at<uint8_t>({0, 0}), 77);
    EXPECT_NE(clone.at<uint8_t>({0, 0}), 77);
    EXPECT_EQ(clone.strides(), (std::vector<int64_t>{9, 1}));
    for (int64_t i = 1; i < 36; i++) {
        EXPECT_EQ(clone.at<uint8_t>({i / 9, i % 9}), array.at<uint8_t>({i / 9, i % 9}));
    }
}

TEST(Array, ViewsSeeTheCallersMemory) {
    std::vector<uint16_t> memory(40, 1);
    Array view = Array::view(Type::u16, memory.data(), {4, 7}, {10, 1});
    view.as<uint16_t>()[1 * 10 + 6] = 9;
    EXPECT_EQ(memory[16], 9);
    EXPECT_EQ(view.at<uint16_t>({1, 6}), 9);
    EXPECT_EQ(view.data(), memory.data());
    EXPECT_EQ(Array::view(Type::u16, memory.data(), {4, 10}).strides(), (std::vector<int64_t>{10, 1}));
    EXPECT_EQ(Array::view(Type::u16, memory.data(), {2, 3, 4}, {20, 4, 1}).at<uint16_t>({1, 2, 3}), 1);
}

TEST(Array, ViewsOfWhatCannotBeAreRefused) {
    std::vector<uint8_t> memory(64);
    auto fault = [&](Type type, void *data, std::vector<int64_t> shape, std::vector<int64_t> strides) {
        return error_of([&] { Array::view(type, data, shape, strides); }).fault();
    };
    EXPECT_EQ(fault(Type::u8, nullptr, {4}, {}), Fault::usage);
    EXPECT_EQ(fault(Type::u8, memory.data(), {0, 4}, {}), Fault::usage);
    EXPECT_EQ(fault(Type::u8, memory.data(), {4, 4}, {4}), Fault::usage) << "one stride an axis";
    EXPECT_EQ(fault(Type::u8, memory.data(), {4, 4}, {3, 1}), Fault::usage) << "rows over each other";
    EXPECT_EQ(fault(Type::u8, memory.data(), {4, 4}, {-4, 1}), Fault::usage) << "upside down";
    EXPECT_EQ(fault(Type::u8, memory.data(), {4, 4}, {8, 2}), Fault::usage) << "gaps between elements";
    EXPECT_EQ(fault(Type::u8, memory.data(), {2, 3, 3}, {32, 4, 1}), Fault::usage) << "gaps between pixels";
    EXPECT_EQ(fault(Type::f32, memory.data() + 1, {4}, {}), Fault::usage) << "an address that no float has";
    EXPECT_EQ(fault(Type::u8, memory.data(), {4, 4}, {INT64_MAX / 2, 1}), Fault::usage)
        << "beyond any memory";
}

TEST(Array, ViewsOfSpansHaveTheirType) {
    std::vector<float> memory(40, 1);
    Array view = Array::view(std::span(memory), {4, 7}, {10, 1});
    EXPECT_EQ(view.describe(), "f32 (4, 7)");
    view.as<float>()[1 * 10 + 6] = 9;
    EXPECT_EQ(memory[16], 9);
    EXPECT_EQ(Array::view(std::span(memory)).describe(), "f32 (40)");
    EXPECT_EQ(Array::view(std::span(memory).first<12>(), {3, 4}).describe(), "f32 (3, 4)");
    EXPECT_EQ(Array::view(std::span(memory).first(37), {4, 7}, {10, 1}).data(), memory.data());
    for (const size_t elements : {0, 36}) {
        const Error error =
            error_of([&] { Array::view(std::span(memory).first(elements), {4, 7}, {10, 1}); });
        EXPECT_EQ(error.fault(), Fault::usage);
    }
    EXPECT_NE(std::string(error_of([&] { Array::view(std::span(memory), {5, 9}); }).what())
                  .find("f32 (5, 9) needs 45 elements, and the span has 40"),
        std::string::npos);
    EXPECT_NE(std::string(error_of([&] { Array::view(Type::f32, memory.data(), {}); }).what()).find("f32 ()"),
        std::string::npos)
        << "a pointer does not say how many elements there are";
}

TEST(Array, ViewsOfConstMemoryAreReadAndNotWritten) {
    const std::vector<uint8_t> memory(60 * 80, 7);
    const Array view = Array::view(std::span(memory), {60, 80});
    EXPECT_EQ(view.data(), memory.data());
    EXPECT_EQ(view.clone().crop(1, 2, 1, 1).at<uint8_t>({0, 0}), 7);
    Array other = Array::view(Type::u8, (const void *)memory.data(), {60, 80});
    for (Array array : {view, other, other.crop(1, 1, 60 - 1, 80 - 1)}) {
        const Error error = error_of([&] { array.data(); });
        EXPECT_EQ(error.fault(), Fault::usage);
        EXPECT_NE(std::string(error.what()).find("a view of const memory"), std::string::npos)
            << error.what();
    }
    const Operator *invert = built_operator("invert");
    if (!invert) {
        GTEST_SKIP() << "this build has no operator invert";
    }
    for (const Device &device : usable_devices()) {
        if (invert->variants("tuned", device.backend).empty()) {
            continue;
        }
        Array output;
        (*invert)({&view, 1}, output, {}, {.device = device});
        EXPECT_EQ(output.at<uint8_t>({59, 79}), 255 - 7) << device.str();
        const Error error = error_of([&] { (*invert)({&output, 1}, other, {}, {.device = device}); });
        EXPECT_EQ(error.fault(), Fault::usage);
        EXPECT_NE(std::string(error.what()).find("array: it is a view of const memory"), std::string::npos)
            << error.what();
        EXPECT_EQ(memory, std::vector<uint8_t>(60 * 80, 7)) << device.str();
    }
}

TEST(Array, CropsShareTheElements) {
    Array array = random_array<uint8_t>({10, 20, 3});
    Array crop = array.crop(2, 5, 3, 4);
    EXPECT_EQ(crop.shape(), (std::vector<int64_t>{3, 4, 3}));
    EXPECT_EQ(crop.at<uint8_t>({1, 2, 1}), array.at<uint8_t>({3, 7, 1}));
    crop.crop(1, 1, 1, 1).as<uint8_t>()[0] = 200;
    EXPECT_EQ(array.at<uint8_t>({3, 6, 0}), 200);
    for (const auto &[y, x, h, w] : std::vector<std::array<int64_t, 4>>{{-1, 0, 1, 1}, {0, -1, 1, 1},
             {0, 0, 0, 1}, {0, 0, 1, 0}, {8, 0, 3, 1}, {0, 18, 1, 3}, {1, 1, INT64_MAX, INT64_MAX}}) {
        EXPECT_EQ(
            error_of([&, y = y, x = x, h = h, w = w] { array.crop(y, x, h, w); }).fault(), Fault::usage);
    }
    EXPECT_EQ(error_of([] { Array(Type::u8, {9}).crop(0, 0, 1, 1); }).fault(), Fault::usage);
}

TEST(Array, OverlapIsAMatterOfBytes) {
    Array array(Type::u8, {20, 40});
    EXPECT_TRUE(array.overlaps(array));
    EXPECT_TRUE(array.crop(0, 0, 10, 10).overlaps(array.crop(9, 9, 3, 3)));
    EXPECT_FALSE(array.crop(0, 0, 10, 10).overlaps(array.crop(0, 10, 10, 10))) << "side by side";
    EXPECT_FALSE(array.crop(0, 10, 10, 10).overlaps(array.crop(0, 0, 10, 10)));
    EXPECT_FALSE(array.crop(0, 0, 10, 40).overlaps(array.crop(10, 0, 10, 40))) << "above each other";
    EXPECT_FALSE(array.overlaps(Array(Type::u8, {20, 40})));
    EXPECT_FALSE(array.overlaps(Array()));
    std::vector<float> memory(100);
    const Array a = Array::view(Type::f32, memory.data(), {6, 10}),
                b = Array::view(Type::f32, memory.data() + 50, {5, 10});
    EXPECT_TRUE(a.overlaps(b)) << "two views of one memory";
    EXPECT_FALSE(a.overlaps(Array::view(Type::f32, memory.data() + 60, {4, 10})));
}

// Every number comes back from f32, and each f32 becomes the nearest number; `infinity`: its bits.
template<typename Half>
void expect_rounding(uint16_t infinity) {
    const auto number = [](uint32_t bits) {
        Half half;
        half.bits = (uint16_t)bits;
        return (float)half;
    };
    for (uint32_t bits = 0; bits < infinity; bits++) {
        ASSERT_EQ(Half(number(bits)).bits, bits);
        ASSERT_EQ(Half(-number(bits)).bits, bits | 0x8000);
        if (bits + 1 == infinity) {
            break;
        }
        const float middle = number(bits) / 2 + number(bits + 1) / 2;
        ASSERT_EQ(Half(middle).bits, bits + bits % 2) << "of two that are as near, the even one";
        ASSERT_EQ(Half(std::nextafter(middle, 0.0f)).bits, bits);
        ASSERT_EQ(Half(std::nextafter(middle, INFINITY)).bits, bits + 1);
    }
    EXPECT_EQ(number(infinity), INFINITY);
    EXPECT_EQ(Half(INFINITY).bits, infinity);
    EXPECT_EQ(Half(std::numeric_limits<float>::max()).bits, infinity);
    EXPECT_TRUE(std::isnan((float)Half(NAN)) && std::isnan(number(infinity + 1u)));
}

TEST(Array, FloatsOfSixteenBitsRoundToTheNearestNumber) {
    expect_rounding<Float16>(0x7c00);
    expect_rounding<BFloat16>(0x7f80);
    EXPECT_EQ((float)Float16(65519.996f), 65504.0f);
    EXPECT_EQ((float)Float16(65520.0f), INFINITY);
    EXPECT_EQ(Array(Type::f16, {2, 2}).at<Float16>({1, 1}), 0.0f);
    EXPECT_EQ(Array(Type::bf16, {3}).describe(), "bf16 (3)");
}

}  // namespace tilewright
