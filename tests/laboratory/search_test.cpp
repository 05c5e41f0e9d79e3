// Which points `explore` tries.
#include "apps/laboratory/explore/search.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <optional>
#include <set>

namespace tilewright::app {
namespace {

using Values = std::vector<int>;

Variant variant_with(std::vector<Variant::Tunable> tunables) {
    Variant variant = {};
    variant.tunables = std::move(tunables);
    return variant;
}

// The bowl whose bottom is at (64, 4, 9).
double bowl(const TunableValues &point) {
    const auto distance = [&](size_t i, double bottom) {
        return std::abs(std::log2(point[i].second + 1) - std::log2(bottom + 1));
    };
    return 1 + distance(0, 64) + distance(1, 4) + distance(2, 9);
}

TEST(Search, TakesAllValuesOfANarrowRange) {
    EXPECT_EQ(worthwhile_values({"pad", 1, 0, 3}), (Values{0, 1, 2, 3}));
    EXPECT_EQ(worthwhile_values({"height", 8, 1, 8}), (Values{1, 2, 3, 4, 5, 6, 7, 8}));
    EXPECT_EQ(worthwhile_values({"lanes", 7, 5, 9}), (Values{5, 6, 7, 8, 9}));
    EXPECT_EQ(worthwhile_values({"lanes", 32, 32, 32}), Values{32});
}

TEST(Search, TakesDoublesAndHalvesOfAWideRange) {
    EXPECT_EQ(worthwhile_values({"threads", 128, 32, 1024}), (Values{32, 64, 128, 256, 512, 1024}));
    EXPECT_EQ(worthwhile_values({"pad", 4, 0, 16}), (Values{0, 1, 2, 4, 8, 16}));
    EXPECT_EQ(worthwhile_values({"parts", 528, 132, 2112}), (Values{132, 264, 528, 1056, 2112}));
    EXPECT_EQ(worthwhile_values({"groups", 255, 16, 255}), (Values{16, 31, 63, 127, 255}));
    EXPECT_EQ(worthwhile_values({"large", 1 << 30, 1, (1u << 31) - 1}).back(), (1u << 31) - 1);
}

TEST(Search, TriesEveryPointOfASmallSpaceOnce) {
    Search search(variant_with({{"tile", 16, 8, 64}, {"pad", 1, 0, 3}}), 1);
    EXPECT_EQ(search.size(), 16);
    search.tell({{"tile", 16}, {"pad", 1}}, 1.);
    std::set<TunableValues> tried;
    while (const auto point = search.next()) {
        EXPECT_TRUE(tried.insert(*point).second);
        search.tell(*point, {});
    }
    EXPECT_EQ(tried.size(), 15u);
}

TEST(Search, OfAVariantWithoutTunablesHasOnePoint) {
    Search search(variant_with({}), 1);
    EXPECT_TRUE(search.next().has_value());
    search.tell({}, 1.);
    EXPECT_FALSE(search.next().has_value());
}

TEST(Search, FindsTheBottomOfABowl) {
    const Variant variant =
        variant_with({{"width", 16, 1, 4096}, {"height", 16, 1, 1024}, {"unroll", 9, 1, 12}});
    for (const uint64_t seed : {1, 2, 3}) {
        Search search(variant, seed);
        double least = 1e9;
        for (int i = 0; i < 100; i++) {
            const auto point = search.next();
            ASSERT_TRUE(point.has_value());
            ASSERT_FALSE(search.knows(*point));
            least = std::min(least, bowl(*point));
            search.tell(*point, bowl(*point));
        }
        EXPECT_EQ(least, 1) << "seed " << seed;
    }
}

TEST(Search, GoesOnAmongRandomPointsWhereAllFail) {
    Search search(variant_with({{"width", 16, 1, 4096}, {"height", 16, 1, 1024}}), 1);
    size_t points = 0;
    while (const auto point = search.next()) {
        search.tell(*point, {});
        points++;
    }
    EXPECT_GT(points, search.size() * .9);
}

TEST(Search, RepeatsItsOrderWithTheSameSeed) {
    const Variant variant = variant_with({{"width", 16, 1, 4096}, {"height", 16, 1, 1024}});
    const auto order = [&](uint64_t seed) {
        Search search(variant, seed);
        std::vector<TunableValues> points;
        for (int i = 0; i < 40; i++) {
            points.push_back(*search.next());
            search.tell(points.back(), (double)(i * 37 % 41));
        }
        return points;
    };
    EXPECT_EQ(order(5), order(5));
    EXPECT_NE(order(5), order(6));
}

TEST(Search, MakesStepsFromTheOwnValuesEarly) {
    Search search(variant_with({{"width", 16, 1, 4096}, {"height", 16, 1, 1024}}), 1);
    search.tell({{"width", 16}, {"height", 16}}, 1.);
    int steps = 0;
    for (int i = 0; i < 8; i++) {
        const TunableValues point = *search.next();
        steps += std::abs(std::log2(point[0].second) - 4) + std::abs(std::log2(point[1].second) - 4) == 1;
        search.tell(point, {});
    }
    EXPECT_GE(steps, 4);
}

// How many points each variant has after so many more, where no best time changes.
std::vector<size_t> points_of(std::vector<Standing> variants, size_t points) {
    for (size_t i = 0; i < points; i++) {
        variants[next_variant(variants).value()].points++;
    }
    std::vector<size_t> counts;
    for (const Standing &variant : variants) {
        counts.push_back(variant.points);
    }
    return counts;
}

TEST(NextVariant, GivesPointsByPromise) {
    EXPECT_EQ(points_of({{0, 1}, {0, 1}, {0, 1}}, 30), (std::vector<size_t>{10, 10, 10}));
    const auto counts = points_of({{1, 1}, {1, 2}, {1, 10}}, 100);
    EXPECT_NEAR((double)counts[0] / (double)counts[1], 4, .4);
    EXPECT_EQ(counts[2], 1u) << "a variant that is ten times as slow gets a point per hundred";
}

TEST(NextVariant, GoesOnWithVariantsThatHadPointsBefore) {
    EXPECT_EQ(next_variant(std::vector<Standing>{{20, 1}, {3, 2}}), 1u);
    EXPECT_EQ(next_variant(std::vector<Standing>{{20, 1}, {6, 2}}), 0u);
}

TEST(NextVariant, LeavesOutVariantsThatHaveEnded) {
    EXPECT_EQ(next_variant(std::vector<Standing>{{0, 1, true}, {50, 3, false}}), 1u);
    EXPECT_EQ(next_variant(std::vector<Standing>{{0, 1, true}}), std::nullopt);
    EXPECT_EQ(next_variant({}), std::nullopt);
}

}  // namespace
}  // namespace tilewright::app
