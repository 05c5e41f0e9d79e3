#pragma once
// A form of gaussian_blur for u8 images of several interleaved channels: a window of fixed radius, both
// passes by dot products of four bytes. Variants: tuned_colours_* for u8 on GPUs.
#include "generators/algorithms/gaussian_blur/window_dot.h"

namespace tilewright {

// The separable blur of u8 images of 2 to 4 channels: down columns, then along rows, with bytes between the
// passes. The image is rows of words, and x counts words.
//
// Down columns, channels do not matter. Along rows, a dot product takes neighbours of one channel: between
// the passes, a tile is divided into planes, one per channel. There an image continues beyond its left and
// right border too, because a tile that is blurred down columns has all the columns that its borders repeat.
// So the pass down columns reads only words of the image, one by one, whatever the border and the width.
struct GaussianBlurColours : GaussianBlurDotColumns {
    static constexpr const char *name = "gaussian_blur_window_colours";
    Var n{"n"}, b{"b"}, k{"k"};
    Func source{"source"}, place{"place"}, picks{"picks"}, plane{"plane"};
    int channels;
    WindowDomain to;

    GaussianBlurColours(Func image, Expr width, Expr height, const BorderMap &border,
        const TapWords &tap_words, Expr multiplier, const GaussianBlurWindowVariant &row,
        const WordOperations &operations)
        : GaussianBlurDotColumns(image, WindowTile::of(row, 4), tap_words, multiplier, operations),
          channels(row.channels),
          to(tile, workers(), ceil_div(width * channels, 4), width * channels / 4, height) {
        const Expr elements = width * channels, words = ceil_div(elements, 4);
        const Expr from = border.inside(y, height, border.high_y);
        source(x, y) = image(promised(clamp(x, 0, words - 1), words), from) &
                       select(border.zero == 0 || from == y, hex(0xffffffff), hex(0));
        blur_columns(source, hex(0x5410));
        divide_into_planes(width, border);
        blur_rows();

        out(x, y) = Halide::undef<uint32_t>();
        const Expr at_x = promised(to.x, words), at_y = promised(to.y, height);
        const Expr blurred = to.value(along, Expr(to.block_x));
        out(at_x, at_y) =
            select(to.part == 0, blurred, BorderedWords::with_rest(blurred, to.x, out(at_x, at_y), elements));
    }

    // Workers of a group: the tile's words and the halo's. A window of planes begins at a multiple of four
    // words.
    int workers() const {
        return tile.columns + 2 * channels * round_up(taps.reach(), 4);
    }

private:
    // plane(n, c, y, b): the pixels 4 n ... 4 n + 3 of channel c of tile b, blurred down columns. place(n, c,
    // b, k): the word of pixel k. picks(n, c, b, k): of words 0 and 1, of words 2 and 3, and which bytes
    // count. Pixels that no output of the tile needs may be any of the tile.
    void divide_into_planes(const Expr &width, const BorderMap &border) {
        const Expr first = b * tile.columns - ceil_div(channels * taps.radius, 4),
                   last = (b + 1) * tile.columns + ceil_div(channels * taps.radius, 4) - 1;
        std::vector<Expr> words, bytes;
        Expr mask = hex(0);
        for (int i = 0; i < 4; i++) {
            const Expr pixel = 4 * n + i, inside = border.inside(pixel, width, border.high_x);
            const Expr element = channels * inside + c;
            words.push_back(clamp(element / 4, first, last));
            bytes.push_back(cast<uint32_t>(element % 4));
            mask = mask | select(border.zero == 0 || inside == pixel, hex(0xffu << (8 * i)), hex(0));
        }
        place(n, c, b, k) = mux(k, words);
        picks(n, c, b, k) =
            mux(k, {bytes[0] | ((bytes[1] + 4) << 4), bytes[2] | ((bytes[3] + 4) << 4), mask});
        const auto at = [&](int i) { return down(clamp(place(n, c, b, i), first, last), y); };
        plane(n, c, y, b) = word.pick(word.pick(at(0), at(1), picks(n, c, b, 0)),
                                word.pick(at(2), at(3), picks(n, c, b, 1)), hex(0x5410)) &
                            picks(n, c, b, 2);
    }

    // along(x, y, b): word x of a row, whose bytes are pixels of several planes.
    void blur_rows() {
        std::vector<Expr> words;
        for (int i = 0; i < channels; i++) {
            std::vector<Expr> bytes;
            for (int element = 4 * i; element < 4 * i + 4; element++) {
                bytes.push_back(pass(element / channels,
                    [&](int j) { return plane(x / channels - taps.reach() + j, element % channels, y, b); }));
            }
            words.push_back(word.pack(bytes[0], bytes[1], bytes[2], bytes[3]));
        }
        along(x, y, b) = mux(x % channels, words);
    }
};

}  // namespace tilewright
