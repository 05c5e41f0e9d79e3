#pragma once
// A form of gaussian_blur for u16 images of one channel: both passes are banded products of bytes, as
// tensor cores multiply them, in one kernel whose warps share nothing. Variants: tuned_halves_* on CUDA.
#include "generators/algorithms/gaussian_blur/configuration.h"
#include "generators/algorithms/gaussian_blur/products/banded.h"
#include "generators/algorithms/gaussian_blur/weights.h"
#include "generators/algorithms/gaussian_blur/window_words.h"
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace tilewright {

// The 32 lanes of a warp go along a strip of 32 rows, 32 columns per step. They blur these down columns; the
// bytes that a lane gets are those that it is to multiply along rows, in the order of the operand, so that
// warps wait for nobody. Those of the last steps are kept in a ring. Lane 4 g + q has
//     of the image, per 16 rows      rows 4 q ... 4 q + 3 of four columns: from column 4 (g / 2) on where g
//                                    is even, and otherwise from 16 columns later on
//     between the passes, per half   columns 4 q ... 4 q + 3 and 16 + 4 q ... 16 + 4 q + 3 of two rows
//     of the output, per half        the same
// The two rows are 4 (g / 2) + g % 2, and that + 2. Each half of 16 outputs has a window of its own
// (HalfBands). Image and output are rows of words, whose width is a multiple of 4 pixels. The border is not
// `zero`.
struct GaussianBlurHalfProducts : Halide::NamesInterface {
    static constexpr const char *name = "gaussian_blur_half_products";
    // The warps of a group of workers, and the steps of a segment of the strip.
    struct Group {
        HalfBands bands;
        int warps;
        Expr band;
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

    Var v{"v"}, w{"w"}, r{"r"}, u{"u"}, j{"j"}, a{"a"}, b{"b"}, h{"h"}, k{"k"}, p{"p"}, x{"x"}, y{"y"},
        worker{"worker"}, unit{"unit"}, block{"block"}, segment{"segment"};
    Func taps{"taps_of_group"}, rows{"rows"}, source{"source"}, columns{"columns"}, words{"words"},
        ring{"ring"}, ring_words{"ring_words"}, value{"value"}, out{"out"};
    Pass down, along;
    RVar outside_row;
    RDom to;
    Group group;

    // fragments(v, lane, entry): word v of a lane, of HalfBands.
    GaussianBlurHalfProducts(Func image, const Expr &width, const Expr &height, const BorderMap &border,
        const Func &fragments, const Group &group, const AddedProduct &product, const WordOperations &word)
        : group(group) {
        // The pass along rows takes the same words in the order of its operand.
        taps(v, worker, k, p) = fragments(select(p == 0, v, v % 2 * 2 + v / 2), worker, k);
        read(image, width, height, border, word);
        multiply(
            down, "down", {j, a, worker, unit, block, segment}, a, 0, product,
            [&](const Pass::Step &step, int, int n, const Expr &of_lane) {
                return step.taps(n, step.entry, of_lane);
            },
            [&](const Pass::Step &step, int byte, int n, const Expr &of_lane) {
                return columns(j, byte, unit_of(step.entry, n), of_lane, unit, block, segment);
            });
        keep(word);
        multiply(
            along, "along", {h, b, a, worker, unit, block, segment}, b, 1, product,
            [&](const Pass::Step &step, int byte, int n, const Expr &of_lane) {
                const Expr of_line = unit_of(step.entry, n / 2);
                return ring_words(
                    n % 2 + of_line % 2 * 2, byte, a, of_line / 2, of_lane, unit, block, segment);
            },
            [&](const Pass::Step &step, int, int n, const Expr &of_lane) {
                return step.taps(2 * h + n, step.entry, of_lane);
            });
        const auto number = [&](int n) {
            const auto sums = along.sums(w, b, a, worker, unit, block, segment);
            return Halide::cast<uint32_t>(select(h == 0, sums[n], sums[2 + n]));
        };
        value(w, h, b, a, worker, unit, block, segment) =
            word.pick(number(0), number(1), WordOperations::hex(0x5410));
        store(width, height);
    }

private:
    static constexpr int bytes = 2, side = 32;  // of a pixel; of a strip and a step

    Expr lane(const Expr &g, const Expr &q) const {
        return lane_of_warp(worker, worker, g, q);
    }
    Expr strip(const Expr &of_worker, const Expr &of_block) const {
        return group.warps * of_block + of_worker / 32;
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
        const Expr all =
            of_entries(entry, [&](const HalfBands::Entry &one) { return std::max(one.units[part], part); });
        return clamp(all, 0, 2 * group.bands.steps() - 1);
    }

    // source(w, r, u, ...): word w of four columns, in row r of four of unit u of rows. Columns beyond the
    // left or the right side are loaded once more in a branch.
    void read(Func image, const Expr &width, const Expr &height, const BorderMap &border,
        const WordOperations &word) {
        const int reach = group.bands.reach;
        const Expr fours = width / 4, g = g_of(worker),
                   at = 8 * (group.band * segment + unit) - reach / 4 + g / 2 + 4 * (g % 2);
        rows(y, block) = border.inside(side * group.warps * block - reach + y, height, border.high_y);
        const auto from = [&](const Expr &row) {
            return promised(rows(side * (worker / 32) + 16 * u + 4 * q_of(worker) + row, block), height);
        };
        source(w, r, u, worker, unit, block, segment) =
            image(bytes * clamp(at, 0, fours - 1) + promised(w, bytes), from(r));
        BorderMap of_edge = border;
        of_edge.zero = 0;
        const BorderedWords edge(image, width, height, of_edge, true, word, bytes);
        RDom row(0, 4, "row");
        outside_row = RVar(row.x.name());
        row.where(!below(at, fours));
        const Expr low = promised(edge.column(bytes * at + w), edge.words),
                   next = promised(min(low + 1, edge.words - 1), edge.words);
        source(w, row, u, worker, unit, block, segment) =
            word.pick(image(low, from(row)), image(next, from(row)), edge.picks(bytes * at + w, 0));
        std::vector<Expr> all;
        for (int of_word = 0; of_word < bytes; of_word++) {
            const auto loaded = [&](int n) { return source(of_word, n, u, worker, unit, block, segment); };
            for (const Expr &one : word.transposed(loaded(0), loaded(1), loaded(2), loaded(3))) {
                all.push_back(one);
            }
        }
        columns(j, p, u, worker, unit, block, segment) = mux(bytes * j + p, all);
    }

    using Operand = std::function<Expr(const Pass::Step &, int byte, int word, const Expr &of_lane)>;

    // The sums of half `half`, as in BandedProducts.
    void multiply(Pass &pass, const std::string &name, const std::vector<Var> &at, const Expr &half,
        int order, const AddedProduct &product, const Operand &left, const Operand &right) {
        pass.sums = Func(name);
        const std::vector<Expr> places(at.begin(), at.end());
        const auto sums = [&] {
            const auto tuple = pass.sums(places);
            return std::vector<Expr>{tuple[0], tuple[1], tuple[2], tuple[3]};
        };
        pass.sums(at) = Halide::Tuple(0, 0, 0, 0);
        const auto add = [&](int tap, int byte) {
            const std::string of_step = name + "_" + std::to_string(tap) + "_" + std::to_string(byte);
            Pass::Step step{
                pass.updates++, RDom(0, (int)group.bands.entries().size(), of_step), Func(of_step + "_taps")};
            const Expr entry = step.entry;
            step.entry.where(of_entries(entry, [](const HalfBands::Entry &one) { return one.half; }) == half);
            step.entry.where(of_entries(entry, [](const HalfBands::Entry &one) { return one.byte; }) == tap);
            step.taps(v, k, worker) = taps(v, worker % 32, k, order);
            pass.sums(places) = Halide::Tuple(
                product([&](int n, const Expr &g, const Expr &q) { return left(step, byte, n, lane(g, q)); },
                    [&](int n, const Expr &g, const Expr &q) { return right(step, byte, n, lane(g, q)); },
                    g_of(worker), q_of(worker), sums()));
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
        shift(0);
        add(0, 1);
        add(1, 0);
        shift(1 << 7);
        add(1, 1);
        add(2, 0);
        shift(0);
        add(2, 1);
    }

    // ring(r, worker, p, a, ...): byte p of row r % 2 of two, of the four columns in half r / 2.
    void keep(const WordOperations &word) {
        const auto number = [&](int column) {
            const auto sums = down.sums(column, a, worker, unit, block, segment);
            return Halide::cast<uint32_t>(mux(2 * (r % 2) + r / 2, {sums[0], sums[1], sums[2], sums[3]}));
        };
        const Expr picks = select(p == 0, WordOperations::hex(0x40), WordOperations::hex(0x51));
        words(r, p, a, worker, unit, block, segment) = word.pick(word.pick(number(0), number(1), picks),
            word.pick(number(2), number(3), picks), WordOperations::hex(0x5410));
        ring(r, worker, p, a, unit, block, segment) = words(r, p, a, worker, unit, block, segment);
        ring_words(r, p, a, k, worker, unit, block, segment) =
            ring(r, worker, p, a, unit + k, block, segment);
    }

    // Places of out: word of four columns, row h of two, half b of the columns, half a of the rows, part (see
    // below), workers, steps of a segment, segments beside each other, groups of strips.
    void store(const Expr &width, const Expr &height) {
        const Expr band = group.band, fours = width / 4;
        to = RDom({{0, bytes}, {0, 2}, {0, 2}, {0, 2}, {0, 2}, {0, 32 * group.warps}, {0, band},
                      {0, ceil_div(ceil_div(width, side), band)},
                      {0, ceil_div(ceil_div(height, side), group.warps)}},
            "to");
        const Expr of_word = to[0], of_h = to[1], of_b = to[2], of_a = to[3], part = to[4], of_worker = to[5],
                   of_unit = to[6], of_segment = to[7], of_block = to[8], g = g_of(of_worker);
        const Expr of_step = 8 * (band * of_segment + of_unit), of_strip = side * strip(of_worker, of_block),
                   at = of_step + 4 * of_b + q_of(of_worker),
                   row = of_strip + 16 * of_a + 4 * (g / 2) + g % 2 + 2 * of_h;
        // Part 0: steps that are inside of the image, with one branch for all words.
        const Expr whole = below(of_step + 7, fours) && below(of_strip + side - 1, height);
        to.where(part == 1 || whole);
        to.where(part == 0 || (!whole && below(row, height) && below(at, fours)));
        out(x, y) = Halide::undef<uint32_t>();
        out(bytes * promised(at, fours) + of_word, promised(row, height)) =
            value(of_word, of_h, of_b, of_a, of_worker, of_unit, of_block, of_segment);
    }
};

}  // namespace tilewright
