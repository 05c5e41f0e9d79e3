#pragma once
// A form of gaussian_blur for u8 images and small weights, with sums of 16 bits. Variants: tuned_short.
#include "Halide.h"
#include "generators/algorithms/gaussian_blur/gaussian_blur.h"
#include "generators/algorithms/gaussian_blur/weights.h"
#include "generators/algorithms/integers.h"
#include <cstdint>
#include <vector>

namespace tilewright {

// A vector has twice as many sums of 16 bits as of 32, and a result needs no product of 32 bits (ShortSums in
// weights.h). Halide makes one instruction of a mean, and one of the upper half of its product.
//
// The taps are terms of one expression, without a loop over them, so that a schedule can keep a window of
// rows in registers: a loaded pixel then serves all rows whose window it is in.
//
// The image is only read where it is: the pass down columns takes whole vectors of `lanes` elements, the last
// one of which ends where the row ends, and rows continue beyond their sides by copies of pixels that are
// already blurred down columns. So a row has at least `lanes` elements.
struct GaussianBlurShortSums : Halide::NamesInterface {
    static constexpr const char *name = "gaussian_blur_short_sums";
    static constexpr int radius = ShortSums::radius;
    Var x{"x"}, y{"y"};
    Func in, rows{"rows"}, columns{"columns"}, extended{"endless"}, down{"down"}, along{"along"}, out{"out"};
    RDom vectors;  // lane, vector

    // taps: 0 ... radius. starts: of one or two means. They and the multiplier are numbers of 16 bits.
    GaussianBlurShortSums(Func image, const ExtendedImage &border, Func taps, const std::vector<Expr> &starts,
        const Expr &multiplier, int lanes)
        : in(image), taps_(taps), starts_(starts), multiplier_(multiplier) {
        const Expr elements = border.width * border.channels;
        vectors = RDom(0, lanes, 0, ceil_div(elements, lanes), "vectors");
        rows(y) = border.row(y);
        // A tile may compute rows that nothing reads, for which `rows` was not computed.
        extended(x, y) = cast<uint16_t>(border.of_row(in, rows, x, min(y, border.height - 1 + radius)));
        down(x, y) = Halide::undef<uint16_t>();
        const Expr at = min(vectors.y * lanes, elements - lanes) + vectors.x;
        down(at, y) = pass([&](int i) { return extended(at, y + i); });
        border.copy_sides(columns, x, radius * border.channels, [&](Expr to, Expr from) {
            down(to, y) = select(border.rule == ExtendedImage::zero, cast<uint16_t>(0), down(from, y));
        });
        along(x, y) = cast<uint8_t>(pass([&](int j) { return down(x + j * border.channels, y); }));
        out(x, y) = along(x, y);
    }

private:
    Func taps_;
    std::vector<Expr> starts_;
    Expr multiplier_;

    template<typename Pixel>
    Expr pass(const Pixel &pixel) const {
        const auto term = [&](int i) { return taps_(i) * (pixel(-i) + pixel(i)); };
        Expr others = taps_(0) * pixel(0);
        for (int i = 2; i <= radius; i++) {
            others += term(i);
        }
        const auto upper = [&](const Expr &start) {  // of the product of the mean
            const Expr beside = term(1) + start,
                       mean = cast<uint16_t>((cast<uint32_t>(others) + cast<uint32_t>(beside) + 1) >> 1);
            return cast<uint16_t>((cast<uint32_t>(mean) * cast<uint32_t>(multiplier_)) >> 16);
        };
        return starts_.size() == 1 ? upper(starts_[0]) >> 7 :
                                     (upper(starts_[0]) >> 8) + (upper(starts_[1]) >> 8);
    }
};

}  // namespace tilewright
