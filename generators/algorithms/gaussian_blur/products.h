#pragma once
// A form of gaussian_blur for u8 images of one channel: both passes are banded products of bytes, as tensor
// cores multiply them. Variants: tuned_products on NVIDIA's GPUs.
#include "generators/algorithms/gaussian_blur/window_words.h"
#include "generators/algorithms/tensor_products.h"
#include <string>
#include <vector>

namespace tilewright {

// One byte of each tap, as the fragments of TapFragments: words(v, q, g, m, k) are word v of lane 4 g + q in
// half m of step k. The first step begins at word `first` of the window.
struct TapPlane {
    Halide::Func words;
    Halide::Expr first, steps;
};

// A pass over lines, which are columns of the image and then rows. 32 lanes compute a tile: 32 neighbouring
// outputs of each of 32 neighbouring lines. A lane (g, q), which is 4 g + q, computes the outputs 4 g ... 4 g
// + 3 of the lines 8 q ... 8 q + 7. The pass is the product of the taps' fragments and the lines' words:
//     pass(p) = (sum_i w_i p_i * M + 2^23) >> 24,    w_i = 256 high_i + low_i
struct BandedProducts : Halide::NamesInterface {
    Var j{"j"}, u{"u"}, k{"k"};                              // of lines
    Var m{"m"}, q{"q"}, g{"g"}, line{"line"}, tile{"tile"};  // of sums: column j of tile (line, tile)
    Var half{"half"}, v{"v"};
    Func lines;  // lines(j, u, k): word k of line 4 u + j, its bytes 4 k ... 4 k + 3
    Func sums;
    // In the order of the updates of sums that read them: the words of taps and of lines.
    struct Step {
        RDom k;
        Func taps, words;
    };
    std::vector<Step> steps;

    explicit BandedProducts(const std::string &name)
        : lines(name + "_lines"), sums(name + "_sums"), name_(name) {}

    // To be called when `lines` is defined. reach: the words that a window has before its output.
    void multiply(const TapPlane &high, const TapPlane &low, const Expr &reach, const ByteProduct &product) {
        sums(j, m, q, g, line, tile) = Halide::Tuple(std::vector<Expr>(4, Expr(0)));
        add("_high", high, low.steps, reach, product);
        std::vector<Expr> shifted;
        for (const Expr &sum : before()) {
            shifted.push_back(sum << 8);
        }
        sums(j, m, q, g, line, tile) = Halide::Tuple(shifted);
        add("_low", low, low.steps, reach, product);
    }

    // A number whose byte 3 is output `output` of line `of_line` of a lane's 4 outputs of 8 lines, rounded.
    Expr rounded(const Expr &output, const Expr &of_line, const Expr &multiplier) const {
        std::vector<Expr> results;
        for (int r = 0; r < 4; r++) {
            results.push_back(
                Halide::cast<uint32_t>(sums(of_line % 4, output / 2, q, g, line, tile)[r]) * multiplier +
                (1 << 23));
        }
        return mux(2 * (output % 2) + of_line / 4, results);
    }

private:
    const std::string name_;

    std::vector<Expr> before() const {
        std::vector<Expr> all;
        for (int r = 0; r < 4; r++) {
            all.push_back(sums(j, m, q, g, line, tile)[r]);
        }
        return all;
    }

    void add(const std::string &part, const TapPlane &plane, const Expr &all_steps, const Expr &reach,
        const ByteProduct &product) {
        const std::string name = name_ + part;
        Step step{RDom(0, plane.steps, name), Func(name + "_taps"), Func(name + "_words")};
        step.taps(v, q, g, m, k) = plane.words(v, q, g, m, k);
        step.words(j, half, q, g, line, tile, k) = lines(
            j, 8 * line + g, 8 * tile - reach + promised(plane.first + 8 * k + 4 * half + q, 8 * all_steps));
        const Expr at = step.k;
        sums(j, m, q, g, line, tile) = Halide::Tuple(product(
            [&](int word, Expr of_g, Expr of_q) { return step.taps(word, of_q, of_g, m, at); },
            [&](int word, Expr of_g, Expr of_q) { return step.words(j, word, of_q, of_g, line, tile, at); },
            g, q, before()));
        steps.push_back(step);
    }
};

// The separable blur: down columns, then along rows, with bytes between the passes. The image is rows of
// bytes, and out is rows of words. Columns continue beyond the left and right side between the passes too:
// each of them is blurred by itself, from the column whose copy it is. out is computed in bands of rows, so
// that the bytes between the passes take the memory of one band.
struct GaussianBlurProducts : Halide::NamesInterface {
    static constexpr const char *name = "gaussian_blur_products";
    // The tiles of a group of workers: of so many lines, and of so many outputs of each.
    struct Group {
        int lines, outputs;
    };

    Var x{"x"}, y{"y"}, i{"i"}, e{"e"}, n{"n"};
    BorderedWords words;
    Func source{"source"}, columns{"columns"};
    BandedProducts down{"down"}, along{"along"};
    Func down_words{"down_words"}, between{"between"}, along_words{"along_words"}, out{"out"};
    RDom to;

    GaussianBlurProducts(Func image, Expr width, Expr height, const BorderMap &border, const TapPlane &high,
        const TapPlane &low, Expr reach, Expr multiplier, const Group &group, Expr band,
        const ByteProduct &product, const WordOperations &word)
        : words(image, width, height, border, true, word) {
        read_columns(image, width, height, word);
        down.multiply(high, low, reach, product);
        read_rows(multiplier, word);
        along.multiply(high, low, reach, product);
        along_words(n, along.q, along.g, along.line, along.tile) =
            joined(word, [&](int b) { return along.rounded(b, n, multiplier); });
        store(width, height, group, band);
    }

private:
    // source(x, y): word x of row y, with a branch for words that are not inside. columns(j, u, k): four rows
    // of column j of word u.
    void read_columns(Func image, const Expr &width, const Expr &height, const WordOperations &word) {
        const Var j = down.j, u = down.u, k = down.k;
        source(x, y) = if_else(below(x, width / 4) && below(y, height),
            image(promised(x, words.words), promised(y, height)), words.source(x, y));
        const auto row = [&](int b) { return source(u, 4 * k + b); };
        columns(j, u, k) = mux(j, word.transposed(row(0), row(1), row(2), row(3)));
        down.lines(j, u, k) = columns(j, u, k);
    }

    // The word of bytes 3 of four numbers.
    template<typename Number>
    static Expr joined(const WordOperations &word, const Number &number) {
        const Expr last = WordOperations::hex(0x0073);
        return word.pick(word.pick(number(0), number(1), last), word.pick(number(2), number(3), last),
            WordOperations::hex(0x5410));
    }

    // between(i, g, tile, e, q, line): word 8 line + 2 q + e of row 32 tile + 4 g + i, of four columns.
    void read_rows(const Expr &multiplier, const WordOperations &word) {
        down_words(i, e, down.q, down.g, down.line, down.tile) =
            joined(word, [&](int b) { return down.rounded(i, 4 * e + b, multiplier); });
        between(i, down.g, down.tile, e, down.q, down.line) =
            down_words(i, e, down.q, down.g, down.line, down.tile);
        const Var j = along.j, u = along.u, k = along.k;
        along.lines(j, u, k) = between(j, u % 8, u / 8, k % 2, (k % 8) / 2, k / 8);
    }

    // Places of out: row of eight, part (see below), word of a tile, eight rows of a tile, tiles of a group,
    // groups, bands.
    void store(const Expr &width, const Expr &height, const Group &group, const Expr &band) {
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
        const Expr blurred = along_words(of_line, of_lines, of_word, line, tile);
        out(to_x, to_y) =
            select(part == 0, blurred, BorderedWords::with_rest(blurred, to_x, out(to_x, to_y), width));
    }
};

}  // namespace tilewright
