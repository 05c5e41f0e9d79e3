// The form of matmul by warps, with a model of the instructions in place of them: a lane's result is computed
// from the words that all lanes of its warp have.
#include "generators/algorithms/matmul/lanes.h"
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace tilewright {
namespace {

using Halide::Expr;

// The rows of A and the columns of B are as LaneProduct says. The instruction reads 19 bits of a word.
std::vector<Expr> modelled(
    const LaneWord &a, const LaneWord &b, Expr g, Expr q, const std::vector<Expr> &sums) {
    const auto number = [](const Expr &word) {
        return Halide::reinterpret<float>(word & Expr(uint32_t(0xffffe000)));
    };
    std::vector<Expr> results;
    for (int r = 0; r < 4; r++) {
        Expr sum = sums[(size_t)r];
        for (int lane = 0; lane < 4; lane++) {
            for (int half = 0; half < 2; half++) {
                sum += number(a(r / 2 + 2 * half, g, lane)) * number(b(half, 2 * q + r % 2, lane));
            }
        }
        results.push_back(sum);
    }
    return results;
}

Halide::Func function_of(const Halide::Buffer<float> &matrix) {
    const Halide::Var x, y;
    Halide::Func function;
    function(x, y) = matrix(x, y);
    return function;
}

Halide::Buffer<float> product(
    const Halide::Buffer<float> &a, const Halide::Buffer<float> &b, const LaneDivision &division) {
    MatmulLanes form(function_of(a), function_of(b), {a.height(), b.width(), a.width()}, division, modelled);
    for (Halide::Func f : {form.tile_a, form.tile_b, form.words_a, form.words_b, form.products, form.sum,
             form.added, form.lost, form.plain}) {
        f.compute_root();
    }
    return form.out.realize({b.width(), a.height()});
}

Halide::Buffer<float> noise(int width, int height, unsigned seed) {
    std::mt19937 random(seed);
    Halide::Buffer<float> numbers(width, height);
    numbers.for_each_value([&](float &v) { v = (float)((double)random() / 2147483648. - 1); });
    return numbers;
}

// Largest error of an element, as a part of the bound of matmul.
double worst(
    const Halide::Buffer<float> &a, const Halide::Buffer<float> &b, const Halide::Buffer<float> &out) {
    double worst = 0;
    out.for_each_element([&](int x, int y) {
        double sum = 0, all = 0;
        for (int k = 0; k < a.width(); k++) {
            const double term = (double)a(k, y) * (double)b(x, k);
            sum += term;
            all += std::abs(term);
        }
        worst = std::max(worst, std::abs(out(x, y) - sum) / (2 * a.width() * 0x1p-24 * all));
    });
    return worst;
}

TEST(Tf32Products, OfAnySizeAreWithinTheBound) {
    const LaneDivision divisions[] = {{32, 32, 8, 128, 1}, {32, 64, 2, 32, 1}};
    for (const LaneDivision &division : divisions) {
        ASSERT_EQ(division.why_not(), "");
        for (const auto &[m, k, n] : {std::array{33, 100, 36}, {65, 256, 64}, {1, 4, 4}}) {
            const Halide::Buffer<float> a = noise(k, m, 1), b = noise(n, k, 2);
            EXPECT_LE(worst(a, b, product(a, b, division)), 1) << m << "x" << k << "x" << n;
        }
    }
}

TEST(Tf32Products, OfNumbersThatTf32DoesNotHaveAreSummedAgain) {
    Halide::Buffer<float> a = noise(68, 40, 1), b = noise(32, 68, 2);
    const float infinity = std::numeric_limits<float>::infinity();
    a(67, 3) = infinity;
    a(5, 7) = 0x1.5p-110f;
    b(2, 67) = 0;
    const Halide::Buffer<float> out = product(a, b, {64, 32, 4, 64, 7});
    EXPECT_TRUE(std::isnan(out(2, 3)));
    EXPECT_EQ(out(0, 3), b(0, 67) > 0 ? infinity : -infinity);
    a(67, 3) = 0;
    const Halide::Buffer<float> finite = product(a, b, {64, 32, 4, 64, 7});
    EXPECT_LE(worst(a, b, finite), 1);
    EXPECT_EQ(out(9, 7), finite(9, 7));
}

}  // namespace
}  // namespace tilewright
