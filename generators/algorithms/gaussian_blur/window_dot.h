#pragma once
#include "generators/algorithms/gaussian_blur/window.h"
#include "generators/algorithms/gaussian_blur/window_words.h"

namespace tilewright {

// The taps of a window over bytes, four to a word, for the outputs of one phase: output 4 n + phase reads the words
// n - reach ... n + reach of its line, and byte b of word k meets tap i = 4 k + b - 4 reach - phase. Taps |i| < high may
// exceed a byte: their upper bytes have words of their own.
struct TapWords {
    int radius, high, reach;
    std::vector<Halide::Expr> lower, upper;  // [phase * words() + k]; undefined where no tap is

    TapWords(int radius, int high) : radius(radius), high(high), reach((radius + 3) / 4), lower(4 * words()), upper(4 * words()) {
    }
    int words() const {
        return 2 * reach + 1;
    }
    // Whether a tap |i| < limit is in word k of the phase.
    bool used(int phase, int k, int limit) const {
        for (int b = 0; b < 4; b++) {
            if (std::abs(4 * k + b - 4 * reach - phase) < limit) {
                return true;
            }
        }
        return false;
    }
};

// The separable blur of u8 images by dot products of four bytes, as integers:
//     pass(p) = (sum_i w_i p_i * M + 2^23) >> 24       down columns, then along rows, bytes between the passes
// The image is rows of words, x counts words. Four rows of a word, turned, are four words of four rows of one column each; so
// both passes are dot products of words.
struct GaussianBlurWindowDot : Halide::NamesInterface {
    static constexpr const char *name = "gaussian_blur_window_dot";
    Var x{"x"}, y{"y"}, c{"c"}, g{"g"};
    Func in, turned{"turned"}, down_byte{"down_byte"}, down{"down"}, along{"along"}, out{"out"};
    WindowTile tile;  // `columns` and `window` count words
    int reach;
    WordOperations word;
    BorderedWords words;
    WindowDomain to;

    GaussianBlurWindowDot(Func image, Expr width, Expr height, const BorderMap &border, const TapWords &taps, Expr multiplier,
                          WindowTile shape, bool any, WordOperations operations)
        : in(image), tile(shape), reach(taps.reach), word(operations),
          words(image, width, height, border, any, operations), to(shape, threads(), (width + 3) / 4, any ? width / 4 : (width + 3) / 4, height) {
        auto hex = WordOperations::hex;
        const Func source = words.source;
        const Expr order = any ? hex(0x5410) : select(words.turned_around(x), hex(0x0145), hex(0x5410));
        const Expr r0 = source(x, 4 * g), r1 = source(x, 4 * g + 1), r2 = source(x, 4 * g + 2), r3 = source(x, 4 * g + 3);
        const Expr low01 = word.pick(r0, r1, hex(0x5140)), low23 = word.pick(r2, r3, hex(0x5140));
        const Expr high01 = word.pick(r0, r1, hex(0x7362)), high23 = word.pick(r2, r3, hex(0x7362));
        turned(c, x, g) = mux(c, {word.pick(low01, low23, hex(0x5410)), word.pick(low01, low23, hex(0x7632)),
                                  word.pick(high01, high23, hex(0x5410)), word.pick(high01, high23, hex(0x7632))});

        // pass(p) for the output of one phase, from the words `at(k)` of its line.
        auto pass = [&](int phase, auto at) {
            Expr sum = hex(taps.high ? word.zero() >> 8 : word.zero());
            auto add = [&](const std::vector<Expr> &weights) {
                for (int k = 0; k < taps.words(); k++) {
                    const Expr w = weights[phase * taps.words() + k];
                    sum = w.defined() ? word.dot(at(k), w, sum) : sum;
                }
            };
            if (taps.high) {
                add(taps.upper);
                sum = sum << 8;
            }
            add(taps.lower);
            return word.rounded(sum, multiplier);
        };
        std::vector<Expr> bytes_of_column, bytes;
        for (int phase = 0; phase < 4; phase++) {
            bytes_of_column.push_back(pass(phase, [&](int k) { return turned(c, x, y / 4 - reach + k); }));
        }
        down_byte(c, x, y) = mux(y % 4, bytes_of_column);
        down(x, y) = word.pick(word.pick(down_byte(0, x, y), down_byte(1, x, y), hex(0x0040)),
                               word.pick(down_byte(2, x, y), down_byte(3, x, y), hex(0x0040)), order);
        for (int phase = 0; phase < 4; phase++) {
            bytes.push_back(pass(phase, [&](int k) { return down(x - reach + k, y); }));
        }
        along(x, y) = word.pack(bytes[0], bytes[1], bytes[2], bytes[3]);

        out(x, y) = Halide::undef<uint32_t>();
        const Expr at_x = unsafe_promise_clamped(to.x, 0, words.words - 1), at_y = unsafe_promise_clamped(to.y, 0, height - 1);
        const Expr made = to.value(along);
        out(at_x, at_y) = any ? select(to.part == 0, made, BorderedWords::with_rest(made, to.x, out(at_x, at_y), width)) : made;
    }

    // Threads of a group in the pass down columns: the tile's words and the halo, in fours.
    int threads() const {
        return tile.columns + 2 * ((reach + 3) / 4 * 4);
    }
};

}  // namespace tilewright
