#pragma once
// A form of gaussian_blur for f32 images and one radius. Variants: tuned_terms_4.
#include "Halide.h"
#include "generators/algorithms/gaussian_blur/gaussian_blur.h"

namespace tilewright {

// The taps are terms of one expression, without a loop over them, so that a schedule can keep a window of
// rows in registers: a loaded pixel then serves all rows whose window it is in. The two pixels of a tap and
// of its mirror image are added before the product, so that pixels above 2^127, half of the largest f32, may
// give infinity.
struct GaussianBlurTerms : Halide::NamesInterface {
    static constexpr const char *name = "gaussian_blur_terms";
    Var x{"x"}, y{"y"};
    Func in, columns{"columns"}, extended{"endless"}, down{"down"}, out{"out"};
    int radius;

    // weight: taps 0 ... radius.
    GaussianBlurTerms(Func image, const ExtendedImage &border, Func weight, int r) : in(image), radius(r) {
        columns(x) = border.column(x);
        extended(x, y) = border(in, columns, x, y);
        down(x, y) = terms(weight, [&](int i) { return extended(x, y + i); });
        out(x, y) = terms(weight, [&](int j) { return down(x + j * border.channels, y); });
    }

private:
    template<typename Pixel>
    Expr terms(const Func &weight, const Pixel &pixel) const {
        Expr sum = weight(0) * pixel(0);
        for (int i = 1; i <= radius; i++) {
            sum += weight(i) * (pixel(-i) + pixel(i));
        }
        return sum;
    }
};

}  // namespace tilewright
