#pragma once
// A form of gaussian_blur for f32 images of one channel: both passes are banded products of pairs of 16-bit
// floats, as tensor cores multiply them, in one kernel. Variants: tuned_floats_* on CUDA.
#include "generators/algorithms/gaussian_blur/configuration.h"
#include "generators/algorithms/gaussian_blur/window.h"
#include "generators/algorithms/tensor_products.h"
#include <functional>
#include <string>
#include <vector>

namespace tilewright {

// A number is scaled by a power of two, and is then the sum of a high and a low 16-bit float, which have 21
// of its bits; a product of two numbers is three products of their parts. The 32 lanes of a warp go down a
// strip of 32 columns, a unit of 16 rows per step, and share nothing with other warps. A unit is blurred
// along rows; the sums of the products stay with the lane that is to multiply them down columns, as those
// have the order of the words that the instruction takes. The last `steps` units are kept in a ring. Lane 4 g
// + q has
//     of the image, per 16 columns and 16 rows    columns 4 q ... 4 q + 3 of the rows 2 g and 2 g + 1
//     of the output, per 16 columns and 16 rows   columns 2 g and 2 g + 1 of the rows 4 q ... 4 q + 3
// Where an output is not finite, because numbers of its window are not, or are too large for the scale, the
// lane adds the taps of its outputs one by one.
struct GaussianBlurFloatProducts : Halide::NamesInterface {
    static constexpr const char *name = "gaussian_blur_float_products";
    // The steps of 16 positions in the window of 16 outputs, the warps of a group of workers, and the units
    // of a segment of the strip.
    struct Group {
        int steps, warps;
        Expr band;

        int reach() const {  // of the window before its first output
            return 8 * (steps - 1);
        }
        int columns() const {  // units of 16 columns that a strip of outputs reads
            return steps + 1;
        }
    };
    // A word of two numbers as 16-bit floats.
    using Pair = std::function<Expr(Expr low, Expr high)>;

    Var v{"v"}, j{"j"}, k{"k"}, h{"h"}, t{"t"}, r{"r"}, p{"p"}, e{"e"}, worker{"worker"}, unit{"unit"},
        block{"block"}, segment{"segment"}, s{"s"};
    Func scale{"scale"}, most{"most"}, row{"row"}, taps{"taps_of_group"}, source{"source"}, pieces{"pieces"},
        along_taps{"along_taps"}, along{"along"}, mids{"mids"}, ring{"ring"}, ring_words{"ring_words"},
        down_taps{"down_taps"}, down{"down"}, lost{"lost"}, column_sum{"column_sum"}, plain_sum{"plain_sum"},
        value{"value"}, out{"out"};
    RDom samples, inside, elsewhere, of_along, of_down, of_column, of_row, to;
    Group group;

    // fragments(v, lane, part, step): word v of a lane, of the high (0) or the low part of the taps. weights:
    // the taps themselves, of which there are `count`.
    GaussianBlurFloatProducts(Func image, const Expr &width, const Expr &height, const BorderMap &border,
        const Func &fragments, const Func &weights, const Expr &count, const Group &group,
        const AddedProduct &product, const Pair &pair)
        : group(group), pair_(pair) {
        taps(v, worker, p, k) = fragments(v, worker, p, k);
        choose_scale(image, width, height);
        read(image, width, height, border);
        blur_along(product);
        blur_down(product);
        add_taps(image, width, height, border, weights, count);
        store(width, height);
    }

private:
    static constexpr int unit_rows = 16, strip_columns = 32;
    static constexpr float tap_scale = 4096;  // of the fragments: TapFragments of floats
    const Pair pair_;

    static Expr word(uint32_t bits) {
        return Expr(bits);
    }

    Expr lane(const Expr &g, const Expr &q) const {
        return lane_of_warp(worker, worker, g, q);
    }
    Expr strip(const Expr &of_worker, const Expr &of_block) const {
        return group.warps * of_block + of_worker / 32;
    }

    // A power of two that brings the largest of some numbers of the image to 4 ... 8: so 16-bit floats hold
    // numbers 8,000 times as large, and the low parts of all that count beside the largest. Where these are
    // 0, it brings the smallest number that is not 0 to 1. scale(1) is its inverse.
    void choose_scale(const Func &image, const Expr &width, const Expr &height) {
        constexpr int side = 8;
        samples = RDom({{0, side}, {0, side}}, "samples");
        const auto place = [&](const Expr &n, const Expr &extent) {
            return promised(
                Halide::cast<int32_t>((Halide::cast<int64_t>(2 * n + 1) * extent) / (2 * side)), extent);
        };
        const Expr bits =
            Halide::reinterpret<uint32_t>(image(place(samples.x, width), place(samples.y, height))) &
            word(0x7fffffff);
        most(s) = word(0);
        most(s) = max(most(s), select(bits < word(0x7f800000), bits, word(0)));
        const Expr exponent = Halide::cast<int32_t>(most(s) >> 23);
        const Expr made = clamp(256 - exponent, 1, 253);
        scale(s) = Halide::reinterpret<float>(Halide::cast<uint32_t>(select(s == 0, made, 254 - made)) << 23);
    }

    // source(v, j, k, worker, unit, block, segment): the pixel of column 4 q + v of unit k of columns, and of
    // row 2 g + j of the unit. Strips inside of the image load four pixels at a time. Nothing is computed of
    // a pixel here, so that no lane waits for its loads: the border `zero` would need it.
    void read(const Func &image, const Expr &width, const Expr &height, const BorderMap &border) {
        const int columns = 16 * group.columns();
        const Expr lane = worker % 32, left = strip_columns * strip(worker, block) - group.reach(),
                   y = unit_rows * (group.band * segment + unit) - group.reach() + 2 * (lane / 4) + j;
        const Expr whole = width >= columns && below(left, width - columns + 1);
        source(v, j, k, worker, unit, block, segment) = Halide::undef<float>();
        inside = RDom(0, group.columns(), "inside");
        inside.where(whole);
        const Expr four = left / 4 + 4 * inside + lane % 4;
        row(j, worker, unit, segment) = border.inside(y, height, border.high_y);
        source(v, j, inside, worker, unit, block, segment) =
            image(4 * promised(four, width / 4) + v, promised(row(j, worker, unit, segment), height));
        elsewhere = RDom(0, group.columns(), "elsewhere");
        elsewhere.where(!whole);
        const Expr x = left + 16 * elsewhere + 4 * (lane % 4) + v;
        source(v, j, elsewhere, worker, unit, block, segment) =
            image(border.inside(x, width, border.high_x), border.inside(y, height, border.high_y));
    }

    static Expr high_part(const Expr &number) {
        return Halide::reinterpret<float>(Halide::reinterpret<uint32_t>(number) & word(0xffffe000));
    }
    // The words of the high and of the low parts of two numbers.
    Halide::Tuple parts(const Expr &a, const Expr &b) const {
        return {pair_(high_part(a), high_part(b)), pair_(a - high_part(a), b - high_part(b))};
    }

    // The three products of parts: high by high, low by high, high by low.
    static Expr of_part(const Expr &product, int low, const Expr &high_word, const Expr &low_word) {
        return select(product == low, low_word, high_word);
    }

    // along(j, t, ...): the sums of rows 2 n + j, of the columns 16 t ... 16 t + 15 of the strip.
    void blur_along(const AddedProduct &product) {
        const auto at = [&](const Expr &index) {
            return source(index, j, k, worker, unit, block, segment) * scale(0);
        };
        pieces(h, j, k, worker, unit, block, segment) = parts(at(h), at(h + 2));
        along_taps(v, p, k, worker) = taps(v, worker % 32, p, k);
        along(j, t, worker, unit, block, segment) = Halide::Tuple(0.f, 0.f, 0.f, 0.f);
        of_along = RDom({{0, 3}, {0, group.columns()}}, "of_along");
        const Expr step = of_along[1] - t;
        of_along.where(step >= 0 && step < group.steps);
        const Expr of_product = of_along[0], safe = clamp(step, 0, group.steps - 1);
        along(j, t, worker, unit, block, segment) = Halide::Tuple(product(
            [&](int word, const Expr &g, const Expr &q) {
                return of_part(of_product, 1, along_taps(word, 0, safe, lane(g, q)),
                    along_taps(word, 1, safe, lane(g, q)));
            },
            [&](int word, const Expr &g, const Expr &q) {
                const auto both = pieces(word, j, of_along[1], lane(g, q), unit, block, segment);
                return of_part(of_product, 2, both[0], both[1]);
            },
            g_of(worker), q_of(worker), sums_of(along(j, t, worker, unit, block, segment))));
    }

    static std::vector<Expr> sums_of(const Halide::FuncRef &tuple) {
        return {tuple[0], tuple[1], tuple[2], tuple[3]};
    }

    // ring(r, worker, p, t, unit, ...): word r of the operand that the pass down columns multiplies. Its rows
    // are columns of the image, and the rows of the image are in the order of along().
    void blur_down(const AddedProduct &product) {
        std::vector<Expr> high, low;
        for (int word = 0; word < LaneProduct::words_of_a; word++) {
            const auto sums = along(1 - word / 2, t, worker, unit, block, segment);
            const Halide::Tuple both =
                parts(sums[2 * (word % 2)] * (1 / tap_scale), sums[2 * (word % 2) + 1] * (1 / tap_scale));
            high.push_back(both[0]);
            low.push_back(both[1]);
        }
        mids(r, p, t, worker, unit, block, segment) = select(p == 0, mux(r, high), mux(r, low));
        ring(r, worker, p, t, unit, block, segment) = mids(r, p, t, worker, unit, block, segment);
        ring_words(r, p, t, k, worker, unit, block, segment) =
            ring(r, worker, p, t, unit + k, block, segment);
        down_taps(v, p, k, worker) = taps(v, worker % 32, p, k);
        down(j, t, worker, unit, block, segment) = Halide::Tuple(0.f, 0.f, 0.f, 0.f);
        of_down = RDom({{0, 3}, {0, group.steps}}, "of_down");
        const Expr of_product = of_down[0], step = of_down[1];
        down(j, t, worker, unit, block, segment) = Halide::Tuple(product(
            [&](int word, const Expr &g, const Expr &q) {
                return of_part(of_product, 2, ring_words(word, 0, t, step, lane(g, q), unit, block, segment),
                    ring_words(word, 1, t, step, lane(g, q), unit, block, segment));
            },
            [&](int word, const Expr &g, const Expr &q) {
                const auto of_taps = [&](int part) {
                    return select(j == 0, down_taps(2 + word, part, step, lane(g, q)),
                        down_taps(word, part, step, lane(g, q)));
                };
                return of_part(of_product, 1, of_taps(0), of_taps(1));
            },
            g_of(worker), q_of(worker), sums_of(down(j, t, worker, unit, block, segment))));
    }

    // Where a sum of a lane is not finite, the lane adds the taps of its outputs: `lost` is the number of
    // taps then, and otherwise 0.
    void add_taps(const Func &image, const Expr &width, const Expr &height, const BorderMap &border,
        const Func &weights, const Expr &count) {
        Expr all = 0.f;
        std::vector<Expr> results;
        for (int tile = 0; tile < 4; tile++) {
            for (int n = 0; n < LaneProduct::results; n++) {
                all += abs(down(tile % 2, tile / 2, worker, unit, block, segment)[n]);
            }
        }
        for (int n = 0; n < LaneProduct::results; n++) {
            results.push_back(down(j, t, worker, unit, block, segment)[n] * (1 / tap_scale) * scale(1));
        }
        const Expr is_finite = (Halide::reinterpret<uint32_t>(all) & word(0x7fffffff)) < word(0x7f800000);
        lost(worker, unit, block, segment) = select(is_finite, 0, count);
        of_column = RDom(0, count, "of_column");
        of_row = RDom(0, count, "of_row");
        of_row.where(of_row < lost(worker, unit, block, segment));
        const Expr reach = count / 2, lane = worker % 32,
                   x = strip_columns * strip(worker, block) + 16 * t + 2 * (lane / 4) + h + k - reach,
                   y = unit_rows * (group.band * segment + unit) + 4 * (lane % 4) + 2 * e + j + of_column -
                       reach;
        column_sum(h, e, j, t, k, worker, unit, block, segment) = 0.f;
        column_sum(h, e, j, t, k, worker, unit, block, segment) +=
            weights(of_column) *
            image(border.inside(x, width, border.high_x), border.inside(y, height, border.high_y));
        plain_sum(h, e, j, t, worker, unit, block, segment) = 0.f;
        plain_sum(h, e, j, t, worker, unit, block, segment) +=
            weights(of_row) * column_sum(h, e, j, t, of_row, worker, unit, block, segment);
        value(h, e, j, t, worker, unit, block, segment) = select(lost(worker, unit, block, segment) > 0,
            plain_sum(h, e, j, t, worker, unit, block, segment), mux(2 * h + e, results));
    }

    // Places of out: column h of two, row 2 e + j of a lane, half t of the strip, workers, units of a
    // segment, segments below each other, groups of strips. The width is even.
    void store(const Expr &width, const Expr &height) {
        const Expr band = group.band;
        to = RDom({{0, 2}, {0, 2}, {0, 2}, {0, 2}, {0, 32 * group.warps}, {0, band},
                      {0, ceil_div(ceil_div(height, unit_rows), band)},
                      {0, ceil_div(ceil_div(width, strip_columns), group.warps)}},
            "to");
        const Expr of_h = to[0], of_e = to[1], of_j = to[2], of_t = to[3], of_worker = to[4], of_unit = to[5],
                   of_segment = to[6], of_block = to[7], lane = of_worker % 32;
        const Expr pair = strip_columns / 2 * strip(of_worker, of_block) + 8 * of_t + lane / 4,
                   y = unit_rows * (band * of_segment + of_unit) + 4 * (lane % 4) + 2 * of_e + of_j;
        to.where(below(y, height) && below(pair, width / 2));
        Var x("x"), y_of_out("y");
        out(x, y_of_out) = Halide::undef<float>();
        out(2 * promised(pair, width / 2) + of_h, promised(y, height)) =
            value(of_h, of_e, of_j, of_t, of_worker, of_unit, of_block, of_segment);
    }
};

}  // namespace tilewright
