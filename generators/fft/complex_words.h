#pragma once
// Complex numbers in buffers of fft2d and fresnel: words of 64 bits
// (generators/algorithms/fft2d/butterfly.h). In the forms they are Tuples of two parts.
#include "generators/algorithms/fft2d/butterfly.h"

namespace tilewright {

inline Halide::Tuple parts(const Halide::Expr &word) {
    const Complex value = Complex::of_word(word);
    return Halide::Tuple(value.re, value.im);
}

inline Halide::Expr word(const Halide::FuncRef &value) {
    return Complex{value[0], value[1]}.word();
}

}  // namespace tilewright
