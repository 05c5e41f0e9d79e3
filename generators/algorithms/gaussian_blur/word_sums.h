#pragma once
// The exact sums of the window forms of gaussian_blur for u16, in 32 bits.
#include "Halide.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tilewright {

// A pass over u16 is (sum_i w_i p_i + 2^23) >> 24 with weights of sum 2^24, so that 40 bits are shifted. It
// has two sums of 32 bits in place of one of 64:
//   exact   modulo 2^32. Its upper byte is the lower byte of the result
//   near    the same divided by 2^24, in floats. Each product adds an error of at most 1, so that windows of
//           up to 125 taps (most_radius) are less than 127 beside the result
// The result is the one number near the second sum that has the byte.
//
// A pixel p is the word `zero` + p, whose bits are those of the float 1.5 2^23 + p: so one word is a factor
// of both sums. `zero` adds a multiple of 2^32 to the first one, because the weights have the sum 2^24,
// and 1.5 2^23 to the second one, whose bits then are `zero` and the number.
struct WordSums {
    using Expr = Halide::Expr;
    using Tuple = Halide::Tuple;

    std::vector<Expr> weights, fractions;  // w_0 ... w_radius, and w_0 2^-24 ... as floats
    // The words of two pixels of one weight are added first, less `zero`: fewer products, but all words of a
    // window are needed at a time.
    bool by_pairs = false;

    static constexpr uint32_t zero = 0x4B400000;
    static constexpr int most_radius = 62;

    // Why no window of the radius has such sums; empty where it has.
    static std::string why_not(int radius) {
        return radius <= most_radius ? "" :
                                       "windows of u16 take radii up to " + std::to_string(most_radius) +
                                           ", beyond which their sums in 32 bits are not exact";
    }

    static Expr word(const Expr &pixel) {
        return Halide::cast<uint32_t>(pixel) + Expr(zero);
    }

    // The sums without any product. By pairs, `zero` will be missing once per weight w_1 ..., whose sum is
    // (2^24 - w_0) / 2. The second sum is 128 too low, so that the result is above it.
    Tuple start() const {
        constexpr float half = 1.5f * (1 << 22), below = 128;
        return by_pairs ? Tuple(Expr(1u << 23) - Expr(zero / 2) * weights[0],
                              Expr(half - below) - Expr(half) * fractions[0]) :
                          Tuple(Expr(1u << 23), Expr(-below));
    }

    // The taps, whose words at() gives: the first half of them where they are pairs.
    Halide::RDom taps() const {
        const int radius = (int)weights.size() - 1;
        return {-radius, by_pairs ? radius + 1 : 2 * radius + 1};
    }
    template<typename At>
    Tuple added(
        const Tuple &sums, const Expr &tap, const At &at, const Expr &weight, const Expr &fraction) const {
        const Expr words = by_pairs ? select(tap == 0, at(tap), at(tap) + at(-tap) - Expr(zero)) : at(tap);
        return {sums[0] + weight * words, sums[1] + fraction * Halide::reinterpret<float>(words)};
    }

    // The word of the result.
    static Expr result(const Tuple &sums) {
        const Expr near = Halide::reinterpret<uint32_t>(sums[1]);
        return near + ((sums[0] - (near << 24)) >> 24);
    }
};

}  // namespace tilewright
