// invert: every variant against the plain loop, and what the front chooses and refuses.
#include "tilewright/invert.h"
#include "tests/operators/variants.h"
#include "tilewright/alpha.h"
#include "tilewright/plain.h"
#include "tilewright/workload.h"
#include <array>

using namespace tilewright;

namespace {

void expect_negative(const Array &image, const Array &output) {
    ASSERT_EQ(difference(output, *plain_result(invert_operator(), {&image, 1}, {}), {}), "")
        << image.describe();
}

class InvertVariant : public VariantTest {};

TEST_P(InvertVariant, AgreesWithThePlainLoop) {
    const std::vector<std::vector<int64_t>> shapes = {{1, 1}, {1, 5}, {5, 1}, {8, 32}, {7, 31}, {9, 33},
        {64, 64}, {63, 65}, {127, 1}, {211, 97}, {2049, 4097}, {3, 100003}, {1000003, 3}, {33, 21, 3},
        {17, 19, 4}};
    for (const auto &shape : shapes) {
        const Array image = random_array(variant().type == "u8" ? Type::u8 : Type::u16, shape);
        Array output;
        if (run({image}, output)) {
            expect_negative(image, output);
        }
    }
    EXPECT_GT(served(), 0);
}

// Rows of 557 elements in memory of 559: the two between them are not part of the image.
template<typename T>
class Pitched {
public:
    Array image = random_array<T>({140, 561}, 2, 567 * sizeof(T)).crop(3, 2, 135, 557);
    Array output() {
        return Array::view(type_of_element<T>::value, memory_.data(), {135, 557}, {559, 1});
    }
    void expect_untouched() const {
        for (int64_t y = 0; y + 1 < 135; y++) {
            EXPECT_EQ(memory_[y * 559 + 557], 0xa5) << "between rows " << y << " and " << y + 1;
            EXPECT_EQ(memory_[y * 559 + 558], 0xa5) << "between rows " << y << " and " << y + 1;
        }
    }

private:
    std::vector<T> memory_ = std::vector<T>(135 * 559, 0xa5);
};

TEST_P(InvertVariant, TakesAndLeavesRowsOfAnyPitch) {
    const auto check = [&](auto pitched) {
        Array output = pitched.output();
        const bool is_served = run({pitched.image}, output);
        EXPECT_EQ(is_served, variant().schedule != "tuned_aligned");
        if (!is_served) {
            return;
        }
        output.sync();
        expect_negative(pitched.image, output);
        pitched.expect_untouched();
    };
    variant().type == "u8" ? check(Pitched<uint8_t>()) : check(Pitched<uint16_t>());
}

INSTANTIATE_TEST_SUITE_P(
    Variants, InvertVariant, testing::ValuesIn(variant_cases(invert_operator())), variant_case_name);

TEST(Invert, ChoosesAVariantByItself) {
    for (const Array &image : {random_array<uint8_t>({123, 45}), random_array<uint16_t>({123, 45, 3})}) {
        Array output;
        invert(image, output, {.device = Device{}});
        expect_negative(image, output);
    }
}

// Values by hand, because the plain loop and the definition could both be wrong.
TEST(Invert, IsTheGreatestValueMinusEach) {
    Array bytes(Type::u8, {1, 3}), words(Type::u16, {1, 3}), output;
    std::copy_n(std::array<uint8_t, 3>{0, 1, 255}.data(), 3, bytes.as<uint8_t>());
    std::copy_n(std::array<uint16_t, 3>{0, 256, 65535}.data(), 3, words.as<uint16_t>());
    invert(bytes, output, {.device = Device{}});
    for (const auto &[x, value] : {std::pair(0, 255), {1, 254}, {2, 0}}) {
        EXPECT_EQ(output.at<uint8_t>({0, x}), value);
    }
    output = {};
    invert(words, output, {.device = Device{}});
    for (const auto &[x, value] : {std::pair(0, 65535), {1, 65279}, {2, 0}}) {
        EXPECT_EQ(output.at<uint16_t>({0, x}), value);
    }
}

template<typename T>
void expect_alpha_taken(int64_t channels) {
    const Array colours = random_array<T>({7, 9, channels}, 1), image = random_array<T>({7, 9, channels}, 2);
    const Array taken = with_alpha_of(colours, image);
    for (int64_t y = 0; y < 7; y++) {
        for (int64_t x = 0; x < 9; x++) {
            for (int64_t c = 0; c < channels; c++) {
                const Array &from = c + 1 == channels ? image : colours;
                ASSERT_EQ(taken.at<T>({y, x, c}), from.at<T>({y, x, c})) << y << ", " << x << ", " << c;
            }
        }
    }
}

TEST(Invert, ANegativeCanHaveTheAlphaOfItsImage) {
    for (const int64_t channels : {2, 4}) {
        expect_alpha_taken<uint8_t>(channels);
        expect_alpha_taken<uint16_t>(channels);
        expect_alpha_taken<float>(channels);
    }
    const Array image(Type::u8, {4, 5, 4});
    for (const Array &colours : {Array(), Array(Type::u16, {4, 5, 4}), Array(Type::u8, {4, 5, 2})}) {
        EXPECT_EQ(error_of([&] { with_alpha_of(colours, image); }).fault(), Fault::input);
    }
    for (const Array &other : {Array(), Array(Type::u8, {4, 5, 3}), Array(Type::i32, {4, 5, 4})}) {
        EXPECT_EQ(error_of([&] { with_alpha_of(other, other); }).fault(), Fault::input);
    }
}

// Padded rows of one element would take up to 64 times the memory, and most of the time of a call.
TEST(Invert, MakesOneColumnDense) {
    const Array image = random_array<uint8_t>({300, 1});
    Array output;
    invert(image, output, {.device = Device{}});
    EXPECT_EQ(output.strides()[0], 1);
    expect_negative(image, output);
}

TEST(Invert, RefusesOtherTypes) {
    Array output;
    const Error error = error_of([&] { invert(Array(Type::f32, {4, 4}), output); });
    EXPECT_EQ(error.fault(), Fault::input);
    EXPECT_EQ(error.context().operation, "invert");
    EXPECT_EQ(error.context().value, "f32 (4, 4)");
}

}  // namespace
