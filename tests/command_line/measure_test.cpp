// What `bench` expects of a variant before it times it.
#include "apps/tilewright/timing/measure.h"
#include <gtest/gtest.h>
#include <stdexcept>
#include <vector>

namespace tilewright::app {

namespace {

// Returns one value after the other, then the last one again and again, and counts how often it was asked.
struct Clock {
    std::vector<double> ms;
    size_t asked = 0;

    std::function<double()> function() {
        return [this] { return ms.at(std::min(asked++, ms.size() - 1)); };
    }
};

}  // namespace

TEST(ExpectedMs, OneSlowEstimateGivesNoVariantUp) {
    Clock estimate{{1020, 14, 15}}, full;
    EXPECT_EQ(expected_ms(estimate.function(), full.function(), 500, 2000), 14);
    EXPECT_EQ(estimate.asked, 2u);
    EXPECT_EQ(full.asked, 0u);
}

// A machine that stalls for as long as three short calls take.
TEST(ExpectedMs, AStallOfSeveralEstimatesGivesNoVariantUp) {
    Clock estimate{{20400, 20300, 20400, 20500, 500}}, full;
    EXPECT_EQ(expected_ms(estimate.function(), full.function(), 5000, 20000), 500);
    EXPECT_EQ(estimate.asked, 5u);
    EXPECT_EQ(full.asked, 0u);
}

TEST(ExpectedMs, AFullCallIsAskedBeforeAVariantIsGivenUp) {
    Clock estimate{{1500, 1020, 1400}}, full{{14}};
    EXPECT_EQ(expected_ms(estimate.function(), full.function(), 500, 2000), 14);
    Clock slow_estimate{{1500, 1020, 1400}}, slow_full{{1900, 1800}};
    EXPECT_EQ(expected_ms(slow_estimate.function(), slow_full.function(), 500, 2000), 1020);
    EXPECT_EQ(slow_full.asked, 2u) << "together they take longer than the limit";
}

TEST(ExpectedMs, OneSlowFullCallGivesNoVariantUp) {
    Clock estimate{{900, 900, 900}}, full{{800, 14}};
    EXPECT_EQ(expected_ms(estimate.function(), full.function(), 500, 2000), 14);
}

TEST(Measure, TakesTurnsAndKeepsFailuresApart) {
    std::vector<int> order;
    const auto calls = [&](int which) {
        return TimedCalls{[&order, which](size_t) { order.push_back(which); }, [](size_t) {}, {}};
    };
    const TimedCalls failing{[](size_t i) {
                                 if (i > 2) {
                                     throw std::runtime_error("gone");
                                 }
                             },
        [](size_t) {}, {}};
    const std::vector<Measured> all =
        measure(Device{}, {calls(1), failing, calls(2)}, {.batch = 1, .repeats = 4, .limit_s = 20});
    ASSERT_EQ(all.size(), 3u);
    EXPECT_FALSE(all[0].failure);
    EXPECT_TRUE(all[1].failure);
    EXPECT_EQ(all[0].repeats, 4);
    EXPECT_EQ(all[2].repeats, 4);
    // One call to choose the batch; then per turn one that is not timed, and one that is.
    EXPECT_EQ(
        order, (std::vector{1, 2, 1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2, 1, 2, 1, 2, 1, 2, 1, 2}));
}

TEST(ExpectedMs, AFullCallThatTakesTooLongIsNotMade) {
    Clock estimate{{9e6, 8e6, 7e6}}, full;
    EXPECT_EQ(expected_ms(estimate.function(), full.function(), 500, 2000), 7e6);
    EXPECT_EQ(full.asked, 0u);
}

// Variants that are timed in turns must not find in a cache what the variant before them has just read.
TEST(Measure, BuffersGoOnFromOneVariantToTheNext) {
    std::vector<size_t> buffers;
    const auto call = [&](size_t i) { buffers.push_back(i); };
    const Plan plan{.batch = 4, .repeats = 3, .limit_s = 1};
    measure(Device{}, {{call, call, {}}, {call, call, {}}, {call, call, {}}}, plan);
    ASSERT_GT(buffers.size(), 3u);
    for (size_t i = 1; i < buffers.size(); i++) {
        ASSERT_EQ(buffers[i], buffers[i - 1] + 1);
    }
}

}  // namespace tilewright::app
