#pragma once
#include "Halide.h"

namespace tilewright {

// Operations on the four bytes of a word of 32 bits. `native` names the instructions that NVIDIA's GPUs have for them; the
// other way to say the same is plain arithmetic, for every machine.
struct WordOperations : Halide::NamesInterface {
    bool native = false;

    // sum + a_0 b_0 + a_1 b_1 + a_2 b_2 + a_3 b_3 over the bytes of a and b.
    Expr dot(Expr a, Expr b, Expr sum) const {
        if (native) {
            return call("llvm.nvvm.idp4a.u.u", UInt(32), {a, b, sum});
        }
        for (int k = 0; k < 4; k++) {
            sum = sum + byte(a, k) * byte(b, k);
        }
        return sum;
    }

    // The word whose byte k is the one that hexadecimal digit k of `picks` names: 0 ... 3 of a, 4 ... 7 of b.
    Expr pick(Expr a, Expr b, Expr picks) const {
        if (native) {
            return call("llvm.nvvm.prmt", UInt(32), {a, b, picks});
        }
        Expr word = cast<uint32_t>(0);
        for (int k = 0; k < 4; k++) {
            const Expr digit = (picks >> (4 * k)) & 7;
            word = word | (byte(select(digit < 4, a, b), digit & 3) << (8 * k));
        }
        return word;
    }

    // Where the sum of a pass begins: as the bits of the float 2^23 + sum if floats round it.
    uint32_t zero() const {
        return native ? 0x4B000000u : 0;
    }

    // A word whose byte 0 is (sum * multiplier + 2^23) >> 24, for sums below 2^23. An odd multiplier leaves no ties, and so
    // one fused multiply-add rounds the same way.
    Expr rounded(Expr sum, Expr multiplier) const {
        if (native) {
            const Expr m = cast<float>(multiplier);
            return reinterpret<uint32_t>(call("llvm.fma.f32", Float(32), {reinterpret<float>(sum), m * (1.f / (1 << 24)), 8388608.f - m * .5f}));
        }
        return (sum * multiplier + (1 << 23)) >> 24;
    }

    // The bytes 0 of four words.
    Expr pack(Expr a, Expr b, Expr c, Expr d) const {
        return pick(pick(a, b, hex(0x0040)), pick(c, d, hex(0x0040)), hex(0x5410));
    }

    static Expr hex(uint32_t picks) {
        return Halide::Internal::make_const(Halide::UInt(32), picks);
    }

private:
    static Expr byte(Expr word, Expr k) {
        return (word >> cast<uint32_t>(8 * k)) & 0xff;
    }
    static Expr call(const char *instruction, Halide::Type type, std::vector<Expr> arguments) {
        return Halide::Internal::Call::make(type, instruction, arguments, Halide::Internal::Call::PureExtern);
    }
};

}  // namespace tilewright
