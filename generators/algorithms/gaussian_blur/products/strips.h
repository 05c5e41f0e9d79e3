#pragma once
// A form of gaussian_blur for u8 and u16 images of one channel: both passes are banded products of bytes, as tensor
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

        int bytes() const {  // of a pixel
            return bands.bytes;
        }
        int outputs() const {  // warps that have outputs
            return warps + 1 - bands.steps();
        }
    };

    // A pass, with its updates that multiply, and the words of taps that those read.
    struct Pass {
        struct Step {
            int update;
            RDom entry;
            Func taps;
        };
        Func sums;
        std::vector<Step> steps;
        int updates = 0;
    };

    Var v{"v"}, w{"w"}, r{"r"}, i{"i"}, j{"j"}, a{"a"}, b{"b"}, h{"h"}, k{"k"}, n{"n"}, p{"p"}, t{"t"}, q{"q"}, g{"g"},
        warp{"warp"}, x{"x"}, y{"y"}, worker{"worker"}, unit{"unit"}, block{"block"}, segment{"segment"};
    Func taps{"taps_of_group"}, places{"places"}, source{"source"}, columns{"columns"}, ring{"ring"},
        ring_words{"ring_words"}, words{"words"}, between{"between"}, lines{"lines"}, value{"value"}, out{"out"};
    Pass down, along;
    RVar outside_row;
    RDom to;
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
        multiply(
            down, "down", {j, a, worker, unit, block, segment}, a, 0, product,
            [&](const Pass::Step &step, int, int of_word, const Expr &of_lane) {
                return step.taps(of_word, step.entry, of_lane);
            },
            [&](const Pass::Step &step, int byte, int of_word, const Expr &of_lane) {
                const Expr of_line = unit_of(step.entry, of_word);
                return ring_words(of_line % 2 + j % 2 * 2, j / 2, byte, of_line / 2, of_lane, unit, block,
                    segment);
            });
        keep(multiplier, word);
        multiply(
            along, "along", {h, b, a, worker, unit, block, segment}, b, 1, product,
            [&](const Pass::Step &step, int byte, int of_word, const Expr &of_lane) {
                return lines(of_word % 2, unit_of(step.entry, of_word / 2), byte, a, of_lane, unit, block,
                    segment);
            },
            [&](const Pass::Step &step, int, int of_word, const Expr &of_lane) {
                return step.taps(2 * h + of_word, step.entry, of_lane);
            });
        const auto number = [&](const Expr &tile, int of_two) {
            const auto sums = along.sums(tile, b, a, worker, unit, block, segment);
            return rounded(select(h == 0, sums[of_two], sums[2 + of_two]), multiplier);
        };
        value(w, h, b, a, worker, unit, block, segment) =
            group.bytes() == 1 ? joined({number(0, 0), number(0, 1), number(1, 0), number(1, 1)}, 3, word) :
                                 word.pick(number(w, 0), number(w, 1), WordOperations::hex(0x5410));
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

    // source(w, r, i, ...): word w of the lane's columns, in row r of four of half i of the rows of a step. Four
    // rows are loaded that are inside of the image; those that are not, once more in a branch. A word beyond
    // the left or the right side is one word of the image, with its bytes in another order: places(0 and 1).
    void read(Func image, const Expr &width, const Expr &height, const BorderMap &border,
        const WordOperations &word) {
        const int reach = group.bands.reach, bytes = group.bytes();
        const Expr at = bytes * (8 * group.outputs() * block - reach / 4) + worker;
        BorderMap of_edge = border;
        of_edge.zero = 0;
        const BorderedWords edge(image, width, height, of_edge, true, word, bytes);
        places(t, worker, block) = select(t == 0, Halide::cast<uint32_t>(edge.column(at)), edge.picks(at, 0));
        const auto of_word = [&](const Expr &one) {
            return bytes * (8 * (worker / 32) + own_g(worker)) + one;
        };
        const Expr column = promised(Halide::cast<int32_t>(places(0, of_word(w), block)), edge.words),
                   first = 32 * (group.band * segment + unit) - reach + 16 * i + 4 * own_q(worker);
        source(w, r, i, worker, unit, block, segment) = image(column, clamp(first, 0, height - 4) + r);
        RDom row(0, 4, "row");
        outside_row = RVar(row.x.name());
        row.where(!below(first, height - 3));
        source(w, row, i, worker, unit, block, segment) =
            image(column, border.inside(first + row, height, border.high_y));
        std::vector<Expr> all;
        for (int one = 0; one < bytes; one++) {
            const auto loaded = [&](int of_row) {
                const Expr from = source(one, of_row, i, worker, unit, block, segment);
                return word.pick(from, from, places(1, of_word(one), block));
            };
            for (const Expr &byte : word.transposed(loaded(0), loaded(1), loaded(2), loaded(3))) {
                all.push_back(byte);
            }
        }
        columns(i, j, p, worker, unit, block, segment) = mux(bytes * j + p, all);
        ring(v, t, p, worker, unit, block, segment) =
            columns(v % 2, 2 * t + v / 2, p, worker, unit, block, segment);
        ring_words(v, t, p, k, worker, unit, block, segment) = ring(v, t, p, worker, unit + k, block, segment);
    }

    using Operand = std::function<Expr(const Pass::Step &, int byte, int word, const Expr &of_lane)>;

    // The sums of half `half`, as in BandedProducts; those of u8 are of both bytes of the taps.
    void multiply(Pass &pass, const std::string &name, const std::vector<Var> &at, const Expr &half, int order,
        const AddedProduct &product, const Operand &left, const Operand &right) {
        pass.sums = Func(name);
        const std::vector<Expr> places(at.begin(), at.end());
        const auto sums = [&] {
            const auto tuple = pass.sums(places);
            return std::vector<Expr>{tuple[0], tuple[1], tuple[2], tuple[3]};
        };
        pass.sums(at) = Halide::Tuple(0, 0, 0, 0);
        const auto add = [&](int tap, int byte) {
            const std::string of_step = name + "_" + std::to_string(tap) + "_" + std::to_string(byte);
            Pass::Step step{pass.updates++, RDom(0, (int)group.bands.entries().size(), of_step),
                Func(of_step + "_taps")};
            const Expr entry = step.entry;
            step.entry.where(
                of_entries(entry, [](const HalfBands::Entry &one) { return one.half; }) == half);
            if (group.bytes() > 1) {
                step.entry.where(
                    of_entries(entry, [](const HalfBands::Entry &one) { return one.tap(); }) == tap);
            }
            step.taps(v, k, worker) = taps(v, worker % 32, k, order);
            pass.sums(places) = Halide::Tuple(product(
                [&](int n, const Expr &g, const Expr &q) { return left(step, byte, n, lane(g, q)); },
                [&](int n, const Expr &g, const Expr &q) { return right(step, byte, n, lane(g, q)); },
                own_g(worker), own_q(worker), sums()));
            pass.steps.push_back(step);
        };
        const auto shift = [&](int rounding) {
            std::vector<Expr> all = sums();
            for (Expr &sum : all) {
                sum = (sum >> 8) + rounding;
            }
            pass.sums(places) = Halide::Tuple(all);
            pass.updates++;
        };
        add(0, 0);
        if (group.bytes() == 1) {
            return;
        }
        shift(0);
        add(0, 1);
        add(1, 0);
        shift(1 << 7);
        add(1, 1);
        add(2, 0);
        shift(0);
        add(2, 1);
    }

    // A number with the result of a sum: in its byte 3 for pixels of one byte, in bytes 0 and 1 for two.
    Expr rounded(const Expr &sum, const Expr &multiplier) const {
        const Expr number = Halide::cast<uint32_t>(sum);
        return group.bytes() == 1 ? number * multiplier + (1 << 23) : number;
    }
    // The word of byte `byte` of four numbers.
    static Expr joined(const std::vector<Expr> &numbers, const Expr &byte, const WordOperations &word) {
        const Expr picks = Halide::cast<uint32_t>(byte | (4 + byte) << 4);
        return word.pick(word.pick(numbers[0], numbers[1], picks), word.pick(numbers[2], numbers[3], picks),
            WordOperations::hex(0x5410));
    }

    // between(n, q, g, warp, h, p, a, ...): byte p of word 2 q + n of eight of a warp's columns, in row g + 8 h
    // of half a. lines(h, i, p, a, ...): the words of unit i of the window of a warp's outputs.
    void keep(const Expr &multiplier, const WordOperations &word) {
        std::vector<Expr> numbers;
        for (int column = 0; column < 4; column++) {
            const auto sums = down.sums(column, a, worker, unit, block, segment);
            numbers.push_back(rounded(mux(2 * h + n, {sums[0], sums[1], sums[2], sums[3]}), multiplier));
        }
        words(n, h, p, a, worker, unit, block, segment) =
            joined(numbers, group.bytes() == 1 ? Expr(3) : p, word);
        between(n, q, g, warp, h, p, a, unit, block, segment) =
            words(n, h, p, a, 32 * warp + 4 * g + q, unit, block, segment);
        lines(h, i, p, a, worker, unit, block, segment) =
            between(own_q(worker) % 2, own_q(worker) / 2 + i % 2 * 2, own_g(worker),
                clamp(worker / 32 + i / 2, 0, group.warps - 1), h, p, a, unit, block, segment);
    }

    // Places of out: word of four columns, row h of two, half b of the columns, half a of the rows, part (see below), workers, steps
    // of a segment, segments below each other, strips.
    void store(const Expr &width, const Expr &height) {
        const Expr band = group.band, all = width / 4;
        const int bytes = group.bytes();
        to = RDom({{0, bytes}, {0, 2}, {0, 2}, {0, 2}, {0, 2}, {0, 32 * group.warps}, {0, band},
                      {0, ceil_div(ceil_div(height, 32), band)}, {0, ceil_div(width, 32 * group.outputs())}},
            "to");
        const Expr of_word = to[0], of_h = to[1], of_b = to[2], of_a = to[3], part = to[4], of_worker = to[5],
                   of_unit = to[6], of_segment = to[7], of_block = to[8];
        const Expr of_warp = 8 * (group.outputs() * of_block + of_worker / 32),
                   of_step = 32 * (band * of_segment + of_unit), at = of_warp + 4 * of_b + own_q(of_worker),
                   row = of_step + 16 * of_a + 8 * of_h + own_g(of_worker);
        const Expr whole = below(of_warp + 7, all) && below(of_step + 31, height);
        to.where(below(of_worker / 32, group.outputs()));
        // Part 0: steps that are inside of the image, with one branch for all words.
        to.where(part == 1 || whole);
        to.where(part == 0 || (!whole && below(row, height) && below(at, all)));
        out(x, y) = Halide::undef<uint32_t>();
        out(bytes * promised(at, all) + of_word, promised(row, height)) =
            value(of_word, of_h, of_b, of_a, of_worker, of_unit, of_block, of_segment);
    }
};

}  // namespace tilewright
