#pragma once
// A form of gaussian_blur for u8 images of one channel: both passes are banded products of bytes, as tensor
// cores multiply them. Variants: tuned_products on NVIDIA's GPUs.
#include "generators/algorithms/gaussian_blur/products/banded.h"
#include "generators/algorithms/gaussian_blur/window_words.h"
#include <vector>

namespace tilewright {

// The separable blur: down columns, then along rows, with bytes between the passes. The image is rows of
// bytes, and out is rows of words. Columns continue beyond the left and right side between the passes too:
// each of them is blurred by itself, from the column whose copy it is. out is computed in bands of rows, so
// that the bytes between the passes take the memory of one band.
struct GaussianBlurProducts : Halide::NamesInterface {
    static constexpr const char *name = "gaussian_blur_products";
    // The tiles of a group of workers: of so many lines, and of so many outputs of each.
    struct Group {
        int lines, outputs;
        Expr band;  // groups of lines in a band

        template<typename Tunable>
        static Group of(const GaussianBlurProductsConfiguration &, int, const Tunable &tunable) {
            return {tunable("lines"), tunable("outputs"), Expr()};
        }
    };

    Var x{"x"}, y{"y"}, n{"n"};
    BorderedWords words;
    Func source{"source"}, columns{"columns"};
    BandedProducts down{"down"}, along{"along"};
    // lines(n, h, u, k): word 2 k + n % 2 of line 4 u + 2 h + n / 2; word w has its bytes 4 w ... 4 w + 3.
    Var h{"h"}, u{"u"}, k{"k"};
    Func down_lines{"down_lines"}, along_lines{"along_lines"};
    Func down_words{"down_words"}, between{"between"}, along_words{"along_words"}, out{"out"};
    RDom to;

    GaussianBlurProducts(Func image, Expr width, Expr height, const BorderMap &border,
        const std::vector<TapPlane> &taps, Expr reach, Expr multiplier, const Group &group,
        const AddedProduct &product, const WordOperations &word)
        : words(image, width, height, border, true, word) {
        const auto of = [&](const Func &lines) {
            return [=](Expr n, Expr h, Expr line, Expr g, Expr tile, int, Expr k, Expr, Expr) {
                return lines(n, h, 8 * line + g, 4 * tile - reach / 2 + k);
            };
        };
        read_columns(image, width, height, word);
        down.multiply(1, false, taps, 4 * taps[0].steps, of(down_lines), product);
        read_rows(multiplier, word);
        along.multiply(1, false, taps, 4 * taps[0].steps, of(along_lines), product);
        along_words(n, along.q, along.g, along.line, along.tile, along.block, along.group) =
            along.joined([](int b) { return b; }, [&](int) { return n; }, 0, multiplier, word);
        store(width, height, group);
    }

private:
    // source(x, y): word x of row y, with a branch for words that are not inside. columns(n, h, u, k): four
    // rows of column 2 h + n / 2 of word u.
    void read_columns(Func image, const Expr &width, const Expr &height, const WordOperations &word) {
        source(x, y) = if_else(below(x, width / 4) && below(y, height),
            image(promised(x, words.words), promised(y, height)), words.source(x, y));
        std::vector<Expr> of_word[2];
        for (int w = 0; w < 2; w++) {
            const auto row = [&](int b) { return source(u, 8 * k + 4 * w + b); };
            of_word[w] = word.transposed(row(0), row(1), row(2), row(3));
        }
        columns(n, h, u, k) = mux(n % 2, {mux(2 * h + n / 2, of_word[0]), mux(2 * h + n / 2, of_word[1])});
        down_lines(n, h, u, k) = columns(n, h, u, k);
    }

    // between(n, g, tile, h, q, line): word 8 line + 2 q + n % 2 of row 32 tile + 4 g + 2 h + n / 2, of four
    // columns.
    void read_rows(const Expr &multiplier, const WordOperations &word) {
        down_words(n, h, down.q, down.g, down.line, down.tile, down.block, down.group) = down.joined(
            [&](int) { return 2 * h + n / 2; }, [&](int b) { return 4 * (n % 2) + b; }, 0, multiplier, word);
        between(n, down.g, down.tile, h, down.q, down.line) =
            down_words(n, h, down.q, down.g, down.line, down.tile, 0, 0);
        along_lines(n, h, u, k) = between(n, u % 8, u / 8, h, k % 4, k / 4);
    }

    // Places of out: row of eight, part (see below), word of a tile, eight rows of a tile, tiles of a group,
    // groups, bands.
    void store(const Expr &width, const Expr &height, const Group &group) {
        const Expr band = group.band;
        const Expr words = ceil_div(width, 4);
        to = RDom({{0, 8}, {0, 2}, {0, 8}, {0, 4}, {0, group.lines}, {0, group.outputs},
                      {0, ceil_div(words, 8 * group.outputs)}, {0, band},
                      {0, ceil_div(height, 32 * group.lines * band)}},
            "to");
        const Expr of_line = to[0], part = to[1], of_word = to[2], of_lines = to[3];
        const Expr line = to[4] + group.lines * (to[7] + band * to[8]), tile = to[5] + group.outputs * to[6];
        const Expr at_x = 8 * tile + of_word, at_y = 32 * line + 8 * of_lines + of_line;
        const Expr whole = below(at_x, width / 4);
        to.where(select(part == 0, whole, !whole && below(at_x, words)));
        to.where(below(at_y, height));
        out(x, y) = Halide::undef<uint32_t>();
        const Expr to_x = promised(at_x, words), to_y = promised(at_y, height);
        const Expr blurred = along_words(of_line, of_lines, of_word, line, tile, 0, 0);
        out(to_x, to_y) =
            select(part == 0, blurred, BorderedWords::with_rest(blurred, to_x, out(to_x, to_y), width));
    }
};

}  // namespace tilewright
