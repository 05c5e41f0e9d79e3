#pragma once
#include "Halide.h"

namespace tilewright {

// out(x, y) = in(y, x): what stands between two passes over rows where columns are not transformed in place.
struct Fft2dTurn : Halide::NamesInterface {
    static constexpr const char *name = "fft2d_turn";
    Var x{"x"}, y{"y"};
    Func in, out{"out"};

    explicit Fft2dTurn(Func field) : in(field) {
        out(x, y) = in(y, x);
    }
};

}  // namespace tilewright
