#pragma once
// A tree of sums: partial sums are added level by level.
#include "Halide.h"
#include <string>
#include <vector>

namespace tilewright {

// Adds the `count` entries partial(lane, ...) of a Func, whose first dimension is the lane. Each level has
// `fan` times fewer entries than the one before, and adds entries that are as far apart as it has entries;
// where `fan` does not divide their number, the next smaller number that does takes its place. `total` adds
// the entries of the last level, a Func of the other dimensions.
struct SumTree : Halide::NamesInterface {
    std::vector<Func> levels;  // between the partial sums and the total
    Func total{"total"};

    SumTree(Func partial, int count, int fan) {
        const std::vector<Var> lane_and_others = partial.args(),
                               others(lane_and_others.begin() + 1, lane_and_others.end());
        const Var lane = lane_and_others[0];
        auto at = [&](Func f, Expr entry) {
            std::vector<Expr> index{entry};
            index.insert(index.end(), others.begin(), others.end());
            return f(index);
        };
        auto sum_of = [&](Func f, Expr first, int terms, int apart) {
            Expr sum = at(f, first);
            for (int i = 1; i < terms; i++) {
                sum += at(f, first + i * apart);
            }
            return sum;
        };

        Func entries = partial;
        while (count > fan) {
            int terms = fan;  // that an entry of the next level adds
            while (count % terms != 0) {
                terms--;
            }
            if (terms == 1) {
                break;
            }
            count /= terms;
            Func level("sums_of_" + std::to_string(count));
            level(lane_and_others) = sum_of(entries, lane, terms, count);
            levels.push_back(level);
            entries = level;
        }
        total(others) = sum_of(entries, 0, count, 1);
    }
};

}  // namespace tilewright
