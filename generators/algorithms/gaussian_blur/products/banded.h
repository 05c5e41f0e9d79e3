#pragma once
// Passes of a blur as banded products of bytes, as tensor cores multiply them: what both forms share.
#include "generators/algorithms/gaussian_blur/window.h"
#include "generators/algorithms/indices.h"
#include "generators/algorithms/tensor_products.h"
#include "generators/algorithms/word_operations.h"
#include <functional>
#include <string>
#include <vector>

namespace tilewright {

// One byte of each tap, as the fragments of TapFragments: words(v, q, g, m, k) are word v of lane 4 g + q in
// half m of step k. Where workers have words of their own, `tile` and `block` of what they compute follow.
// The first step begins at word `first` of the window, which is even. Where no tap has this byte, the plane
// may be without words.
struct TapPlane {
    Halide::Func words;
    Halide::Expr first, steps;
    bool is_unrolled = false;  // `steps` is a constant
};

// A pass over lines, which are columns of the image and then rows. 32 lanes compute a tile: 32 neighbouring
// outputs of each of 32 neighbouring lines. A lane (g, q), which is 4 g + q, computes the outputs 4 g ... 4 g
// + 3 of the lines 8 q ... 8 q + 7. Taps and pixels are numbers of one byte or more, and the pass is the sum
// of the products of their bytes, each of which is the product of the taps' fragments and the lines' words:
//     u8     pass(p) = (sum_i w_i p_i * M + 2^23) >> 24    taps of two bytes
//     u16    pass(p) = (sum_i w_i p_i + 2^23) >> 24        taps of three bytes
struct BandedProducts : Halide::NamesInterface {
    Var j{"j"}, m{"m"}, q{"q"}, g{"g"}, line{"line"}, tile{"tile"};  // column j of tile (line, tile)
    Var n{"n"}, h{"h"}, v{"v"}, block{"block"}, group{"group"};
    Func sums;
    // The updates of sums that multiply, with the words of taps and of lines that they read.
    struct Step {
        int update;
        RDom k;
        Func taps, words;
        bool is_unrolled;
    };
    std::vector<Step> steps;
    // Of a tile's window, byte `byte` of four neighbouring numbers in word 2 k + n % 2 of line 32 line + 4 g
    // + 2 h + n / 2: the words n = 0 ... 3 follow each other in memory, so that the two that are multiplied
    // together come into neighbouring registers.
    using Words = std::function<Expr(
        Expr n, Expr h, Expr line, Expr g, Expr tile, int byte, Expr k, Expr block, Expr group)>;

    explicit BandedProducts(const std::string &name) : sums(name + "_sums"), name_(name) {}

    // `taps` are the planes of the taps' bytes, from the lowest on (is_sum: of TapFragments::is_sum);
    // `window`: no window has more pairs of words.
    void multiply(int bytes, bool is_sum, const std::vector<TapPlane> &taps, const Expr &window,
        const Words &line, const AddedProduct &product) {
        sums(j, m, q, g, this->line, tile, block, group) = Halide::Tuple(std::vector<Expr>(4, Expr(0)));
        bytes_ = bytes;
        window_ = window;
        if (bytes == 1) {
            add(taps, 1, 0, line, product);
            if (!is_sum) {
                shift([](const Expr &sum) { return sum << 8; });
            }
            add(taps, 0, 0, line, product);
            return;
        }
        // The products of 2^0, 2^8, 2^16 and 2^24. What is shifted out would not change the result.
        add(taps, 0, 0, line, product);
        shift([](const Expr &sum) { return sum >> 8; });
        add(taps, 0, 1, line, product);
        add(taps, 1, 0, line, product);
        shift([](const Expr &sum) { return (sum >> 8) + (1 << 7); });
        add(taps, 1, 1, line, product);
        add(taps, 2, 0, line, product);
        shift([](const Expr &sum) { return sum >> 8; });
        add(taps, 2, 1, line, product);
    }

    // The word of byte `byte` of a lane's outputs output(0) ... output(3) of its lines line(0) ... line(3).
    Expr joined(const std::function<Expr(int)> &output, const std::function<Expr(int)> &of_line,
        const Expr &byte, const Expr &multiplier, const WordOperations &word) const {
        const auto number = [&](int n) { return rounded(output(n), of_line(n), multiplier); };
        const auto of_byte = [&](int at) {
            const Expr picks = WordOperations::hex((uint32_t)(at | (4 + at) << 4));
            return word.pick(word.pick(number(0), number(1), picks), word.pick(number(2), number(3), picks),
                WordOperations::hex(0x5410));
        };
        return bytes_ == 1 ? of_byte(3) : mux(byte, {of_byte(0), of_byte(1)});
    }

private:
    const std::string name_;
    int bytes_ = 1;
    Expr window_;

    std::vector<Expr> before() const {
        std::vector<Expr> all;
        for (int r = 0; r < 4; r++) {
            all.push_back(sums(j, m, q, g, line, tile, block, group)[r]);
        }
        return all;
    }

    // A number with the output of a line: in its byte 3 for pixels of one byte, in bytes 0 and 1 for two.
    Expr rounded(const Expr &output, const Expr &of_line, const Expr &multiplier) const {
        std::vector<Expr> results;
        for (int r = 0; r < 4; r++) {
            const Expr sum =
                Halide::cast<uint32_t>(sums(of_line % 4, output / 2, q, g, line, tile, block, group)[r]);
            results.push_back(bytes_ == 1 ? sum * multiplier + (1 << 23) : sum);
        }
        return mux(2 * (output % 2) + of_line / 4, results);
    }

    void shift(const std::function<Expr(const Expr &)> &shifted) {
        std::vector<Expr> all = before();
        for (Expr &sum : all) {
            sum = shifted(sum);
        }
        sums(j, m, q, g, line, tile, block, group) = Halide::Tuple(all);
        updates_++;
    }

    void add(const std::vector<TapPlane> &taps, int of_tap, int of_line, const Words &line,
        const AddedProduct &product) {
        const TapPlane &plane = taps[(size_t)of_tap];
        if (!plane.words.defined()) {
            return;
        }
        const std::string name = name_ + "_" + std::to_string(of_tap) + "_" + std::to_string(of_line);
        Step step{updates_++, RDom(0, plane.steps, name), Func(name + "_taps"), Func(name + "_words"),
            plane.is_unrolled};
        const Var k{"k"};
        std::vector<Expr> at_tap = {v, q, g, m, k, tile, block};
        at_tap.resize((size_t)plane.words.dimensions());
        step.taps(v, q, g, m, k, tile, block) = plane.words(at_tap);
        // The casts keep Halide from seeing more than the promise: all planes need the whole window.
        const Expr place = Halide::cast<int32_t>(Halide::cast<uint32_t>(plane.first / 2 + 4 * k + q));
        step.words(n, h, q, g, this->line, tile, k, block, group) =
            line(n, h, this->line, g, tile, of_line, promised(place, window_), block, group);
        const Expr at = step.k;
        sums(j, m, q, g, this->line, tile, block, group) = Halide::Tuple(product(
            [&](int word, Expr of_g, Expr of_q) { return step.taps(word, of_q, of_g, m, at, tile, block); },
            [&](int word, Expr of_g, Expr of_q) {
                return step.words(word + 2 * (j % 2), j / 2, of_q, of_g, this->line, tile, at, block, group);
            },
            g, q, before()));
        steps.push_back(step);
    }
    int updates_ = 0;
};

// Word x of row y of an image of pixels of `planes` bytes, extended beyond its border, byte by byte. Each
// load is written once: Halide would load what is used twice before a branch.
inline Halide::Expr word_by_bytes(const Halide::Func &image, int planes, const Halide::Expr &x,
    const Halide::Expr &y, const Halide::Expr &width, const Halide::Expr &height, const BorderMap &border) {
    using Halide::Expr;
    const auto hex = WordOperations::hex;
    const Expr words = ceil_div(planes * width, 4), from = border.inside(y, height, border.high_y);
    Expr all = hex(0);
    for (int n = 0; n < 4; n++) {
        const Expr byte = 4 * x + n, at = byte / planes,
                   place = planes * border.inside(at, width, border.high_x) + byte - planes * at,
                   counts = border.zero == 0 || (below(at, width) && below(y, height));
        all = all | (((image(promised(place / 4, words), from) >> Halide::cast<uint32_t>(8 * (place % 4))) &
                         select(counts, hex(255), hex(0)))
                        << hex((uint32_t)(8 * n)));
    }
    return all;
}

// Of eight rows of words of four pixels of `planes` bytes, loaded(plane, row): the word of four rows, from
// row 4 (n % 2) on, of byte `column` of these pixels.
inline Halide::Expr word_of_rows(int planes, const Halide::Expr &n, const Halide::Expr &column,
    const WordOperations &word, const std::function<Halide::Expr(int plane, int row)> &loaded) {
    std::vector<Halide::Expr> all[2];
    for (int w = 0; w < 2; w++) {
        for (int plane = 0; plane < planes; plane++) {
            const auto row = [&](int r) { return loaded(plane, 4 * w + r); };
            for (const Halide::Expr &of_column : word.transposed(row(0), row(1), row(2), row(3))) {
                all[w].push_back(of_column);
            }
        }
    }
    return mux(n % 2, {mux(column, all[0]), mux(column, all[1])});
}

// Word `at` of four pixels of `planes` bytes, of the words of their planes.
inline Halide::Expr interleaved(int planes, const Halide::Expr &at, const WordOperations &word,
    const std::function<Halide::Expr(const Halide::Expr &plane)> &of_plane) {
    using Halide::Expr;
    const auto hex = WordOperations::hex;
    if (planes == 1) {
        return of_plane(0);
    }
    if (planes == 2) {
        return word.pick(of_plane(0), of_plane(1), select(at == 0, hex(0x5140), hex(0x7362)));
    }
    Expr words[4], bytes[4];
    for (int n = 0; n < 4; n++) {
        const Expr byte = 4 * at + n;
        words[n] = of_plane(byte % planes);
        bytes[n] = Halide::cast<uint32_t>(byte / planes);
    }
    return word.pick(word.pick(words[0], words[1], bytes[0] | ((bytes[1] + 4) << 4)),
        word.pick(words[2], words[3], bytes[2] | ((bytes[3] + 4) << 4)), hex(0x5410));
}

}  // namespace tilewright
