#pragma once
// Numbers of f32 as the 16-bit floats of arrays, which libraries make as their bits.
#include "Halide.h"
#include <string>

namespace tilewright {

// The bits of the nearest number of the type "f16" or "bf16", ties to even. NaN stays NaN, and what is too
// large becomes infinite.
inline Halide::Expr bits_of_float(const std::string &type, Halide::Expr value) {
    using Halide::cast, Halide::reinterpret, Halide::select, Halide::Expr;
    const Expr word = reinterpret<uint32_t>(value), magnitude = word & 0x7fffffff,
               is_nan = magnitude > 0x7f800000;
    if (type == "bf16") {
        const Expr rounded = (word + 0x7fff + (word >> 16 & 1)) >> 16;
        return cast<uint16_t>(select(is_nan, word >> 16 | 0x40, rounded));
    }
    // A denormal result is a multiple of 2^-24, as the floats from .5 to 1 are.
    const Expr denormal = reinterpret<uint32_t>(reinterpret<float>(magnitude) + .5f) - 0x3f000000,
               normal = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
    const Expr bits = select(is_nan, cast<uint32_t>(0x7e00), magnitude >= 0x477ff000, cast<uint32_t>(0x7c00),
        magnitude < 0x38800000, denormal, normal);
    return cast<uint16_t>((word >> 16 & 0x8000) | bits);
}

}  // namespace tilewright
