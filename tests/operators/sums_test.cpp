// column_sum where TILEWRIGHT_SUMMED_AXIS is 0, row_sum where it is 1 (tests/CMakeLists.txt compiles this
// file for both): every variant against the plain loop, at sizes around the tiles and at the largest sums;
// and the front: its choice of variants, its output types, and what it refuses.
#include "tests/operators/sums.h"
#include "tilewright/column_sum.h"
#include "tilewright/row_sum.h"

namespace tilewright {
namespace {

constexpr int summed_axis = TILEWRIGHT_SUMMED_AXIS;

// The public function, whose three forms take different arguments.
template<typename... Given>
auto sum(Given &&...given) {
    if constexpr (summed_axis == 0) {
        return column_sum(std::forward<Given>(given)...);
    } else {
        return row_sum(std::forward<Given>(given)...);
    }
}

const Operator &sum_operator() {
#if TILEWRIGHT_SUMMED_AXIS == 0  // a test program has the library of one of the two operators
    return column_sum_operator();
#else
    return row_sum_operator();
#endif
}

class SumVariant : public SumVariantTest {};

TEST_P(SumVariant, AgreesWithThePlainLoopAtEverySize) {
    check_sizes(summed_axis);
}

TEST_P(SumVariant, ServesCrops) {
    check_crops(summed_axis);
}

TEST_P(SumVariant, ServesMemoryOfTheCaller) {
    check_views(summed_axis);
}

// The largest integers; numbers that are not finite.
TEST_P(SumVariant, HoldsExtremes) {
    check_extremes(summed_axis);
}

TEST_P(SumVariant, GivesTheSameBytesEachTime) {
    check_repeats_of_sizes(summed_axis);
}

INSTANTIATE_TEST_SUITE_P(
    Variants, SumVariant, testing::ValuesIn(variant_cases(sum_operator())), variant_case_name);

// Whatever the size, `tuned` finds a variant of its family.
TEST(Sum, TunedServesEverySizeOnEveryDevice) {
    for (const DeviceInfo &d : devices()) {
        if (!d.usable) {
            continue;
        }
        for (const auto &[h, w] : {std::pair<int64_t, int64_t>{1, 1}, {1, 40000}, {40000, 1}, {63, 7},
                 {64, 64}, {127, 3000}, {128, 40000}, {3000, 100}}) {
            for (int64_t row_bytes : {Array::padded, (int64_t)0}) {
                const Array bytes = random_array<uint8_t>({h, w}, 3, row_bytes),
                            halves = random_array<uint16_t>({h, w}, 3, row_bytes),
                            floats = random_array<float>({h, w}, 3, row_bytes);
                for (const Array &image : {bytes, halves, floats}) {
                    const Call call{.device = d.device};
                    expect_sums(image, sum(image, Type::f32, call), summed_axis, d.device.str());
                    expect_sums(image, sum(image, call), summed_axis, d.device.str());
                }
            }
        }
    }
}

TEST(Sum, TakesTheTypeOfTheOutputThatItIsGiven) {
    const Array image = random_array<uint8_t>({4, 6});
    Array floats(Type::f32, {image.shape()[1 - summed_axis]}), none;
    const Call call{.device = Device{}};
    sum(image, floats, call);
    sum(image, none, call);
    EXPECT_EQ(floats.type(), Type::f32);
    EXPECT_EQ(none.type(), Type::u32);
    expect_sums(image, floats, summed_axis, "floats");
    expect_sums(image, none, summed_axis, "integers");
}

TEST(Sum, LongSumsAreExactOrRefused) {
    expect_long_sums(sum_operator(), summed_axis);
}

TEST(Sum, ShortSumsHaveEveryType) {
    expect_sums_of_every_type(sum_operator(), summed_axis);
}

TEST(Sum, ColoursAreSummedByChannel) {
    expect_sums_of_channels(sum_operator(), summed_axis);
}

TEST(Sum, PlainSumsDoNotWrap) {
    expect_plain_sums_to_be_exact(summed_axis);
}

TEST(Sum, LongSumsReachWrappedMemory) {
    expect_long_sums_in_wrapped_memory(sum_operator(), summed_axis);
}

TEST(Sum, RefusesWhatItDoesNotTake) {
    expect_refusals(sum_operator(), [](const Array &image, Type output) { sum(image, output); });
}

}  // namespace
}  // namespace tilewright
