#pragma once
// The arithmetic of the passes of a Gaussian blur: which types they add in, and how they round.
#include "Halide.h"
#include "generators/algorithms/float_bits.h"

namespace tilewright {

// One pass over pixels of one type gives
//   u8    (sum * multiplier + 2^23) >> 24, with everything below 2^32
//   u16   (sum + 2^23) >> 24, with everything below 2^41
//   f32   the sum, and so f64
//   f16   the sum in f32, and so bf16: pixels are read and written as their bits
// Sums of integers are exact.
struct BlurArithmetic {
    Halide::Type pixel, sum;
    Halide::Type image;    // a pass reads the image in this type
    Halide::Type between;  // the first pass stores its results in this type, and the second one reads them
    Halide::Expr multiplier;
    FloatBits bits = {};  // not empty: pixels are f32 to the passes, and of this type in the image

    // The image and what is between the passes have the type of the pixels; sums have a type that holds them.
    static BlurArithmetic plain(Halide::Type pixel, Halide::Expr multiplier) {
        const Halide::Type sum = pixel == Halide::UInt(8)  ? Halide::UInt(32) :
                                 pixel == Halide::UInt(16) ? Halide::UInt(64) :
                                                             pixel;
        return {pixel, sum, pixel, pixel, multiplier};
    }

    // u8 in floats. 255 times the sum of the weights is below 2^24, so that sums are still exact, in any
    // order.
    static BlurArithmetic floats(Halide::Type pixel, Halide::Expr multiplier) {
        return {pixel, Halide::Float(32), Halide::Float(32), Halide::Float(32), multiplier};
    }

    // f32, with half-precision floats between the passes: 11 significant bits.
    static BlurArithmetic halves() {
        return {Halide::Float(32), Halide::Float(32), Halide::Float(32), Halide::Float(16), {}};
    }

    // f16 and bf16.
    static BlurArithmetic of(const FloatBits &bits) {
        BlurArithmetic arithmetic = plain(Halide::Float(32), {});
        arithmetic.bits = bits;
        return arithmetic;
    }

    // An element of the image, as a pass takes it.
    Halide::Expr read(Halide::Expr element) const {
        return bits.empty() ? cast(image, element) : bits.number(element);
    }
    // A result of the last pass, as an element of the output.
    Halide::Expr written(Halide::Expr value) const {
        return bits.empty() ? value : bits.bits_of(value);
    }
    Halide::Expr zero() const {
        return cast(sum, 0);
    }
    Halide::Expr wide(Halide::Expr value) const {
        return cast(sum, value);
    }
    // A result of the first pass, as it is stored between the passes.
    Halide::Expr put(Halide::Expr value) const {
        return cast(between, value);
    }
    Halide::Expr rounded(Halide::Expr total) const {
        if (pixel == Halide::UInt(8)) {
            return cast(pixel, (cast(Halide::UInt(32), total) * multiplier + (1 << 23)) >> 24);
        }
        return pixel == Halide::UInt(16) ? cast(pixel, (total + (1 << 23)) >> 24) : total;
    }
};

}  // namespace tilewright
