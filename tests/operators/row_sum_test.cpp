// row_sum: every variant against the plain loop, at sizes around the tiles and at the largest sums; and the
// front: its choice of variants, its output types, and what it refuses.
#include "tilewright/row_sum.h"
#include "tests/operators/sums.h"

namespace tilewright {
namespace {

constexpr int summed_axis = 1;

class RowSumRow : public SumRowTest {};

TEST_P(RowSumRow, AgreesWithThePlainLoopAtEverySize) {
    check_sizes(summed_axis);
}

TEST_P(RowSumRow, ServesCrops) {
    check_crops(summed_axis);
}

TEST_P(RowSumRow, ServesMemoryOfTheCaller) {
    check_views(summed_axis);
}

// The largest integers; numbers that are not finite.
TEST_P(RowSumRow, HoldsExtremes) {
    check_extremes(summed_axis);
}

TEST_P(RowSumRow, GivesTheSameBytesEachTime) {
    check_repeats(summed_axis);
}

INSTANTIATE_TEST_SUITE_P(
    Variants, RowSumRow, testing::ValuesIn(variant_cases(row_sum_operator())), variant_case_name);

// Whatever the size, `tuned` finds a variant of its family.
TEST(RowSum, TunedServesEverySizeOnEveryDevice) {
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
                    expect_sums(
                        image, row_sum(image, Type::f32, {.device = d.device}), summed_axis, d.device.str());
                    expect_sums(image, row_sum(image, {.device = d.device}), summed_axis, d.device.str());
                }
            }
        }
    }
}

TEST(RowSum, TakesTheTypeOfTheOutputThatItIsGiven) {
    const Array image = random_array<uint8_t>({4, 6});
    Array floats(Type::f32, {4}), none;
    row_sum(image, floats, {.device = Device{}});
    row_sum(image, none, {.device = Device{}});
    EXPECT_EQ(floats.type(), Type::f32);
    EXPECT_EQ(none.type(), Type::u32);
    expect_sums(image, floats, summed_axis, "floats");
    expect_sums(image, none, summed_axis, "integers");
}

TEST(RowSum, LongSumsAreExactOrRefused) {
    expect_long_sums(row_sum_operator(), summed_axis);
}

TEST(RowSum, ShortSumsHaveEveryType) {
    expect_sums_of_every_type(row_sum_operator(), summed_axis);
}

TEST(RowSum, ColoursAreSummedByChannel) {
    expect_sums_of_channels(row_sum_operator(), summed_axis);
}

TEST(RowSum, PlainSumsDoNotWrap) {
    expect_plain_sums_to_be_exact(summed_axis);
}

TEST(RowSum, LongSumsReachWrappedMemory) {
    expect_long_sums_in_wrapped_memory(row_sum_operator(), summed_axis);
}

TEST(RowSum, RefusesWhatItDoesNotTake) {
    expect_refusals(row_sum_operator(), [](const Array &image, Type output) { row_sum(image, output); });
}

}  // namespace
}  // namespace tilewright
