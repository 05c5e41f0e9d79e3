// Numbers of f32 as two numbers of f16 (HalfParts), without the tensor cores: sums of three products of them
// are within the bound of matmul, or known to be beyond it.
#include "generators/algorithms/matmul/halves.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace tilewright {
namespace {

using Halide::Expr;

// The parts of a matrix whose rows are lines.
struct Lines {
    Halide::Buffer<uint16_t> parts;  // number, line, part (0: high)
    Halide::Buffer<int> power;
    Halide::Buffer<float> lost;
};

Lines lines_of(const Halide::Buffer<float> &matrix) {
    const auto half = [](const Expr &number) {
        return Halide::cast<uint32_t>(Halide::reinterpret<uint16_t>(Halide::cast(Halide::Float(16), number)));
    };
    HalfParts form(
        "m", matrix.height(), matrix.width(), true,
        [&](const Expr &at, const Expr &line) { return matrix(at, line); },
        [](const Expr &v, const Expr &q, const Expr &j) { return std::pair(8 * q + 2 * v, j); },
        [&](const Expr &a, const Expr &b) { return half(a) | half(b) << 16; });
    form.of_run.compute_root();
    form.scale.compute_root();
    Halide::Var k, y, h;
    Halide::Func numbers;
    numbers(k, y, h) =
        Halide::cast<uint16_t>(Halide::reinterpret<uint32_t>(form.parts(k % 8 / 2, k / 8, y, h)) >>
                               16 * Halide::cast<uint32_t>(k % 2));
    Halide::Func power, lost;
    power(y) = form.scale(y)[0];
    lost(y) = form.scale(y)[1];
    return {numbers.realize({matrix.width(), matrix.height(), 2}), power.realize({matrix.height()}),
        lost.realize({matrix.height()})};
}

double number(uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double magnitude = exponent == 31 ? std::numeric_limits<double>::quiet_NaN() :
                             exponent == 0  ? std::ldexp(fraction, -24) :
                                              std::ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 ? -magnitude : magnitude;
}

using Make = std::function<float(std::mt19937 &)>;

float uniform(std::mt19937 &random, double low, double high) {
    return (float)std::uniform_real_distribution<double>(low, high)(random);
}

Make powers(double low, double high) {
    return [=](std::mt19937 &random) {
        return std::exp2(uniform(random, low, high)) * (random() % 2 == 0 ? 1.0f : -1.0f);
    };
}

Halide::Buffer<float> filled(int width, int height, unsigned seed, const Make &make) {
    std::mt19937 random(seed);
    Halide::Buffer<float> numbers(width, height);
    numbers.for_each_value([&](float &value) { value = make(random); });
    return numbers;
}

struct Found {
    double worst = 0;  // of elements that nothing is said of, as a part of the bound
    int lost = 0, elements = 0;
};

Found products_of(const Halide::Buffer<float> &a, const Halide::Buffer<float> &b) {
    const Lines of_a = lines_of(a), of_b = lines_of(b);
    const int depth = a.width();
    Found found;
    for (int y = 0; y < a.height(); y++) {
        for (int x = 0; x < b.height(); x++) {
            double sum = 0, exact = 0, all = 0;
            for (int k = 0; k < depth; k++) {
                const double high_a = number(of_a.parts(k, y, 0)), high_b = number(of_b.parts(k, x, 0));
                sum += high_a * high_b + 0x1p-11 * (high_a * number(of_b.parts(k, x, 1)) +
                                                       number(of_a.parts(k, y, 1)) * high_b);
                const double term = (double)a(k, y) * (double)b(k, x);
                exact += term;
                all += std::abs(term);
            }
            found.elements++;
            if (std::abs(sum) < of_a.lost(y) + of_b.lost(x)) {
                found.lost++;
            } else if (all > 0) {
                const double is = std::ldexp(sum, of_a.power(y) + of_b.power(x));
                found.worst = std::max(found.worst, std::abs(is - exact) / (2 * depth * 0x1p-24 * all));
            } else {
                EXPECT_EQ(sum, 0);
            }
        }
    }
    return found;
}

// Half of the bound is for what the tensor cores cut off.
TEST(HalfParts, OfNumbersOfEverySizeAreWithinHalfOfTheBoundOrKnownToBeLost) {
    const auto numbers = [](double low, double high) -> Make {
        return [=](std::mt19937 &random) { return uniform(random, low, high); };
    };
    const Make signs = numbers(-1, 1),
               some = [](std::mt19937 &random) { return random() % 4 == 0 ? uniform(random, -1, 1) : 0.0f; };
    const struct {
        std::string what;
        Make a, b;
        double most_lost;
    } cases[] = {{"0 to 1", numbers(0, 1), numbers(0, 1), 0}, {"-1 to 1", signs, signs, 0},
        {"whole numbers", [](std::mt19937 &random) { return (float)(int)(random() % (1 << 24)); }, signs, 0},
        {"2^-13 to 2^13", powers(-13, 13), powers(-13, 13), 0}, {"zeros", some, some, 0},
        {"all zero", numbers(0, 0), signs, 0}, {"2^-60 to 2^60", powers(-60, 60), signs, .01},
        {"2^-60 to 2^60, both", powers(-60, 60), powers(-60, 60), .5},
        {"denormal numbers", powers(-149, -126), powers(100, 127), .1},
        {"the largest", powers(120, 127.9), powers(-126, -110), .1},
        {"one number", [](std::mt19937 &) { return 0x1.001ffep0f; },
            [](std::mt19937 &) { return 0x1.001ffep0f; }, 0}};
    for (const auto &[what, make_a, make_b, most_lost] : cases) {
        for (const int depth : {64, 300}) {
            const Found found = products_of(filled(depth, 20, 1, make_a), filled(depth, 24, 2, make_b));
            EXPECT_LE(found.worst, .5) << what << ", " << depth;
            EXPECT_LE(found.lost, most_lost * found.elements) << what << ", " << depth;
        }
    }
}

TEST(HalfParts, InfinityAndNaNHaveNaNAsTheLowNumber) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    Halide::Buffer<float> matrix = filled(64, 4, 1, powers(-3, 3));
    matrix(7, 0) = infinity;
    matrix(9, 1) = -infinity;
    matrix(11, 2) = std::numeric_limits<float>::quiet_NaN();
    const Lines lines = lines_of(matrix);
    for (int y = 0; y < 4; y++) {
        for (int k = 0; k < 64; k++) {
            const bool is_finite = y == 3 || k != 7 + 2 * y;
            EXPECT_EQ(std::isnan(number(lines.parts(k, y, 1))), !is_finite) << k << ", " << y;
        }
    }
}

}  // namespace
}  // namespace tilewright
