#pragma once
// A form of gaussian_blur for u8 images of one channel: both passes are banded products of bytes, as tensor
// cores multiply them, in one kernel whose workers keep the image's bytes in registers. Variants:
// tuned_ring_* on NVIDIA's GPUs.
#include "generators/algorithms/gaussian_blur/products/banded.h"
#include "generators/algorithms/gaussian_blur/weights.h"
#include "generators/algorithms/gaussian_blur/window_words.h"
#include <functional>
#include <vector>

namespace tilewright {

// A group of workers goes down a strip of the image, a unit of 16 rows per step. A warp has 32 columns of the
// strip. The last warps have no outputs, because the windows of the pass along rows reach beyond these. A
// window of 16 outputs has `units` units of 16 positions (UnitBands). Lane 4 g + q has
//     of the image, per unit   the rows 4 q ... 4 q + 3 of the columns 4 g ... 4 g + 3
//     between the passes       the columns 8 q ... 8 q + 7 of the rows g and g + 8, in the group's memory
//     of the output            eight columns of the rows g and g + 8: from column 8 (q / 2) on, of the first
//                              16 columns where q is even, and of the other 16 where it is odd
// Image and output are rows of words; the width is a multiple of 8, and the image has four rows or more.
struct GaussianBlurRingProducts : Halide::NamesInterface {
    static constexpr const char *name = "gaussian_blur_ring_products";
    // The warps of a group of workers, and its steps.
    struct Group {
        UnitBands bands;
        int warps;
        Expr band;
    };
    // What the neighbour of a worker gives, whose number differs in the lowest bit: given(n) of worker n.
    using Exchange = std::function<Expr(const std::function<Expr(const Expr &)> &given, const Expr &worker)>;
    // As an instruction would do it.
    static Expr exchanged(const std::function<Expr(const Expr &)> &given, const Expr &worker) {
        return given(worker + 1 - worker % 2 * 2);
    }

    Var v{"v"}, j{"j"}, k{"k"}, w{"w"}, m{"m"}, t{"t"}, p{"p"}, x{"x"}, y{"y"}, worker{"worker"},
        unit{"unit"}, block{"block"}, segment{"segment"};
    Func taps{"own_taps"}, places{"places"}, source{"source"}, ring{"ring"}, down{"down"}, between{"between"},
        pieces{"pieces"}, along{"along"}, words{"words"}, value{"value"}, out{"out"};
    RDom to;
    Group group;

    // fragments(v, lane, entry, pass): word v of a lane, of UnitBands; pass 1 is that along rows.
    GaussianBlurRingProducts(Func image, const Expr &width, const Expr &height, const BorderMap &border,
        const Func &fragments, const Expr &multiplier, const Group &group, const AddedProduct &product,
        const Exchange &exchange, const WordOperations &word)
        : group(group), outputs_(group.bands.outputs(group.warps)), strips_(ceil_div(width, 32 * outputs_)),
          entries_(group.bands.entries()) {
        taps(v, k, p, worker) = fragments(v, worker % 32, k, p);
        const BorderedWords edge(image, width, height, border, true, word);
        find_places(edge, border);
        read(image, height, edge.words, border, word);
        keep(word);
        blur_down(multiplier, product, word);
        blur_along(multiplier, product, exchange, word);
        store(width, height);
    }

private:
    static constexpr int side = 16;  // rows of a step
    const int outputs_;              // warps that have outputs
    const Expr strips_;
    const std::vector<UnitBands::Entry> entries_;

    Expr lane(const Expr &g, const Expr &q) const {
        return lane_of_warp(worker, worker, g, q);
    }
    // The first word of a strip's outputs. Groups at both sides of the image begin first, because they may
    // take longer.
    Expr first_word(const Expr &strip) const {
        return 8 * outputs_ * select(strip == 0, strips_ - 1, strip - 1);
    }

    // places(v, worker, block), of the word of each row that a worker reads: which word of the image it is,
    // or the complement of that of its first byte where its bytes are in two words; two selections of bytes
    // for the first step of a transposition; the selection of bytes from two words, and, in its upper half,
    // the worker's first row in a unit; and the bytes that count. What is in the group's memory, compilers
    // keep in no registers, and do not compute with before the loop.
    void find_places(const BorderedWords &edge, const BorderMap &border) {
        const auto hex = WordOperations::hex;
        const int reach = group.bands.reach();
        const Expr at = first_word(block) - reach / 4 + 8 * (worker / 32) + g_of(worker),
                   picks = edge.picks(at, 0), is_needed = at < edge.words + reach / 4,
                   is_one = !is_needed || (border.zero == 0 && (picks & hex(0x4444)) == hex(0)),
                   column = clamp(edge.column(at), 0, edge.words - 1),
                   digits = select(is_needed && is_one, picks, hex(0x3210));
        Expr orders = hex(0x40404040);
        for (int n = 0; n < 4; n++) {
            orders = orders + ((((digits >> hex(4 * n)) & hex(15)) * hex(0x11)) << hex(8 * n));
        }
        places(v, worker, block) = mux(
            v, {Halide::cast<uint32_t>(select(is_one, column, ~column)), orders,
                   select(is_one, hex(0x3210), picks) | Halide::cast<uint32_t>(4 * q_of(worker)) << hex(16),
                   select(is_one, hex(0xffffffff), edge.picks(at, 1))});
    }

    // source(worker, unit, ...)[r]: row 4 q + r of unit `unit` of those that the group reads; bytes that are
    // in one word of the image are in its order.
    void read(Func image, const Expr &height, const Expr &of_row, const BorderMap &border,
        const WordOperations &word) {
        const auto hex = WordOperations::hex;
        const int reach = group.bands.reach();
        const auto place = [&](int n) { return places(n, worker, block); };
        const Expr first = side * (group.band * segment + unit) - reach +
                           Halide::cast<int32_t>(place(2) >> hex(16)),
                   at = Halide::cast<int32_t>(place(0)), is_one = at >= 0,
                   is_inside = below(first, max(height - 3, 0)), low = select(is_one, at, ~at),
                   next = min(low + 1, of_row - 1);
        const auto rows = [](const std::function<Expr(int)> &row) {
            return Halide::Tuple(row(0), row(1), row(2), row(3));
        };
        source(worker, unit, block, segment) = rows([](int) { return Halide::undef<uint32_t>(); });
        // Both RDoms have one position: they are there for their conditions.
        RDom whole(0, 1, "whole"), part(0, 1, "part");
        whole.where(is_inside && is_one);
        source(worker, unit, block, segment) =
            rows([&](int n) { return image(promised(at, of_row), promised(first, height - 3) + whole + n); });
        part.where(!(is_inside && is_one) && below(first + reach, height + 2 * reach));
        source(worker, unit, block, segment) = rows([&](int n) {
            const Expr row = first + part + n, from = border.inside(row, height, border.high_y);
            return word.pick(
                       image(promised(low, of_row), from), image(promised(next, of_row), from), place(2)) &
                   place(3) & select(border.zero == 0 || from == row, hex(0xffffffff), hex(0));
        });
    }

    // ring(j, worker, unit, ...): column j of four of a unit, twice: an operand is two neighbouring units in
    // neighbouring registers, and a register can be in one place of these only. Both are computed in ways
    // that compilers do not find to be equal.
    void keep(const WordOperations &word) {
        const auto hex = WordOperations::hex;
        const auto row = [&](int n) { return source(worker, unit, block, segment)[n]; };
        std::vector<Expr> firsts, seconds;
        for (int two = 0; two < 2; two++) {
            const Expr order = places(1, worker, block) >> hex(16 * two),
                       a = word.pick(row(0), row(1), order), b = word.pick(row(2), row(3), order);
            firsts.insert(firsts.end(), {word.pick(a, b, hex(0x5410)), word.pick(a, b, hex(0x7632))});
            seconds.insert(seconds.end(), {word.pick(b, a, hex(0x1054)), word.pick(b, a, hex(0x3276))});
        }
        ring(j, worker, unit, block, segment) = Halide::Tuple(mux(j, firsts), mux(j, seconds));
    }

    static std::vector<Expr> sums_of(const Halide::FuncRef &tuple) {
        return {tuple[0], tuple[1], tuple[2], tuple[3]};
    }
    // The word of four sums, as BandedProducts says.
    static Expr joined(
        const std::function<Expr(int)> &sum, const Expr &multiplier, const WordOperations &word) {
        const Expr picks = WordOperations::hex(0x73);
        const auto number = [&](int n) { return Halide::cast<uint32_t>(sum(n)) * multiplier + (1 << 23); };
        return word.pick(word.pick(number(0), number(1), picks), word.pick(number(2), number(3), picks),
            WordOperations::hex(0x5410));
    }

    // between(v, worker, unit, ...): word v / 2 of row g + 8 (v % 2), of step `unit`.
    void blur_down(const Expr &multiplier, const AddedProduct &product, const WordOperations &word) {
        const auto sums = [&](const Expr &column) { return down(column, worker, unit, block, segment); };
        sums(j) = Halide::Tuple(0, 0, 0, 0);
        for (int entry = 0; entry < (int)entries_.size(); entry++) {
            const Expr first = unit + entries_[(size_t)entry].unit;
            sums(j) = Halide::Tuple(
                product([&](int n, const Expr &g, const Expr &q) { return taps(n, entry, 0, lane(g, q)); },
                    [&](int n, const Expr &g, const Expr &q) {
                        return ring(j, lane(g, q), first + n, block, segment)[n];
                    },
                    g_of(worker), q_of(worker), sums_of(sums(j))));
        }
        std::vector<Expr> all;
        for (int n = 0; n < 4; n++) {
            all.push_back(
                joined([&](int column) { return sums(column)[2 * (n % 2) + n / 2]; }, multiplier, word));
        }
        between(v, worker, unit, block, segment) = mux(v, all);
    }

    // pieces(v, k, worker, unit, ...): the words of the operand whose positions begin at column 16 k of the
    // warp. words(w, m, worker, unit, ...): the columns 4 q ... 4 q + 3 of half w, of row g + 8 m.
    // value(w, m, ...): word w of the two that a lane stores of that row.
    void blur_along(const Expr &multiplier, const AddedProduct &product, const Exchange &exchange,
        const WordOperations &word) {
        const Expr eight = 2 * k + q_of(worker),  // of eight columns, which one
            of_worker = 32 * (worker / 32 + eight / 4) + 4 * g_of(worker) + eight % 4;
        pieces(v, k, worker, unit, block, segment) =
            between(v, promised(of_worker, 32 * group.warps), unit, block, segment);
        const auto sums = [&](const Expr &tile) { return along(tile, w, worker, unit, block, segment); };
        sums(t) = Halide::Tuple(0, 0, 0, 0);
        for (int entry = 0; entry < (int)entries_.size(); entry++) {
            const Expr first = w + entries_[(size_t)entry].unit;
            sums(t) = Halide::Tuple(product(
                [&](int n, const Expr &g, const Expr &q) {
                    return pieces(n, first, lane(g, q), unit, block, segment);
                },
                [&](int n, const Expr &g, const Expr &q) { return taps(2 * t + n, entry, 1, lane(g, q)); },
                g_of(worker), q_of(worker), sums_of(sums(t))));
        }
        words(w, m, worker, unit, block, segment) =
            joined([&](int n) { return select(m == 0, sums(n / 2)[n % 2], sums(n / 2)[2 + n % 2]); },
                multiplier, word);
        const auto own = [&](const Expr &half, const Expr &of_lane) {
            return words(half, m, of_lane, unit, block, segment);
        };
        const Expr is_odd = worker % 2 == 1,
                   got = exchange(
                       [&](const Expr &of_lane) {
                           return select(of_lane % 2 == 1, own(0, of_lane), own(1, of_lane));
                       },
                       worker);
        value(w, m, worker, unit, block, segment) =
            select((w == 0) == is_odd, got, select(is_odd, own(1, worker), own(0, worker)));
    }

    // Places of out: word w of a lane, row m, `turn`, workers, steps of a group, groups below each other,
    // strips. `turn` has one iteration, and is inside of the condition that a warp has outputs.
    void store(const Expr &width, const Expr &height) {
        const Expr band = group.band, pairs = width / 8;
        to = RDom({{0, 2}, {0, 2}, {0, 1}, {0, 32 * group.warps}, {0, band},
                      {0, ceil_div(ceil_div(height, side), band)}, {0, strips_}},
            "to");
        const Expr of_w = to[0], of_m = to[1], of_worker = to[3], of_unit = to[4], of_segment = to[5],
                   strip = to[6], q = q_of(of_worker);
        const Expr pair = first_word(strip) / 2 + 4 * (of_worker / 32) + 2 * (q % 2) + q / 2,
                   row = side * (of_unit + band * of_segment) + 8 * of_m + g_of(of_worker);
        to.where(below(of_worker / 32, outputs_));
        // One condition for column and row, which depends on m: so all lanes of a warp compute together.
        to.where(below(select(pair < pairs, row, height), height));
        out(x, y) = Halide::undef<uint32_t>();
        out(2 * promised(pair, pairs) + of_w, promised(row, height)) =
            value(of_w, of_m, of_worker, of_unit, strip, of_segment);
    }
};

}  // namespace tilewright
