#pragma once
// A form of gaussian_blur for u8: a window of fixed radius, both passes by dot products of four bytes.
// Variants: tuned_words_* and tuned_window_* for u8 on GPUs.
#include "generators/algorithms/gaussian_blur/weights.h"
#include "generators/algorithms/gaussian_blur/window.h"
#include "generators/algorithms/gaussian_blur/window_words.h"

namespace tilewright {

// The words of taps, as expressions: see TapWordShape for which there are.
struct TapWords : TapWordShape {
    std::vector<Halide::Expr> lower,
        upper;  // [phase * words() + k], with the low and the high bytes; undefined: no tap

    explicit TapWords(TapWordShape shape) : TapWordShape(shape), lower(4 * words()), upper(4 * words()) {}
};

// What the forms by dot products share: the pass down columns, of words of four neighbouring bytes, in
// integers:
//     pass(p) = (sum_i w_i p_i * M + 2^23) >> 24
// Four rows of a word, transposed, are four words that hold four rows of one column each; so the pass is dot
// products of words.
struct GaussianBlurDotColumns : Halide::NamesInterface {
    Var x{"x"}, y{"y"}, c{"c"}, g{"g"}, k{"k"};
    std::optional<RowsInTwoWays> two_ways;
    Func in, transposed{"turned"}, down_byte{"down_byte"}, down{"down"}, along{"along"}, out{"out"};
    WindowTile tile;  // `columns` and `window` count words
    TapWords taps;
    Expr multiplier;
    WordOperations word;

protected:
    GaussianBlurDotColumns(Func image, const WindowTile &tile, const TapWords &taps, Expr multiplier,
        const WordOperations &operations)
        : in(image), tile(tile), taps(taps), multiplier(multiplier), word(operations) {}

    static Expr hex(uint32_t value) {
        return WordOperations::hex(value);
    }

    // pass(p) for the output of one phase; word_at(k) gives the words of its line.
    template<typename WordAt>
    Expr pass(int phase, WordAt word_at) const {
        Expr sum = hex(taps.high ? word.zero >> 8 : word.zero);
        auto add = [&](const std::vector<Expr> &weights) {
            for (int k = 0; k < taps.words(); k++) {
                const Expr w = weights[phase * taps.words() + k];
                sum = w.defined() ? word.dot(word_at(k), w, sum) : sum;
            }
        };
        if (taps.high) {
            add(taps.upper);
            sum = sum << 8;
        }
        add(taps.lower);
        return word.rounded(sum, multiplier);
    }

    // down(x, y): word x of row y of `source`, blurred down columns. `order` says how its bytes are picked.
    void blur_columns(const Func &source, const Expr &order) {
        transpose_words(source);
        std::vector<Expr> bytes;
        for (int phase = 0; phase < 4; phase++) {
            bytes.push_back(
                pass(phase, [&](int n) { return transposed(c, x, y / tile.rows, y % tile.rows / 4 + n); }));
        }
        down_byte(c, x, y) = mux(y % 4, bytes);
        down(x, y) = word.pick(word.pick(down_byte(0, x, y), down_byte(1, x, y), hex(0x0040)),
            word.pick(down_byte(2, x, y), down_byte(3, x, y), hex(0x0040)), order);
    }

private:
    // transposed(c, x, g, k): column c of word x, rows 4 k ... 4 k + 3 of those that the worker of rows g
    // reads.
    void transpose_words(const Func &source) {
        const auto row = [&](int i) {
            return two_ways ? two_ways->row(x, g, 4 * k + i) :
                              source(x, g * tile.rows - 4 * taps.reach() + 4 * k + i);
        };
        transposed(c, x, g, k) = mux(c, word.transposed(row(0), row(1), row(2), row(3)));
    }
};

// The separable blur of u8 images of one channel: down columns, then along rows, with bytes between the
// passes. The image is rows of words, and x counts words.
struct GaussianBlurWindowDot : GaussianBlurDotColumns {
    static constexpr const char *name = "gaussian_blur_window_dot";
    BorderedWords words;
    WindowDomain to;

    GaussianBlurWindowDot(Func image, Expr width, Expr height, const BorderMap &border,
        const TapWords &tap_words, Expr multiplier, const GaussianBlurWindowVariant &row,
        const WordOperations &operations)
        : GaussianBlurDotColumns(image, WindowTile::of(row, 4), tap_words, multiplier, operations),
          words(image, width, height, border, row.any_width, operations),
          to(tile, workers(), ceil_div(width, 4), row.any_width ? width / 4 : ceil_div(width, 4), height) {
        const Expr in_order = hex(0x5410);
        if (row.two_ways) {
            const Expr column = row.any_width ? x : words.reflected(x),
                       whole = row.any_width ? below(x, width / 4) : Halide::Internal::const_true();
            two_ways.emplace(
                Halide::UInt(32), tile.rows, 4 * taps.reach(), height, whole,
                [&](Expr line) { return image(promised(column, words.words), line); },
                [&](Expr line) { return words.source(x, line); });
        }
        blur_columns(
            words.source, row.any_width ? in_order : select(words.is_reversed(x), hex(0x0145), in_order));
        blur_rows();

        out(x, y) = Halide::undef<uint32_t>();
        const Expr at_x = promised(to.x, words.words), at_y = promised(to.y, height);
        const Expr blurred = to.value(along);
        out(at_x, at_y) = row.any_width ?
                              select(to.part == 0, blurred,
                                  BorderedWords::with_rest(blurred, to.x, out(at_x, at_y), width)) :
                              blurred;
    }

    // Workers of a group in the pass down columns: the tile's words and the halo's, rounded up to four.
    int workers() const {
        return tile.columns + 2 * round_up(taps.reach(), 4);
    }

private:
    void blur_rows() {
        std::vector<Expr> bytes;
        for (int phase = 0; phase < 4; phase++) {
            bytes.push_back(pass(phase, [&](int k) { return down(x - taps.reach() + k, y); }));
        }
        along(x, y) = word.pack(bytes[0], bytes[1], bytes[2], bytes[3]);
    }
};

}  // namespace tilewright
