// The plans of blurs that work on copies, of rows that are not aligned and of several channels: copies where
// the variant that `tuned` takes needs them, and none where it does not. No device runs them.
#include "runtime/dispatch/steps/plan.h"
#include "tests/support/operators.h"
#include <gtest/gtest.h>
#include <tuple>

namespace tilewright {
namespace {

// What a schedule runs on a device without measured times, where `tuned` takes what is first in the table.
std::vector<std::string> steps_of(
    const char *schedule, Type type, const std::vector<int64_t> &shape, double sigma, bool is_padded) {
    const Operator &op = find_operator("gaussian_blur");
    const Device device{Backend::cuda, 9};
    const int64_t row_bytes = is_padded ? Array::padded : 0;
    const Array image(type, shape, row_bytes);
    Array output(type, shape, row_bytes);
    const auto request = op.parse({&image, 1}, {{"sigma", sigma}});
    const Variant &variant = op.choose(*request, output, schedule, device, &op.variants());
    std::vector<std::string> steps;
    const Plan plan = op.plan(variant, device, *request, output);
    for (const Launch *launch : plan.launches()) {
        steps.push_back(launch->variant().schedule);
    }
    return steps;
}

class Copies : public testing::Test {
protected:
    void SetUp() override {
        const Operator *const op = built_operator("gaussian_blur");
        if (!op || op->variants("tuned_realigned", Backend::cuda).empty()) {
            GTEST_SKIP() << "gaussian_blur was not built for CUDA";
        }
    }
};

TEST_F(Copies, RowsAreCopiedForVariantsOfAlignedRows) {
    for (const auto &[type, shape, sigma] : {std::tuple{Type::u8, std::vector<int64_t>{90, 101}, 1.},
             {Type::u8, {90, 101, 3}, 3.}, {Type::u16, {90, 101}, 2.25}, {Type::f32, {90, 101}, 7.5}}) {
        const std::vector<std::string> steps = steps_of("tuned_realigned", type, shape, sigma, false);
        ASSERT_GE(steps.size(), 3U) << name_of(type) << " " << sigma;
        EXPECT_EQ(steps.front(), "tuned_realigned");
        EXPECT_EQ(steps.back(), "tuned_realigned");
        EXPECT_NE(steps[1], "tuned_realigned");
        EXPECT_NE(steps[1], "tuned_any");
    }
}

TEST_F(Copies, RowsAreNotCopiedForVariantsThatTakeThem) {
    EXPECT_EQ(
        steps_of("tuned_realigned", Type::f32, {20, 101}, 10, false), std::vector<std::string>{"tuned_any"})
        << "the radius is larger than the image";
    const std::vector<std::string> steps = steps_of("tuned_realigned", Type::u8, {90, 101, 2}, 11, false);
    ASSERT_EQ(steps.size(), 4U) << "planes have rows of their own";
    EXPECT_EQ(steps.front(), "tuned_planes");
}

TEST_F(Copies, EachChannelIsBlurredAsAPlane) {
    for (const auto &[type, channels, sigma] : {std::tuple{Type::u8, int64_t{3}, 10.}, {Type::u16, 4, 2.25},
             {Type::f32, 2, 7.5}, {Type::f16, 3, 5.}}) {
        const std::vector<std::string> steps =
            steps_of("tuned_planes", type, {90, 101, channels}, sigma, true);
        ASSERT_EQ(steps.size(), (size_t)channels + 2) << name_of(type) << " " << sigma;
        EXPECT_EQ(steps.front(), "tuned_planes");
        EXPECT_EQ(steps.back(), "tuned_planes");
        for (size_t step = 1; step + 1 < steps.size(); step++) {
            EXPECT_EQ(steps[step], steps[1]);
            EXPECT_NE(steps[step], "tuned_planes");
            EXPECT_NE(steps[step], "tuned_any");
        }
    }
}

TEST_F(Copies, ChannelsStayTogetherForAVariantThatTakesThem) {
    EXPECT_EQ(
        steps_of("tuned_planes", Type::u16, {20, 101, 3}, 10, true), std::vector<std::string>{"tuned_any"})
        << "the radius is larger than the image";
}

}  // namespace
}  // namespace tilewright
