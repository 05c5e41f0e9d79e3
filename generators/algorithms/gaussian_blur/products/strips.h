#pragma once
// A form of gaussian_blur for u8 images of one channel: both passes are banded products of bytes, as tensor
// cores multiply them, in one kernel with one barrier per step. Variants: tuned_strips_* on CUDA.
#include "generators/algorithms/gaussian_blur/configuration.h"
#include "generators/algorithms/gaussian_blur/products/banded.h"
#include "generators/algorithms/gaussian_blur/weights.h"
#include "generators/algorithms/gaussian_blur/window_words.h"
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace tilewright {

// The warps of a group go down a strip of the image, 32 rows per step, and each of them has 32 of its columns.
// A warp keeps the words of the rows of a window in a ring of its own, in the order of the operand. The bytes
// that are blurred down columns are in the group's memory, where the warps that have outputs find the windows
// of the pass along rows. Lane 4 g + q has
//     of the image, per 16 rows          rows 4 q ... 4 q + 3 of the columns 4 g ... 4 g + 3
//     of the pass down, per 16 rows      columns 8 q ... 8 q + 7 of the rows g and g + 8
//     of the output, per 16 x 16 pixels  columns 4 q ... 4 q + 3 of the same rows
// Each half of 16 outputs has a window of its own (HalfBands). Image and output are rows of words, whose width
// is a multiple of 4 pixels, and the border is reflect or nearest.
struct GaussianBlurStripProducts : Halide::NamesInterface {
    static constexpr const char *name = "gaussian_blur_strip_products";
    // The warps of a group of workers, and the steps of a segment of the strip.
    struct Group {
        HalfBands bands;
        int warps;
        Expr band;

        int outputs() const {  // warps that have outputs
            return warps + 1 - bands.steps();
        }
    };

    Var v{"v"}, r{"r"}, i{"i"}, j{"j"}, a{"a"}, b{"b"}, h{"h"}, k{"k"}, n{"n"}, p{"p"}, q{"q"}, g{"g"},
        warp{"warp"}, x{"x"}, y{"y"}, worker{"worker"}, unit{"unit"}, block{"block"}, segment{"segment"};
    Func taps{"taps_of_group"}, places{"places"}, source{"source"}, columns{"columns"}, ring{"ring"},
        ring_words{"ring_words"}, down_taps{"down_taps"}, down{"down"}, words{"words"}, between{"between"},
        along_taps{"along_taps"}, lines{"lines"}, along{"along"}, value{"value"}, out{"out"};
    RVar outside_row;
    RDom of_down, of_along, to;
    Group group;

    // fragments(v, lane, entry): word v of a lane, of HalfBands.
    GaussianBlurStripProducts(Func image, const Expr &width, const Expr &height, const BorderMap &border,
        const Func &fragments, const Expr &multiplier, const Group &group, const AddedProduct &product,
        const WordOperations &word)
        : group(group) {
        // Rows of the pass down are in their own order; the pass along rows takes the words in that of its
        // operand.
        const Expr row = worker / 4 + 8 * (v % 2);
        taps(v, worker, k, p) =
            fragments(select(p == 0, row % 4 / 2 + v / 2 * 2, v % 2 * 2 + v / 2),
                select(p == 0, 4 * (row / 4 * 2 + row % 2) + worker % 4, worker), k);
        read(image, width, height, border, word);
        blur_down(multiplier, product, word);
        blur_along(product);
        const auto number = [&](int tile, int of_two) {
            const auto sums = along(tile, b, a, worker, unit, block, segment);
            return rounded(select(h == 0, sums[of_two], sums[2 + of_two]), multiplier);
        };
        value(h, b, a, worker, unit, block, segment) =
            joined({number(0, 0), number(0, 1), number(1, 0), number(1, 1)}, word);
        store(width, height);
    }

private:
    static Expr own_g(const Expr &of_worker) {
        return of_worker % 32 / 4;
    }
    static Expr own_q(const Expr &of_worker) {
        return of_worker % 4;
    }
    // The worker that is lane 4 g + q of a worker's warp, of which these are its own g and q.
    Expr lane(const Expr &of_g, const Expr &of_q) const {
        const bool is_own =
            Halide::Internal::equal(of_g, own_g(worker)) && Halide::Internal::equal(of_q, own_q(worker));
        return is_own ? Expr(worker) : worker / 32 * 32 + 4 * of_g + of_q;
    }
    static std::vector<Expr> sums_of(const Halide::FuncRef &tuple) {
        return {tuple[0], tuple[1], tuple[2], tuple[3]};
    }

    // What an entry says, by the number of the entry.
    template<typename What>
    Expr of_entries(const Expr &entry, const What &what) const {
        std::vector<Expr> all;
        for (const HalfBands::Entry &one : group.bands.entries()) {
            all.push_back(what(one));
        }
        return mux(entry, all);
    }
    Expr unit_of(const Expr &entry, int part) const {
        const Expr all = of_entries(entry, [&](const HalfBands::Entry &one) { return one.parts[part].unit; });
        return clamp(all, 0, 2 * group.bands.steps() - 1);
    }

    // source(r, i, ...): row r of four of half i of the rows of a step, the lane's word of them. Four rows are
    // loaded that are inside of the image; those that are not, once more in a branch. A word beyond the left
    // or the right side is one word of the image, with its bytes in another order: places(0 and 1).
    void read(Func image, const Expr &width, const Expr &height, const BorderMap &border,
        const WordOperations &word) {
        const int reach = group.bands.reach;
        const Expr all = width / 4, at = 8 * group.outputs() * block - reach / 4 + worker;
        BorderMap of_edge = border;
        of_edge.zero = 0;
        const BorderedWords edge(image, width, height, of_edge, true, word);
        places(p, worker, block) = select(p == 0, Halide::cast<uint32_t>(edge.column(at)), edge.picks(at, 0));
        const Expr of_word = 8 * (worker / 32) + own_g(worker),
                   column = promised(Halide::cast<int32_t>(places(0, of_word, block)), all),
                   first = 32 * (group.band * segment + unit) - reach + 16 * i + 4 * own_q(worker);
        source(r, i, worker, unit, block, segment) = image(column, clamp(first, 0, height - 4) + r);
        RDom row(0, 4, "row");
        outside_row = RVar(row.x.name());
        row.where(!below(first, height - 3));
        source(row, i, worker, unit, block, segment) =
            image(column, border.inside(first + row, height, border.high_y));
        const auto loaded = [&](int of_row) {
            const Expr one = source(of_row, i, worker, unit, block, segment);
            return word.pick(one, one, places(1, of_word, block));
        };
        columns(i, j, worker, unit, block, segment) =
            mux(j, word.transposed(loaded(0), loaded(1), loaded(2), loaded(3)));
        ring(v, p, worker, unit, block, segment) = columns(v % 2, 2 * p + v / 2, worker, unit, block, segment);
        ring_words(v, p, k, worker, unit, block, segment) = ring(v, p, worker, unit + k, block, segment);
    }

    // A number with the result of a sum in its byte 3.
    static Expr rounded(const Expr &sum, const Expr &multiplier) {
        return Halide::cast<uint32_t>(sum) * multiplier + (1 << 23);
    }
    static Expr joined(const std::vector<Expr> &numbers, const WordOperations &word) {
        const Expr picks = WordOperations::hex(0x73);
        return word.pick(word.pick(numbers[0], numbers[1], picks), word.pick(numbers[2], numbers[3], picks),
            WordOperations::hex(0x5410));
    }

    // between(n, q, g, warp, h, a, ...): word 2 q + n of eight of a warp's columns, in row g + 8 h of half a.
    void blur_down(const Expr &multiplier, const AddedProduct &product, const WordOperations &word) {
        down_taps(v, k, worker) = taps(v, worker % 32, k, 0);
        down(j, a, worker, unit, block, segment) = Halide::Tuple(0, 0, 0, 0);
        of_down = RDom(0, (int)group.bands.entries().size(), "of_down");
        of_down.where(of_entries(of_down, [](const HalfBands::Entry &one) { return one.half; }) == a);
        down(j, a, worker, unit, block, segment) = Halide::Tuple(product(
            [&](int of_word, const Expr &of_g, const Expr &of_q) {
                return down_taps(of_word, of_down, lane(of_g, of_q));
            },
            [&](int of_word, const Expr &of_g, const Expr &of_q) {
                const Expr of_line = unit_of(of_down, of_word);
                return ring_words(of_line % 2 + j % 2 * 2, j / 2, of_line / 2, lane(of_g, of_q), unit, block,
                    segment);
            },
            own_g(worker), own_q(worker), sums_of(down(j, a, worker, unit, block, segment))));
        std::vector<Expr> numbers;
        for (int column = 0; column < 4; column++) {
            const auto sums = down(column, a, worker, unit, block, segment);
            numbers.push_back(rounded(mux(2 * h + n, {sums[0], sums[1], sums[2], sums[3]}), multiplier));
        }
        words(n, h, a, worker, unit, block, segment) = joined(numbers, word);
        between(n, q, g, warp, h, a, unit, block, segment) =
            words(n, h, a, 32 * warp + 4 * g + q, unit, block, segment);
    }

    // along(h, b, a, ...): the sums of half a of the rows and half b of the outputs: of these, in two tiles h.
    void blur_along(const AddedProduct &product) {
        along_taps(v, k, worker) = taps(v, worker % 32, k, 1);
        lines(h, i, a, worker, unit, block, segment) =
            between(own_q(worker) % 2, own_q(worker) / 2 + i % 2 * 2, own_g(worker),
                clamp(worker / 32 + i / 2, 0, group.warps - 1), h, a, unit, block, segment);
        along(h, b, a, worker, unit, block, segment) = Halide::Tuple(0, 0, 0, 0);
        of_along = RDom(0, (int)group.bands.entries().size(), "of_along");
        of_along.where(of_entries(of_along, [](const HalfBands::Entry &one) { return one.half; }) == b);
        along(h, b, a, worker, unit, block, segment) = Halide::Tuple(product(
            [&](int of_word, const Expr &of_g, const Expr &of_q) {
                return lines(of_word % 2, unit_of(of_along, of_word / 2), a, lane(of_g, of_q), unit, block,
                    segment);
            },
            [&](int of_word, const Expr &of_g, const Expr &of_q) {
                return along_taps(2 * h + of_word, of_along, lane(of_g, of_q));
            },
            own_g(worker), own_q(worker), sums_of(along(h, b, a, worker, unit, block, segment))));
    }

    // Places of out: row h of two, half b of the columns, half a of the rows, part (see below), workers, steps
    // of a segment, segments below each other, strips.
    void store(const Expr &width, const Expr &height) {
        const Expr band = group.band, all = width / 4;
        to = RDom({{0, 2}, {0, 2}, {0, 2}, {0, 2}, {0, 32 * group.warps}, {0, band},
                      {0, ceil_div(ceil_div(height, 32), band)}, {0, ceil_div(width, 32 * group.outputs())}},
            "to");
        const Expr of_h = to[0], of_b = to[1], of_a = to[2], part = to[3], of_worker = to[4], of_unit = to[5],
                   of_segment = to[6], of_block = to[7];
        const Expr of_warp = 8 * (group.outputs() * of_block + of_worker / 32),
                   of_step = 32 * (band * of_segment + of_unit), at = of_warp + 4 * of_b + own_q(of_worker),
                   row = of_step + 16 * of_a + 8 * of_h + own_g(of_worker);
        const Expr whole = below(of_warp + 7, all) && below(of_step + 31, height);
        to.where(below(of_worker / 32, group.outputs()));
        // Part 0: steps that are inside of the image, with one branch for all words.
        to.where(part == 1 || whole);
        to.where(part == 0 || (!whole && below(row, height) && below(at, all)));
        out(x, y) = Halide::undef<uint32_t>();
        out(promised(at, all), promised(row, height)) =
            value(of_h, of_b, of_a, of_worker, of_unit, of_block, of_segment);
    }
};

}  // namespace tilewright
