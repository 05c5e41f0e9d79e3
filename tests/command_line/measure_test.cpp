// What `bench` expects of a row before it times it.
#include "apps/tilewright/support/measure.h"
#include <gtest/gtest.h>
#include <vector>

namespace tilewright::app {

namespace {

// Returns one value after the other, and counts how often it was asked.
struct Clock {
    std::vector<double> ms;
    size_t asked = 0;

    std::function<double()> function() {
        return [this] { return ms.at(asked++); };
    }
};

}  // namespace

TEST(ExpectedMs, OneSlowEstimateGivesNoRowUp) {
    Clock estimate{{1020, 14, 15}}, full;
    EXPECT_EQ(expected_ms(estimate.function(), full.function(), 500, 2000), 14);
    EXPECT_EQ(estimate.asked, 2u);
    EXPECT_EQ(full.asked, 0u);
}

TEST(ExpectedMs, AFullCallIsAskedBeforeARowIsGivenUp) {
    Clock estimate{{1500, 1020, 1400}}, full{{14}};
    EXPECT_EQ(expected_ms(estimate.function(), full.function(), 500, 2000), 14);
    Clock slow_estimate{{1500, 1020, 1400}}, slow_full{{1900}};
    EXPECT_EQ(expected_ms(slow_estimate.function(), slow_full.function(), 500, 2000), 1020);
    EXPECT_EQ(slow_full.asked, 1u);
}

TEST(ExpectedMs, AFullCallThatTakesTooLongIsNotMade) {
    Clock estimate{{9e6, 8e6, 7e6}}, full;
    EXPECT_EQ(expected_ms(estimate.function(), full.function(), 500, 2000), 7e6);
    EXPECT_EQ(full.asked, 0u);
}

}  // namespace tilewright::app
