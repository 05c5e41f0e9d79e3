#pragma once
// A form of gaussian_blur for u8 images of one channel: a window of fixed radius with sums in floats, without
// dot products of bytes. Variants: registers_4 for u8.
#include "generators/algorithms/gaussian_blur/window_words.h"

namespace tilewright {

// Weights are integers and sums stay below 2^23, so that floats hold them exactly, also with 2^23 added.
// Rounding is that of the integers:
//     pass(p) = (sum_i w_i p_i * M + 2^23) >> 24       down columns, then along rows
// The image is read as words. x counts pixels, and words in `along` and `out`.
struct GaussianBlurWindowFloats : Halide::NamesInterface {
    static constexpr const char *name = "gaussian_blur_window_floats";
    Var x{"x"}, y{"y"}, t{"t"};
    Func in, weight{"weight"}, down_sum{"down_sum"}, down{"down"}, along_sum{"along_sum"}, along{"along"},
        out{"out"};
    RDom i, j;
    int radius;
    WindowTile tile;  // `columns` and `window` count words
    BorderedWords words;
    WindowDomain to;

    GaussianBlurWindowFloats(Func image, Expr width, Expr height, const BorderMap &border,
        const std::vector<Expr> &weights, Expr multiplier, const GaussianBlurWindowVariant &row)
        : in(image), radius((int)weights.size() - 1), tile(WindowTile::of(row, 4)),
          words(image, width, height, border, true, WordOperations{}),
          to(tile, workers(), ceil_div(width, 4), width / 4, height) {
        i = RDom(-radius, 2 * radius + 1, "i");
        j = RDom(-radius, 2 * radius + 1, "j");
        weight(t) = symmetric_weight(weights, t);

        const float zero = 8388608;  // 2^23: the low bits of the float 2^23 + sum are the integer sum
        auto rounded = [&](Expr sum) {
            return ((reinterpret<uint32_t>(sum) - 0x4B000000) * multiplier + (1 << 23)) >> 24;
        };
        auto pixel = [&](Expr px, Expr py) {
            return cast<float>((words.source(px / 4, py) >> cast<uint32_t>(8 * (px % 4))) & 0xff);
        };
        down_sum(x, y) = zero;
        down_sum(x, y) += weight(i) * pixel(x, y + i);
        down(x, y) = cast<float>(rounded(down_sum(x, y)));
        along_sum(x, y) = zero;
        along_sum(x, y) += weight(j) * down(x + j, y);
        auto byte = [&](int b) { return rounded(along_sum(4 * x + b, y)) << (8 * b); };
        along(x, y) = byte(0) | byte(1) | byte(2) | byte(3);

        // Bytes after the last pixel of a row stay as they were.
        out(x, y) = Halide::undef<uint32_t>();
        const Expr at_x = promised(to.x, words.words), at_y = promised(to.y, height);
        const Expr blurred = to.value(along);
        out(at_x, at_y) =
            select(to.part == 0, blurred, BorderedWords::with_rest(blurred, to.x, out(at_x, at_y), width));
    }

    // Workers of a group in the pass down columns: the tile's words and the halo's.
    int workers() const {
        return tile.columns + 2 * ceil_div(radius, 4);
    }
};

}  // namespace tilewright
