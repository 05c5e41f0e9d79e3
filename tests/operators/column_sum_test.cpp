// column_sum: every variant against the plain loop, at sizes around the tiles and at the largest sums; and
// the front: its choice of variants, its output types, and what it refuses.
#include "tilewright/column_sum.h"
#include "tests/operators/sums.h"

namespace tilewright {
namespace {

constexpr int summed_axis = 0;

class ColumnSumVariant : public SumRowTest {};

TEST_P(ColumnSumVariant, AgreesWithThePlainLoopAtEverySize) {
    check_sizes(summed_axis);
}

TEST_P(ColumnSumVariant, ServesCrops) {
    check_crops(summed_axis);
}

TEST_P(ColumnSumVariant, ServesMemoryOfTheCaller) {
    check_views(summed_axis);
}

// The largest integers; numbers that are not finite.
TEST_P(ColumnSumVariant, HoldsExtremes) {
    check_extremes(summed_axis);
}

TEST_P(ColumnSumVariant, GivesTheSameBytesEachTime) {
    check_repeats(summed_axis);
}

INSTANTIATE_TEST_SUITE_P(
    Variants, ColumnSumVariant, testing::ValuesIn(variant_cases(column_sum_operator())), variant_case_name);

// Whatever the size, `tuned` finds a variant of its family.
TEST(ColumnSum, TunedServesEverySizeOnEveryDevice) {
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
                    expect_sums(image, column_sum(image, Type::f32, {.device = d.device}), summed_axis,
                        d.device.str());
                    expect_sums(image, column_sum(image, {.device = d.device}), summed_axis, d.device.str());
                }
            }
        }
    }
}

TEST(ColumnSum, TakesTheTypeOfTheOutputThatItIsGiven) {
    const Array image = random_array<uint8_t>({4, 6});
    Array floats(Type::f32, {6}), none;
    column_sum(image, floats, {.device = Device{}});
    column_sum(image, none, {.device = Device{}});
    EXPECT_EQ(floats.type(), Type::f32);
    EXPECT_EQ(none.type(), Type::u32);
    expect_sums(image, floats, summed_axis, "floats");
    expect_sums(image, none, summed_axis, "integers");
}

TEST(ColumnSum, LongSumsAreExactOrRefused) {
    expect_long_sums(column_sum_operator(), summed_axis);
}

TEST(ColumnSum, ShortSumsHaveEveryType) {
    expect_sums_of_every_type(column_sum_operator(), summed_axis);
}

TEST(ColumnSum, ColoursAreSummedByChannel) {
    expect_sums_of_channels(column_sum_operator(), summed_axis);
}

TEST(ColumnSum, PlainSumsDoNotWrap) {
    expect_plain_sums_to_be_exact(summed_axis);
}

TEST(ColumnSum, LongSumsReachWrappedMemory) {
    expect_long_sums_in_wrapped_memory(column_sum_operator(), summed_axis);
}

TEST(ColumnSum, RefusesWhatItDoesNotTake) {
    expect_refusals(
        column_sum_operator(), [](const Array &image, Type output) { column_sum(image, output); });
}

}  // namespace
}  // namespace tilewright
