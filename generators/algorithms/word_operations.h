#pragma once
// Operations on the four bytes of a 32-bit word.
#include "Halide.h"
#include <cstdint>
#include <functional>
#include <vector>

namespace tilewright {

// How an algorithm computes with the bytes of words. The functions here are plain arithmetic, which every
// machine has. A generator may replace them by instructions that mean the same (generators/instructions.h).
struct WordOperations {
    using Expr = Halide::Expr;

    // sum + a_0 b_0 + a_1 b_1 + a_2 b_2 + a_3 b_3 over the bytes of a and b.
    std::function<Expr(Expr a, Expr b, Expr sum)> dot = plain_dot;

    // The word whose byte k is the byte that hexadecimal digit k of `picks` names: digits 0 ... 3 name the
    // bytes of a, and 4 ... 7 those of b.
    std::function<Expr(Expr a, Expr b, Expr picks)> pick = plain_pick;

    // A word whose byte 0 is (sum * multiplier + 2^23) >> 24, for sums below 2^23 that were started at
    // `zero`.
    std::function<Expr(Expr sum, Expr multiplier)> rounded = plain_rounded;

    // The value that a sum starts at. It is not 0 where `rounded` takes the sum as the bits of a float.
    uint32_t zero = 0;

    // The bytes 0 of four words, as one word.
    Expr pack(Expr a, Expr b, Expr c, Expr d) const {
        return pick(pick(a, b, hex(0x0040)), pick(c, d, hex(0x0040)), hex(0x5410));
    }

    // The columns of four words, which are rows: word c has byte c of each of them.
    std::vector<Expr> transposed(Expr r0, Expr r1, Expr r2, Expr r3) const {
        const Expr low01 = pick(r0, r1, hex(0x5140)), low23 = pick(r2, r3, hex(0x5140));
        const Expr high01 = pick(r0, r1, hex(0x7362)), high23 = pick(r2, r3, hex(0x7362));
        return {pick(low01, low23, hex(0x5410)), pick(low01, low23, hex(0x7632)),
            pick(high01, high23, hex(0x5410)), pick(high01, high23, hex(0x7632))};
    }

    // An unsigned constant of 32 bits.
    static Expr hex(uint32_t value) {
        return Halide::Internal::make_const(Halide::UInt(32), value);
    }

private:
    static Expr byte(Expr word, Expr k) {
        return (word >> Halide::cast<uint32_t>(8 * k)) & 0xff;
    }
    static Expr plain_dot(Expr a, Expr b, Expr sum) {
        for (int k = 0; k < 4; k++) {
            sum = sum + byte(a, k) * byte(b, k);
        }
        return sum;
    }
    static Expr plain_pick(Expr a, Expr b, Expr picks) {
        Expr word = Halide::cast<uint32_t>(0);
        for (int k = 0; k < 4; k++) {
            const Expr digit = (picks >> (4 * k)) & 7;
            word = word | (byte(select(digit < 4, a, b), digit & 3) << (8 * k));
        }
        return word;
    }
    static Expr plain_rounded(Expr sum, Expr multiplier) {
        return (sum * multiplier + (1 << 23)) >> 24;
    }
};

}  // namespace tilewright
