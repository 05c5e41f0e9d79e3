#pragma once
// A form of gaussian_blur for images whose rows do not begin at multiples of 16 bytes, as a caller's may:
// variants for aligned rows work on copies. Its library copies rows. Variants: tuned_realigned.
#include "Halide.h"

namespace tilewright {

// out(x, y) = in(x, y)
struct GaussianBlurRealigned : Halide::NamesInterface {
    static constexpr const char *name = "gaussian_blur_realigned";
    Var x{"x"}, y{"y"};
    Func in, out{"realigned"};

    explicit GaussianBlurRealigned(Func rows) : in(rows) {
        out(x, y) = in(x, y);
    }
};

}  // namespace tilewright
