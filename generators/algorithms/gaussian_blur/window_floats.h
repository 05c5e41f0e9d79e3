#pragma once
// Forms of gaussian_blur for u8: a window of fixed radius with sums in floats, for machines without dot
// products of bytes. Variants: registers_4 for u8, tuned_window_* and tuned_colours_* for u8 on OpenCL.
#include "generators/algorithms/gaussian_blur/window_words.h"

namespace tilewright {

// What both forms share. Weights are integers and sums stay below 2^23, so that floats hold them exactly,
// also with 2^23 added. Rounding is that of the integers:
//     pass(p) = (sum_i w_i p_i * M + 2^23) >> 24       down columns, then along rows
// x counts elements, and words in `along` and `out`. Neighbours of one channel are `channels` elements apart.
struct GaussianBlurFloatPasses : Halide::NamesInterface {
    Var x{"x"}, y{"y"}, t{"t"};
    Func in, weight{"weight"}, down_sum{"down_sum"}, down{"down"}, along_sum{"along_sum"}, along{"along"},
        out{"out"};
    RDom i, j;
    int radius, channels;
    WindowTile tile;  // `columns` and `window` count words

protected:
    GaussianBlurFloatPasses(
        Func image, const std::vector<Expr> &weights, const GaussianBlurWindowVariant &row)
        : in(image), radius((int)weights.size() - 1), channels(row.channels), tile(WindowTile::of(row, 4)) {}

    // pixel(x, y) gives an element of the extended image, as a float.
    template<typename Pixel>
    void blur(const std::vector<Expr> &weights, const Expr &multiplier, const Pixel &pixel) {
        i = RDom(-radius, 2 * radius + 1, "i");
        j = RDom(-radius, 2 * radius + 1, "j");
        weight(t) = symmetric_weight(weights, t);

        const float zero = 8388608;  // 2^23: the low bits of the float 2^23 + sum are the integer sum
        auto rounded = [&](Expr sum) {
            return ((reinterpret<uint32_t>(sum) - 0x4B000000) * multiplier + (1 << 23)) >> 24;
        };
        down_sum(x, y) = zero;
        down_sum(x, y) += weight(i) * pixel(x, y + i);
        down(x, y) = cast<float>(rounded(down_sum(x, y)));
        along_sum(x, y) = zero;
        along_sum(x, y) += weight(j) * down(x + channels * j, y);
        auto byte = [&](int b) { return rounded(along_sum(4 * x + b, y)) << (8 * b); };
        along(x, y) = byte(0) | byte(1) | byte(2) | byte(3);
    }

    // Stores the blurred words; bytes after the last element of a row stay as they were.
    void store(const WindowDomain &to, const Expr &elements, const Expr &height) {
        out(x, y) = Halide::undef<uint32_t>();
        const Expr at_x = promised(to.x, ceil_div(elements, 4)), at_y = promised(to.y, height);
        const Expr blurred = to.value(along);
        out(at_x, at_y) =
            select(to.part == 0, blurred, BorderedWords::with_rest(blurred, to.x, out(at_x, at_y), elements));
    }
};

// Images of one channel, which are read as words.
struct GaussianBlurWindowFloats : GaussianBlurFloatPasses {
    static constexpr const char *name = "gaussian_blur_window_floats";
    BorderedWords words;
    WindowDomain to;

    GaussianBlurWindowFloats(Func image, Expr width, Expr height, const BorderMap &border,
        const std::vector<Expr> &weights, Expr multiplier, const GaussianBlurWindowVariant &row)
        : GaussianBlurFloatPasses(image, weights, row),
          words(image, width, height, border, true, WordOperations{}),
          to(tile, workers(), ceil_div(width, 4), width / 4, height) {
        blur(weights, multiplier, [&](Expr px, Expr py) {
            return cast<float>((words.source(px / 4, py) >> cast<uint32_t>(8 * (px % 4))) & 0xff);
        });
        store(to, width, height);
    }

    // Workers of a group in the pass down columns: the tile's words and the halo's.
    int workers() const {
        return tile.columns + 2 * ceil_div(radius, 4);
    }
};

// Images of several interleaved channels. Beyond the border, neighbouring elements come from many words: so
// they are read one by one.
struct GaussianBlurColourFloats : GaussianBlurFloatPasses {
    static constexpr const char *name = "gaussian_blur_window_colour_floats";
    Func pixel{"pixel"};
    WindowDomain to;

    GaussianBlurColourFloats(Func image, Expr width, Expr height, const BorderMap &border,
        const std::vector<Expr> &weights, Expr multiplier, const GaussianBlurWindowVariant &row)
        : GaussianBlurFloatPasses(image, weights, row),
          to(tile, workers(), ceil_div(width * channels, 4), width * channels / 4, height) {
        const Expr at = x / channels, from_x = border.inside(at, width, border.high_x),
                   from_y = border.inside(y, height, border.high_y),
                   element = channels * from_x + x % channels;
        const Expr word = image(promised(element / 4, ceil_div(width * channels, 4)), from_y);
        const Expr byte = (word >> cast<uint32_t>(8 * (element % 4))) & 0xff;
        pixel(x, y) = select(border.zero != 0 && (from_x != at || from_y != y), 0.f, cast<float>(byte));
        blur(weights, multiplier, [&](Expr px, Expr py) { return pixel(px, py); });
        store(to, width * channels, height);
    }

    // Workers of a group in the pass down columns: the tile's elements and the halo's.
    int workers() const {
        return 4 * tile.columns + 2 * round_up(channels * radius, 4);
    }
};

}  // namespace tilewright
