#pragma once
// Which values of a variant's tunables are tried, and in which order.
#include "apps/tilewright/built_variants/tunables.h"
#include "tilewright/variant.h"
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <vector>

namespace tilewright::app {

// The values of a tunable that are worth trying, in rising order. All of its range; of a wide range the
// variant's own value, its doubles and halves, and both ends. A range is wide from 9 values on where the
// variant's own value is a power of two, and otherwise from 65 values on.
std::vector<int> worthwhile_values(const Variant::Tunable &tunable);

// The points of a variant: one value per tunable. Small spaces (up to 64 points) are tried whole, in random
// order. In larger ones random points and steps from the best points so far come by turns: to the next lower
// or higher value of one tunable. After 32 points only steps come; where the best points have no such
// neighbour left, random points again. The same seed gives the same order, as far as the times are the same.
class Search {
public:
    Search(const Variant &variant, uint64_t seed);

    // How many points there are, and how many were told.
    double size() const;
    size_t told() const {
        return told_.size();
    }

    // A point that was not told yet; nothing where there is none.
    std::optional<TunableValues> next();

    // The same, of a kind: a random point; a step from one of the best points that were told.
    std::optional<TunableValues> random_point();
    std::optional<TunableValues> step_from_the_best() const;

    // What became of a point: its milliseconds; nothing where it failed. Points outside the space are taken
    // as well.
    void tell(const TunableValues &values, std::optional<double> ms);
    bool knows(const TunableValues &values) const {
        return told_.contains(values);
    }

private:
    std::optional<TunableValues> any_left();

    std::vector<std::string> names_;
    std::vector<std::vector<int>> values_;  // of each tunable
    std::mt19937_64 random_;
    std::map<TunableValues, std::optional<double>> told_;
};

// How far the search of a variant is.
struct Standing {
    size_t points = 0;  // that were tried
    double behind = 1;  // its best time over the least time of all variants on the same data
    bool ended = false;
};

// The variant that is searched next: variants get points by promise, so that a variant whose best time is n
// times the least one on the same data gets 1 / n^2 of the points of that one. Of variants that are due at
// the same time it is the first; none where all have ended.
std::optional<size_t> next_variant(std::span<const Standing> variants);

}  // namespace tilewright::app
