#pragma once
#include "Halide.h"

namespace tilewright {

// out(x, y) = in(y, x); of colour images channel by channel.
struct Transpose : Halide::NamesInterface {
    static constexpr const char *name = "transpose";
    Var x{"x"}, y{"y"};
    Func in, out{"out"};

    explicit Transpose(Func image) : in(image) {
        out(x, y, Halide::_) = in(y, x, Halide::_);
    }
};

}  // namespace tilewright
