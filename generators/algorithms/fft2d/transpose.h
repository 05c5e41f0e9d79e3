#pragma once
// A form of fft2d: the transpose between two passes over rows, where columns are not transformed in place.
// Variants: passes of fft2d, and passes_transpose of fresnel.
#include "Halide.h"

namespace tilewright {

// out(x, y) = in(y, x)
struct Fft2dTranspose : Halide::NamesInterface {
    static constexpr const char *name = "fft2d_transpose";
    Var x{"x"}, y{"y"};
    Func in, out{"out"};

    explicit Fft2dTranspose(Func field) : in(field) {
        out(x, y) = in(y, x);
    }
};

}  // namespace tilewright
