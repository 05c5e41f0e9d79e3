#pragma once
// The 16-bit floats of arrays, which libraries take as their bits and compute with in f32.
#include "Halide.h"
#include <functional>
#include <string>

namespace tilewright {

// Whether libraries take elements of a type as the bits of 16-bit floats: "f16" and "bf16".
inline bool has_float_bits(const std::string &type) {
    return type.ends_with("f16");
}

struct FloatBits {
    using Expr = Halide::Expr;

    std::string type = {};  // "f16" or "bf16"; empty: the elements are not such bits
    // By instructions of the target, for f16 (generators/float_conversions.h). Without them, integers do it.
    std::function<Expr(Expr half)> number_of_half = {};
    std::function<Expr(Expr number)> half_of_number = {};

    bool empty() const {
        return type.empty();
    }

    // The number that has these bits, exactly. Denormal numbers are made of integers, because GPUs would take
    // a denormal f32 on the way for 0.
    Expr number(Expr bits) const {
        using Halide::cast, Halide::reinterpret, Halide::select;
        const Expr word = cast<uint32_t>(bits), magnitude = word & 0x7fff;
        if (type == "bf16") {
            return reinterpret<float>(word << 16);
        }
        if (number_of_half) {
            return number_of_half(cast<uint16_t>(bits));
        }
        const Expr denormal = reinterpret<uint32_t>(cast<float>(cast<int>(magnitude)) * 0x1p-24f);
        return reinterpret<float>(
            (word & 0x8000) << 16 | select(magnitude < 0x0400, denormal, magnitude >= 0x7c00,
                                        magnitude << 13 | 0x7f800000, (magnitude << 13) + (112 << 23)));
    }

    // The bits of the nearest number of the type, ties to even. NaN stays NaN, and what is too large becomes
    // infinite.
    Expr bits_of(Expr value) const {
        using Halide::cast, Halide::reinterpret, Halide::select;
        const Expr word = reinterpret<uint32_t>(value), magnitude = word & 0x7fffffff,
                   is_nan = magnitude > 0x7f800000;
        if (type == "bf16") {
            const Expr rounded = (word + 0x7fff + (word >> 16 & 1)) >> 16;
            return cast<uint16_t>(select(is_nan, word >> 16 | 0x40, rounded));
        }
        if (half_of_number) {
            return half_of_number(value);
        }
        // A denormal result is a multiple of 2^-24, as the floats from .5 to 1 are.
        const Expr denormal = reinterpret<uint32_t>(reinterpret<float>(magnitude) + .5f) - 0x3f000000,
                   normal = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
        const Expr bits = select(is_nan, cast<uint32_t>(0x7e00), magnitude >= 0x477ff000,
            cast<uint32_t>(0x7c00), magnitude < 0x38800000, denormal, normal);
        return cast<uint16_t>((word >> 16 & 0x8000) | bits);
    }
};

}  // namespace tilewright
