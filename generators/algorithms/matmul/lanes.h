#pragma once
// A form of matmul for f32 whose products are those of the tensor cores, by single warps. Variant:
// tensor_lanes on CUDA.
#include "Halide.h"
#include "generators/algorithms/indices.h"
#include "generators/algorithms/integers.h"
#include "generators/algorithms/matmul/division.h"
#include "generators/algorithms/matmul/number_parts.h"
#include "generators/algorithms/matmul/tiles.h"
#include "generators/algorithms/tensor_products.h"
#include <cmath>
#include <vector>

namespace tilewright {

// out = A B in one kernel, by three products of TF32 numbers per product of f32, as MatmulFragments makes
// them. The warps of a thread block share the depth of its tile: rows of A and B are copied to shared memory
// as they are, blocks of the depth ahead, each warp multiplies its 16 words of a block, and at the
// end the thread block adds the sums of its slices. The tensor cores sum over those 16 words, and the sums of
// the blocks are added in f32.
//
// A warp computes 32 by 32 elements. Lane 4 g + q has rows g + 8 n of A, and of 16 words along k those from 4
// q on, four at a time, two for each of the two steps of the tensor cores. Of B it has the columns 4 g ... 4
// g + 3 of those four rows, so that its results are eight neighbouring columns.
//
// Elements of out that are not finite are summed again from plain products, as in MatmulFragments.
struct MatmulLanes : Halide::NamesInterface {
    static constexpr const char *name = "matmul_lanes";
    const LaneDivision division;
    Var x{"x"}, y{"y"}, v{"v"}, p{"p"}, l{"l"}, h{"h"}, b{"b"}, bx{"bx"}, w{"w"};
    Var i{"i"}, k{"k"}, m{"m"}, n{"n"}, r{"r"};
    Func tile_a{"tile_a"}, tile_b{"tile_b"}, fours_a{"fours_a"}, fours_b{"fours_b"};
    Func inside_b{"inside_b"}, least_a{"least_a"}, least_b{"least_b"}, words_a{"words_a"}, words_b{"words_b"},
        products{"products"}, sum{"sum"}, slice_sum{"slice_sum"};
    Func added{"added"}, lost{"lost"}, plain{"plain"}, value{"value"}, out{"out"};
    RDom steps, depth, all, domain;

    MatmulLanes(
        Func A, Func B, const Extents &size, const LaneDivision &division, const AddedProduct &product)
        : division(division), A(A), B(B), size(size), blocks(ceil_div(size.depth, division.depth)),
          across(ceil_div(size.columns, division.columns)), down(ceil_div(size.rows, division.rows)),
          once(select(size.depth > 0, 1, 2)) {
        take_rows();
        read_words();
        multiply(product);
        add_slices();
        store();
    }

private:
    static constexpr int warp_side = 32;
    Func A, B;
    const Extents size;
    const Expr blocks, across, down;  // blocks of the depth; tiles of out
    const Expr once;                  // as in MatmulFragments

    // Pieces of 16 bytes change places in shared memory, so that lanes read from different banks: of A in
    // every other row, of B every four rows.
    Expr place_in_a(const Expr &piece, const Expr &line) const {
        return exchanged(piece, 4 * (line % 2), division.depth / 4);
    }
    Expr place_in_b(const Expr &piece, const Expr &line) const {
        return exchanged(piece, 2 * (line / 4 % 4), division.columns / 4);
    }

    // tile_a(v, p, l, h, b) is word v of the piece at place p of row l of A, in block h of the depth;
    // tile_b(v, p, l, h, bx) the same of row l of B. Behind the last block it is read again.
    void take_rows() {
        const Expr block = min(h, blocks - 1);
        const Expr of_a = division.depth / 4 * block + place_in_a(p, l),
                   of_b = division.columns / 4 * bx + place_in_b(p, l);
        tile_a(v, p, l, h, b) =
            A(4 * not_beyond(of_a, size.depth / 4) + v, not_beyond(division.rows * b + l, size.rows));
        tile_b(v, p, l, h, bx) =
            B(4 * not_beyond(of_b, size.columns / 4) + v, not_beyond(division.depth * block + l, size.depth));
    }

    // Of worker w: its lane, its warp's place in the tile, and its slice.
    Expr worker() const {
        return w % division.workers();
    }
    Expr g() const {
        return g_of(worker());
    }
    Expr q() const {
        return q_of(worker());
    }
    Expr lane(const Expr &of_g, const Expr &of_q) const {
        return lane_of_warp(w, worker(), of_g, of_q);
    }
    Expr warp() const {
        return worker() / 32 % division.warps_of_slice();
    }
    // The 16 words along k of a slice, k-th of a block.
    Expr sixteen() const {
        return worker() / (32 * division.warps_of_slice()) + division.slices * k;
    }

    // fours_a(v, i, k, w, h): words of row 8 i of a lane; fours_b(v, i, k, w, h, bx): of row i of its four
    // along k. A term with a factor of 0 requires the blocks that are copied ahead. words_a and words_b have
    // the high and the low part. Beyond the end of the depth those of B are 0. Where one of four numbers of a
    // row of A or of a column of B has no low part in TF32, the first one becomes NaN.
    void read_words() {
        const Expr row = warp_side * (warp() % division.warps_down()) + 8 * i + g();
        const auto of_a = [&](const Expr &block) {
            return tile_a(v, place_in_a(4 * sixteen() + q(), g()), row, block, w / division.workers());
        };
        fours_a(v, i, k, w, h) = of_a(h) + 0.0f * of_a(h + division.ahead);
        const Expr line = 16 * sixteen() + 4 * q() + i,
                   piece = 8 * (warp() / division.warps_down()) + exchanged(g(), 2 * q(), 8);
        fours_b(v, i, k, w, h, bx) =
            tile_b(v, piece, line, h, bx) + 0.0f * tile_b(v, piece, line, h + division.ahead, bx);
        using namespace number_parts;
        inside_b(v, i, k, w, h, bx) =
            select(below(division.depth * h + line, size.depth), fours_b(v, i, k, w, h, bx), 0.0f);
        const auto least = [](const auto &number) {
            return min(
                min(distance(number(0)), distance(number(1))), min(distance(number(2)), distance(number(3))));
        };
        least_a(i, k, w, h) = least([&](int n) { return fours_a(n, i, k, w, h); });
        least_b(v, k, w, h, bx) = least([&](int n) { return inside_b(v, n, k, w, h, bx); });
        const auto marked = [](const Expr &is_first, const Expr &least, const Expr &number) {
            return select(is_first && least < bits(no_low_part), Expr(NAN), number);
        };
        words_a(v, i, k, w, h) = parts(marked(v == 0, least_a(i, k, w, h), fours_a(v, i, k, w, h)));
        words_b(v, i, k, w, h, bx) =
            parts(marked(i == 0, least_b(v, k, w, h, bx), inside_b(v, i, k, w, h, bx)));
    }
    static Halide::Tuple parts(const Expr &number) {
        using namespace number_parts;
        const Expr high = high_part(number);
        return {bits_of(high), bits_of(number - high)};
    }

    // products(m, n, w, h, bx): of a block of the depth, the sums of the 16 rows m and of the columns n, n +
    // 4, ... of a warp: low by high, high by low and high by high.
    void multiply(const AddedProduct &product) {
        steps = RDom({{0, 3}, {0, 2 * division.sixteens()}}, "steps");
        const Expr of_product = steps[0], pair = 2 * (steps[1] % 2), four = steps[1] / 2;
        const auto part = [&](int low, const Halide::FuncRef &parts) {
            return select(of_product == low, parts[1], parts[0]);
        };
        products(m, n, w, h, bx) = Halide::Tuple(0.f, 0.f, 0.f, 0.f);
        const auto before = products(m, n, w, h, bx);
        products(m, n, w, h, bx) = Halide::Tuple(product(
            [&](int word, const Expr &of_g, const Expr &of_q) {
                return part(0, words_a(pair + word / 2, 2 * m + word % 2, four, lane(of_g, of_q), h));
            },
            [&](int word, const Expr &of_g, const Expr &of_q) {
                return part(1, words_b(n, pair + word, four, lane(of_g, of_q), h, bx));
            },
            g(), q(), {before[0], before[1], before[2], before[3]}));
        depth = RDom(0, blocks, "depth");
        const auto of_block = products(m, n, w, depth, bx);
        sum(n, r, m, w, bx) = 0.0f;
        sum(n, r, m, w, bx) += mux(r, {of_block[0], of_block[1], of_block[2], of_block[3]});
    }

    // Of worker w and its cell k, four neighbouring elements of the tile's `cell`.
    Expr cell() const {
        return worker() + division.workers() * k;
    }
    Expr row_of_cell() const {
        return cell() / (division.columns / 4);
    }
    Expr column_of_cell() const {
        return 4 * (cell() % (division.columns / 4));
    }

    // slice_sum is sum in shared memory. Any worker of the tile may add any elements. lost(k, w, bx) is the
    // depth where one of the four is not finite, and otherwise 0: so many products are summed again.
    void add_slices() {
        slice_sum(n, r, m, w, bx) = sum(n, r, m, w, bx);
        const Expr row = row_of_cell(), column = column_of_cell(), in_warp = column % warp_side;
        const Expr warp = row / warp_side + division.warps_down() * (column / warp_side),
                   lane = 4 * (row % 8) + in_warp / 8, result = 2 * (row / 8 % 2) + in_warp / 4 % 2;
        Expr total = 0.0f;
        for (int slice = 0; slice < division.slices; slice++) {
            const Expr of = division.workers() * (w / division.workers()) +
                            32 * (division.warps_of_slice() * slice + warp) + lane;
            const Expr term = slice_sum(v, result, row / 16 % 2, of, bx);
            total = slice == 0 ? term : total + term;
        }
        added(v, k, w, bx) = total;
        Expr is_lost = number_parts::is_infinite(added(0, k, w, bx));
        for (int element = 1; element < 4; element++) {
            is_lost = is_lost || number_parts::is_infinite(added(element, k, w, bx));
        }
        lost(k, w, bx) = select(is_lost, size.depth, 0);
        all = RDom(0, size.depth, "all");
        all.where(all < lost(k, w, bx));
        const Expr of_row = division.rows * (w / division.workers()) + row,
                   four = division.columns / 4 * bx + column / 4;
        plain(v, k, w, bx) = 0.0f;
        plain(v, k, w, bx) +=
            A(all, not_beyond(of_row, size.rows)) * B(4 * not_beyond(four, size.columns / 4) + v, all);
        value(v, k, w, bx) = select(lost(k, w, bx) > 0, plain(v, k, w, bx), added(v, k, w, bx));
    }

    // The order of the elements of out: element of four, cell of a worker, worker, `once`, tiles.
    void store() {
        domain =
            RDom({{0, 4}, {0, division.cells()}, {0, division.workers()}, {0, once}, {0, across}, {0, down}},
                "place");
        const Expr worker = domain[2], tile_x = domain[4], tile_y = domain[5] * once + domain[3];
        const Expr of_cell = worker + division.workers() * domain[1], fours = division.columns / 4,
                   four = fours * tile_x + of_cell % fours, row = division.rows * tile_y + of_cell / fours;
        domain.where(below(four, size.columns / 4) && below(row, size.rows));
        out(x, y) = Halide::undef<float>();
        out(4 * promised(four, size.columns / 4) + domain[0], promised(row, size.rows)) =
            value(domain[0], domain[1], worker + division.workers() * tile_y, tile_x);
    }
};

}  // namespace tilewright
