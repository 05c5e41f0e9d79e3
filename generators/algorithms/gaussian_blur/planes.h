#pragma once
// A form of gaussian_blur for images of several interleaved channels: variants for one channel work on a
// plane per channel. Its library copies pixels to planes and back. Variants: tuned_planes.
#include "Halide.h"

namespace tilewright {

// out(x, y, c) = in(x, y, c)
struct GaussianBlurPlanes : Halide::NamesInterface {
    static constexpr const char *name = "gaussian_blur_planes";
    Var x{"x"}, y{"y"}, c{"c"};
    Func in, out{"planes"};

    explicit GaussianBlurPlanes(Func pixels) : in(pixels) {
        out(x, y, c) = in(x, y, c);
    }
};

}  // namespace tilewright
