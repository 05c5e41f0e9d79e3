#pragma once
// The definition of invert.
#include "Halide.h"

namespace tilewright {

// out(x, y) = 255 - in(x, y)
struct Invert : Halide::NamesInterface {
    static constexpr const char *name = "invert";
    Var x{"x"}, y{"y"};
    Func in, out{"out"};

    explicit Invert(Func image) : in(image) {
        out(x, y) = cast<uint8_t>(255) - in(x, y);
    }
};

}  // namespace tilewright
