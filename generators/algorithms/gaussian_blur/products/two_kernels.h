#pragma once
// A form of gaussian_blur for u8 and u16 images: both passes are banded products of bytes, as tensor cores
// multiply them. Variants: tuned_products* on NVIDIA's GPUs.
#include "generators/algorithms/gaussian_blur/products/banded.h"
#include "generators/algorithms/gaussian_blur/window_words.h"
#include <algorithm>
#include <vector>

namespace tilewright {

// The separable blur: down columns, then along rows, with bytes between the passes. Image and out are rows of
// words. In between, images of several channels, or of two bytes per number, are divided into planes of
// bytes. Columns continue beyond the left and right side between the passes too: each of them is blurred by
// itself, from the column whose copy it is. out is computed in bands of rows, so that the bytes between the
// passes take the memory of one band.
struct GaussianBlurProducts : Halide::NamesInterface {
    static constexpr const char *name = "gaussian_blur_products";
    // The tiles of a group of workers: of so many lines, and of so many outputs of each.
    struct Group {
        int channels, bytes, lines, outputs;
        Expr band;  // groups of lines in a band

        template<typename Tunable>
        static Group of(const GaussianBlurProductsConfiguration &row, int bytes, const Tunable &tunable) {
            return {row.channels, bytes, tunable("lines"), tunable("outputs"), Expr()};
        }
        int planes() const {
            return channels * bytes;
        }
    };

    Var x{"x"}, y{"y"}, n{"n"};
    Group group;
    BorderedWords words;
    Func source{"source"}, columns{"columns"};
    BandedProducts down{"down"}, along{"along"};
    // lines(n, h, u, k, b, c): word 2 k + n % 2 of byte b of channel c of line 4 u + 2 h + n / 2; word w has
    // the pixels 4 w ... 4 w + 3.
    Var h{"h"}, u{"u"}, k{"k"}, b{"b"}, c{"c"};
    Func down_lines{"down_lines"}, along_lines{"along_lines"};
    Func down_words{"down_words"}, between{"between"}, along_words{"along_words"}, out{"out"};
    RDom to;

    GaussianBlurProducts(Func image, Expr width, Expr height, const BorderMap &border,
        const std::vector<TapPlane> &taps, Expr reach, Expr multiplier, const Group &group,
        const AddedProduct &product, const WordOperations &word)
        : group(group), words(image, width, height, border, true, word, std::min(group.planes(), 2)) {
        const auto of = [&](const Func &lines) {
            return [=](Expr n, Expr h, Expr line, Expr g, Expr tile, int byte, Expr k, Expr channel, Expr) {
                return lines(n, h, 8 * line + g, 4 * tile - reach / 2 + k, byte, channel);
            };
        };
        read_columns(image, width, height, border, word);
        down.multiply(group.bytes, false, taps, 4 * taps[0].steps, of(down_lines), product);
        read_rows(multiplier, word);
        along.multiply(group.bytes, false, taps, 4 * taps[0].steps, of(along_lines), product);
        along_words(n, b, along.q, along.g, along.line, along.tile, along.block, along.group) =
            along.joined([](int i) { return i; }, [&](int) { return n; }, b, multiplier, word);
        store(group.planes() * width, height, word);
    }

private:
    // source(x, y): word x of row y, with a branch for words that are not inside. columns(n, h, u, k, b, c):
    // four rows of column 4 u + 2 h + n / 2.
    void read_columns(Func image, const Expr &width, const Expr &height, const BorderMap &border,
        const WordOperations &word) {
        const int planes = group.planes();
        const Expr all_words = ceil_div(planes * width, 4);
        source(x, y) = if_else(below(x, planes * width / 4) && below(y, height),
            image(promised(x, all_words), promised(y, height)),
            planes <= 2 ? words.source(x, y) : word_by_bytes(image, planes, x, y, width, height, border));
        columns(n, h, u, k, b, c) = word_of_rows(planes, n, planes * (2 * h + n / 2) + group.bytes * c + b,
            word, [&](int plane, int row) { return source(planes * u + plane, 8 * k + row); });
        down_lines(n, h, u, k, b, c) = columns(n, h, u, k, b, c);
    }

    // between(n, g, tile, h, q, line, b, c): word 8 line + 2 q + n % 2 of row 32 tile + 4 g + 2 h + n / 2,
    // of four columns.
    void read_rows(const Expr &multiplier, const WordOperations &word) {
        down_words(n, h, b, down.q, down.g, down.line, down.tile, down.block, down.group) =
            down.joined([&](int) { return 2 * h + n / 2; }, [&](int column) { return 4 * (n % 2) + column; },
                b, multiplier, word);
        between(n, down.g, down.tile, h, down.q, down.line, b, c) =
            down_words(n, h, b, down.q, down.g, down.line, down.tile, c, 0);
        along_lines(n, h, u, k, b, c) = between(n, u % 8, u / 8, h, k % 4, k / 4, b, c);
    }

    // Places of out: row of eight, part (see below), word of four pixels, those of a tile, eight rows of a
    // tile, tiles of a group, groups, bands.
    void store(const Expr &row_bytes, const Expr &height, const WordOperations &word) {
        const int planes = group.planes();
        const Expr band = group.band;
        const Expr words = ceil_div(row_bytes, 4);
        to = RDom({{0, 8}, {0, 2}, {0, planes}, {0, 8}, {0, 4}, {0, group.lines}, {0, group.outputs},
                      {0, ceil_div(words, 8 * planes * group.outputs)}, {0, band},
                      {0, ceil_div(height, 32 * group.lines * band)}},
            "to");
        const Expr of_line = to[0], part = to[1], of_pixels = to[2], of_word = to[3], of_lines = to[4];
        const Expr line = to[5] + group.lines * (to[8] + band * to[9]), tile = to[6] + group.outputs * to[7];
        const Expr at_x = planes * (8 * tile + of_word) + of_pixels,
                   at_y = 32 * line + 8 * of_lines + of_line;
        const Expr whole = below(at_x, row_bytes / 4);
        to.where(select(part == 0, whole, !whole && below(at_x, words)));
        to.where(below(at_y, height));
        out(x, y) = Halide::undef<uint32_t>();
        const Expr to_x = promised(at_x, words), to_y = promised(at_y, height);
        const Expr blurred = interleaved(planes, of_pixels, word, [&](const Expr &plane) {
            return along_words(
                of_line, plane % group.bytes, of_lines, of_word, line, tile, plane / group.bytes, 0);
        });
        out(to_x, to_y) =
            select(part == 0, blurred, BorderedWords::with_rest(blurred, to_x, out(to_x, to_y), row_bytes));
    }
};

}  // namespace tilewright
