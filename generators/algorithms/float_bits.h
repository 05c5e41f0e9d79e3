#pragma once
// The 16-bit floats of arrays, which libraries take as their bits, in f32.
#include "Halide.h"
#include <string>

namespace tilewright {

// The number that has these bits, exactly: `type` is "f16" or "bf16". Denormal numbers are made of integers,
// because GPUs would take a denormal f32 on the way for 0.
inline Halide::Expr float_of_bits(const std::string &type, Halide::Expr bits) {
    using Halide::cast, Halide::reinterpret, Halide::select, Halide::Expr;
    const Expr word = cast<uint32_t>(bits), magnitude = word & 0x7fff;
    if (type == "bf16") {
        return reinterpret<float>(word << 16);
    }
    const Expr denormal = reinterpret<uint32_t>(cast<float>(cast<int>(magnitude)) * 0x1p-24f);
    return reinterpret<float>(
        (word & 0x8000) << 16 | select(magnitude < 0x0400, denormal, magnitude >= 0x7c00,
                                    magnitude << 13 | 0x7f800000, (magnitude << 13) + (112 << 23)));
}

}  // namespace tilewright
