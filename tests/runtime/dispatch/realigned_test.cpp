// The plans of blurs of rows that are not aligned: copies where the variant that `tuned` takes needs them,
// and none where it does not. No device runs them.
#include "runtime/dispatch/steps/plan.h"
#include "tests/support/operators.h"
#include <gtest/gtest.h>
#include <tuple>

namespace tilewright {
namespace {

// What tuned_realigned runs on a device without measured times, where `tuned` takes what is first in the
// table.
std::vector<std::string> steps_of(Type type, const std::vector<int64_t> &shape, double sigma) {
    const Operator &op = find_operator("gaussian_blur");
    const Device device{Backend::cuda, 9};
    const Array image(type, shape, 0);
    Array output(type, shape, 0);
    const auto request = op.parse({&image, 1}, {{"sigma", sigma}});
    const Variant &variant = op.choose(*request, output, "tuned_realigned", device, &op.variants());
    std::vector<std::string> steps;
    for (const Launch *launch : op.plan(variant, device, *request, output).launches()) {
        steps.push_back(launch->variant().schedule);
    }
    return steps;
}

class Realigned : public testing::Test {
protected:
    void SetUp() override {
        const Operator *const op = built_operator("gaussian_blur");
        if (!op || op->variants("tuned_realigned", Backend::cuda).empty()) {
            GTEST_SKIP() << "gaussian_blur was not built for CUDA";
        }
    }
};

TEST_F(Realigned, RowsAreCopiedForVariantsOfAlignedRows) {
    for (const auto &[type, shape, sigma] : {std::tuple{Type::u8, std::vector<int64_t>{90, 101}, 1.},
             {Type::u8, {90, 101, 3}, 3.}, {Type::u16, {90, 101}, 2.25}, {Type::f32, {90, 101}, 7.5}}) {
        const std::vector<std::string> steps = steps_of(type, shape, sigma);
        ASSERT_GE(steps.size(), 3U) << name_of(type) << " " << sigma;
        EXPECT_EQ(steps.front(), "tuned_realigned");
        EXPECT_EQ(steps.back(), "tuned_realigned");
        EXPECT_NE(steps[1], "tuned_realigned");
        EXPECT_NE(steps[1], "tuned_any");
    }
}

TEST_F(Realigned, RowsAreNotCopiedForVariantsThatTakeThem) {
    EXPECT_EQ(steps_of(Type::u8, {90, 101, 2}, 11), std::vector<std::string>{"tuned_any"})
        << "radii above 40 of two channels have no other variant";
    EXPECT_EQ(steps_of(Type::f32, {20, 101}, 10), std::vector<std::string>{"tuned_any"})
        << "the radius is larger than the image";
}

}  // namespace
}  // namespace tilewright
