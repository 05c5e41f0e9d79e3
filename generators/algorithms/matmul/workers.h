#pragma once
// A form of matmul whose sums are laid out by worker, so that each worker keeps its sums in registers.
// Variants: tuned_small, tuned_small_whole and tuned_large on GPUs.
#include "generators/algorithms/matmul/division.h"
#include "generators/algorithms/matmul/tiles.h"
#include <algorithm>

namespace tilewright {

// out = A B with its sums laid out by worker: sum(i, j, w, bx) is element (i, j) of worker w % workers, in
// the tile of row w / workers and column bx.
struct MatmulWorkers : Halide::NamesInterface {
    static constexpr const char *name = "matmul_workers";
    const Division division;
    Var x{"x"}, y{"y"}, v{"v"}, n{"n"}, h{"h"}, k{"k"}, b{"b"}, i{"i"}, j{"j"}, w{"w"}, bx{"bx"}, r{"r"};
    Var kk{"kk"}, rr{"rr"}, kb{"kb"}, rb{"rb"};
    Func piece{"piece"}, panels{"panels"}, panels_b{"panels_b"};
    Func tile_a{"tile_a"}, tile_b{"tile_b"}, operand_a{"operand_a"}, operand_b{"operand_b"};
    Func sum{"sum"}, slice_sum{"slice_sum"}, out{"out"};
    RDom depth, domain;

    MatmulWorkers(Func A, Func B, const Extents &size, const Division &division)
        : division(division), A(A), B(B), size(size),
          widest(std::max(division.tile_columns(), division.tile_rows())) {
        cut_into_panels();
        multiply();
        store();
    }

private:
    using Copies = Division::Copies;
    Func A, B;
    const Extents size;
    const int widest;  // the width of a panel that may hold rows of A or columns of B

    static Expr inside(Expr at, Expr extent) {
        return promised(clamp(at, 0, extent - 1), extent);
    }
    Expr a(Expr k, Expr row) {
        if (division.copies == Copies::none) {
            return A(k, row);
        }
        return select(below(k, size.depth) && below(row, size.rows),
            A(inside(k, size.depth), inside(row, size.rows)), 0.0f);
    }
    Expr b_at(Expr column, Expr k) {
        if (division.copies == Copies::none) {
            return B(column, k);
        }
        return select(below(k, size.depth) && below(column, size.columns),
            B(inside(column, size.columns), inside(k, size.depth)), 0.0f);
    }

    // tile_a(v, n, h, k, b) is row `height n + 4 h + v` of tile row b; tile_b has columns in the same
    // way. A worker's rows are groups of four, and each group is in a plane of its own (h), so that
    // neighbouring workers read neighbouring words.
    void cut_into_panels() {
        const int rows = division.tile_rows(), columns = division.tile_columns();
        const Expr row = division.height * n + 4 * h + v, column = division.width * n + 4 * h + v;
        switch (division.copies) {
        case Copies::none:
            tile_a(v, n, h, k, b) = a(k, rows * b + row);
            tile_b(v, n, h, k, b) = b_at(columns * b + column, k);
            break;
        case Copies::together: {
            // The first panels hold A, the others B. A is transposed in pieces of 32 by 32.
            const Expr of_a = ceil_div(size.rows, widest);
            piece(kk, rr, kb, rb, b) = select(b < of_a, a(32 * kb + kk, widest * b + 32 * rb + rr),
                b_at(widest * (b - of_a) + 32 * rb + kk, 32 * kb + rr));
            panels(r, k, b) = select(
                b < of_a, piece(k % 32, r % 32, k / 32, r / 32, b), piece(r % 32, k % 32, k / 32, r / 32, b));
            tile_a(v, n, h, k, b) = panels(rows * (b % (widest / rows)) + row, k, b / (widest / rows));
            tile_b(v, n, h, k, b) =
                panels(columns * (b % (widest / columns)) + column, k, of_a + b / (widest / columns));
            break;
        }
        case Copies::apart:
            piece(k, r, b) = a(k, rows * b + r);
            panels(r, k, b) = piece(k, r, b);
            panels_b(r, k, b) = b_at(columns * b + r, k);
            tile_a(v, n, h, k, b) = panels(row, k, b);
            tile_b(v, n, h, k, b) = panels_b(column, k, b);
            break;
        }
    }

    // sum = the products over the whole depth, one block after another; operand_a and operand_b are what a
    // worker reads for one k.
    void multiply() {
        const Rectangle &rectangle = division.rectangle;
        const int share = division.depth / division.slices;
        const Expr worker = w % division.workers(), first = share * (worker / division.per_slice());
        operand_a(j, k, w) = tile_a(j % 4, rectangle.row(worker), j / 4, k + first, w / division.workers());
        operand_b(i, k, w, bx) = tile_b(i % 4, rectangle.column(worker), i / 4, k + first, bx);
        const Expr blocks = division.copies == Copies::none ? size.depth / division.depth :
                                                              ceil_div(size.depth, division.depth);
        depth = RDom(0, share, 0, blocks, "depth");
        const Expr at = depth.x + division.depth * depth.y;
        sum(i, j, w, bx) = 0.0f;
        sum(i, j, w, bx) += operand_a(j, at, w) * operand_b(i, at, w, bx);
    }

    // Stores the elements of out in the workers' order: element of a group of four, group, worker, `once`,
    // tile column, tile row. `once` has one iteration. Halide cannot prove that, so the loop is kept, and
    // schedules can compute `sum` inside it.
    void store() {
        const Rectangle &rectangle = division.rectangle;
        const int tile_columns = division.tile_columns(), tile_rows = division.tile_rows();
        const int workers = division.workers(), fours = division.width / 4;
        const bool whole_tiles = division.copies == Copies::none;
        const Expr once = select(size.depth > 0, 1, 2);
        const Expr columns = whole_tiles ? size.columns / tile_columns : ceil_div(size.columns, tile_columns);
        const Expr rows = whole_tiles ? size.rows / tile_rows : ceil_div(size.rows, tile_rows);
        domain = RDom({{0, 4}, {0, fours * division.height / division.slices}, {0, workers}, {0, once},
                          {0, columns}, {0, rows}},
            "place");
        const Expr element = domain[0], group = domain[1], worker = domain[2], tile_x = domain[4],
                   tile_y = domain[5] * once + domain[3];

        Expr column, row, value;
        if (division.slices == 1) {
            const Expr i = 4 * (group % fours) + element, j = group / fours;
            column = division.width * rectangle.column(worker) + i;
            row = division.height * rectangle.row(worker) + j;
            value = sum(i, j, worker + workers * tile_y, tile_x);
        } else {
            // The sums of the slices are added here. Any worker of the tile may store any element.
            slice_sum(i, j, w, bx) = sum(i, j, w, bx);
            const Expr cell = worker + workers * group;
            const Expr four = cell % (tile_columns / 4);
            row = cell / (tile_columns / 4);
            column = 4 * four + element;
            const Expr summing = rectangle.worker(four / fours, row / division.height);
            for (int s = 0; s < division.slices; s++) {
                const Expr term = slice_sum(4 * (four % fours) + element, row % division.height,
                    workers * tile_y + s * division.per_slice() + summing, tile_x);
                value = s == 0 ? term : value + term;
            }
        }
        column += tile_columns * tile_x;
        row += tile_rows * tile_y;

        out(x, y) = Halide::undef<float>();
        if (whole_tiles) {
            out(column, row) = value;
        } else {
            domain.where(below(column, size.columns) && below(row, size.rows));
            out(promised(column, size.columns), promised(row, size.rows)) = value;
        }
    }
};

}  // namespace tilewright
