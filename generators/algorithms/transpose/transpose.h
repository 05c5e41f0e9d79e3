#pragma once
// The definition of transpose.
#include "Halide.h"

namespace tilewright {

// out(x, y) = in(y, x). Colour images have a third dimension, which stays as it is.
struct Transpose : Halide::NamesInterface {
    static constexpr const char *name = "transpose";
    Var x{"x"}, y{"y"};
    Func in, out{"out"};

    explicit Transpose(Func image) : in(image) {
        out(x, y, Halide::_) = in(y, x, Halide::_);
    }
};

// The same for colour images of a known number of channels.
struct TransposeColours : Transpose {
    static constexpr const char *name = "transpose_colours";
    int channels;

    TransposeColours(Func image, int channels) : Transpose(image), channels(channels) {}
};

}  // namespace tilewright
