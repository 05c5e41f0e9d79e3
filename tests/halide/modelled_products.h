#pragma once
// What the tests of blurs by products share: a model of the instruction, which takes a warp's words, and the
// definition's borders.
#include "Halide.h"
#include "generators/algorithms/gaussian_blur/border.h"
#include "generators/algorithms/gaussian_blur/window.h"
#include "generators/algorithms/tensor_products.h"
#include <algorithm>
#include <vector>

namespace tilewright {

// The four results of a lane, computed from the words that all lanes of its warp have: `add(a, b, sum)` is
// the sum with the products of two words added. The rows of A and the columns of B are as LaneProduct says.
template<typename Add>
std::vector<Halide::Expr> modelled_product(const LaneWord &a, const LaneWord &b, Halide::Expr g,
    Halide::Expr q, const std::vector<Halide::Expr> &sums, const Add &add) {
    std::vector<Halide::Expr> results;
    for (int r = 0; r < LaneProduct::results; r++) {
        Halide::Expr sum = sums[(size_t)r];
        for (int lane = 0; lane < 4; lane++) {
            for (int half = 0; half < 2; half++) {
                sum = add(a(r / 2 + 2 * half, g, lane), b(half, 2 * q + r % 2, lane), sum);
            }
        }
        results.push_back(sum);
    }
    return results;
}

// The words of the taps as the lanes have them, of so many steps.
template<typename Word>
Halide::Buffer<uint32_t> lane_table(int steps, const Word &word) {
    Halide::Buffer<uint32_t> words(4, 32, 2, steps);
    words.for_each_element(
        [&](int v, int lane, int part, int step) { words(v, lane, part, step) = word(v, lane, part, step); });
    return words;
}

// The arguments of a library that say what is outside an image.
struct BorderArguments {
    Halide::Param<int> factor, low, high_x, high_y;

    BorderMap map(Halide::Expr zero) const {
        return {factor, low, high_x, high_y, zero};
    }
    void set(BorderRule rule, int w, int h) {
        factor.set(border_factor(rule));
        low.set(border_low(rule));
        high_x.set(border_high(rule, w));
        high_y.set(border_high(rule, h));
    }
};

// The index in 0 ... n - 1 whose value is at i; -1 where that is 0. One reflection is enough.
inline int inside(BorderRule rule, int i, int n) {
    if (i >= 0 && i < n) {
        return i;
    }
    switch (rule) {
    case BorderRule::reflect: return i < 0 ? -1 - i : 2 * n - 1 - i;
    case BorderRule::mirror: return i < 0 ? -i : 2 * n - 2 - i;
    case BorderRule::nearest: return std::clamp(i, 0, n - 1);
    case BorderRule::zero: break;
    }
    return -1;
}

}  // namespace tilewright
