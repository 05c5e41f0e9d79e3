#pragma once
#include "Halide.h"

namespace tilewright {

// The arithmetic of one pass over pixels of one type:
//   u8    (sum * multiplier + 2^23) >> 24, below 2^32 throughout
//   u16   (sum + 2^23) >> 24, below 2^41
//   f32   the sum
// Sums of integers are exact. `image` and `between` are the types in which a pass takes the image and in which it leaves its
// results to the next one.
struct Pass {
    Halide::Type pixel, sum, image, between;
    Halide::Expr multiplier;

    // Every value in the pixels' own type, sums in one that holds them.
    static Pass plain(Halide::Type pixel, Halide::Expr multiplier) {
        const Halide::Type sum = pixel == Halide::UInt(8)  ? Halide::UInt(32) :
                                 pixel == Halide::UInt(16) ? Halide::UInt(64) :
                                                             Halide::Float(32);
        return {pixel, sum, pixel, pixel, multiplier};
    }

    // u8 by floats: 255 times the sum of the weights is below 2^24, so that sums still are exact, in any order.
    static Pass floats(Halide::Type pixel, Halide::Expr multiplier) {
        return {pixel, Halide::Float(32), Halide::Float(32), Halide::Float(32), multiplier};
    }

    // f32 with 11 bits between the passes: the bits of half-precision floats.
    static Pass halves() {
        return {Halide::Float(32), Halide::Float(32), Halide::Float(32), Halide::UInt(16), {}};
    }

    Halide::Expr zero() const {
        return cast(sum, 0);
    }
    Halide::Expr wide(Halide::Expr value) const {
        return cast(sum, value);
    }
    // What lies between the passes.
    Halide::Expr put(Halide::Expr value) const {
        const bool halves = value.type() == Halide::Float(32) && between == Halide::UInt(16);
        return halves ? reinterpret(between, Halide::Internal::float32_to_float16(value)) : cast(between, value);
    }
    Halide::Expr get(Halide::Expr value) const {
        const bool halves = sum == Halide::Float(32) && between == Halide::UInt(16);
        return halves ? Halide::Internal::float16_to_float32(value) : wide(value);
    }
    Halide::Expr rounded(Halide::Expr total) const {
        if (pixel == Halide::UInt(8)) {
            return cast(pixel, (cast(Halide::UInt(32), total) * multiplier + (1 << 23)) >> 24);
        }
        return pixel == Halide::UInt(16) ? cast(pixel, (total + (1 << 23)) >> 24) : total;
    }
};

}  // namespace tilewright
