#pragma once
// The definition of invert.
#include "Halide.h"

namespace tilewright {

// out(x, y) = the greatest value of the type - in(x, y)
struct Invert : Halide::NamesInterface {
    static constexpr const char *name = "invert";
    Var x{"x"}, y{"y"};
    Func in, out{"out"};

    explicit Invert(Func image) : in(image) {
        out(x, y) = image.type().max() - in(x, y);
    }
};

}  // namespace tilewright
