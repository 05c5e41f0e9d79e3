#pragma once
// The definition: Sobel's gradient, as mathematics. No schedule, no target.
#include "Halide.h"

namespace tilewright {

// out(x, y) = min(|gx| + |gy|, 255), the gradients of a 3 x 3 window. Pixels beyond the border are those at
// the border.
struct Sobel : Halide::NamesInterface {
    static constexpr const char *name = "sobel";
    Var x{"x"}, y{"y"};
    Func in, out{"out"};

    Sobel(Func image, Expr width, Expr height) : in(image) {
        const auto at = [&](int dx, int dy) {
            return cast<int16_t>(in(clamp(x + dx, 0, width - 1), clamp(y + dy, 0, height - 1)));
        };
        const Expr gx = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
        const Expr gy = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
        out(x, y) = Halide::saturating_cast<uint8_t>(abs(gx) + abs(gy));  // at most 2040
    }
};

}  // namespace tilewright
