#pragma once
#include "generators/algorithms/matmul/tiles.h"
#include <algorithm>
#include <bit>
#include <vector>

namespace tilewright {

// Workers numbered from 0, arranged in a rectangle. Groups of 32 lie `across` side by side and `down` one below another;
// of the five bits of a number within its group, those set in `bits` count along the rectangle's columns, the others along
// its rows.
struct Rectangle {
    using Expr = Halide::Expr;
    int bits, across, down;

    int group_columns() const {
        return 1 << std::popcount(unsigned(bits));
    }
    int group_rows() const {
        return 32 / group_columns();
    }
    int columns() const {
        return group_columns() * across;
    }
    int rows() const {
        return group_rows() * down;
    }
    Expr column(Expr worker) const {
        return ((worker / 32) % across) * group_columns() + gathered(worker % 32, true);
    }
    Expr row(Expr worker) const {
        return ((worker / (32 * across)) % down) * group_rows() + gathered(worker % 32, false);
    }
    Expr worker(Expr column, Expr row) const {
        const Expr group = column / group_columns() + across * (row / group_rows());
        Expr inside = 0;
        for (const Run &run : runs()) {
            inside += (((run.along_columns ? column : row) / (1 << run.to)) % (1 << run.length)) * (1 << run.from);
        }
        return inside + 32 * group;
    }

private:
    // Neighbouring bits of a number that count along the same axis: `length` bits at `from` are bits `to` of a coordinate.
    struct Run {
        bool along_columns;
        int from, length, to;
    };

    std::vector<Run> runs() const {
        std::vector<Run> all;
        int used[2] = {0, 0};
        for (int bit = 0; bit < 5; bit++) {
            const bool along_columns = (bits >> bit) & 1;
            if (!all.empty() && all.back().along_columns == along_columns) {
                all.back().length++;
            } else {
                all.push_back({along_columns, bit, 1, used[along_columns]});
            }
            used[along_columns]++;
        }
        return all;
    }

    Expr gathered(Expr number, bool along_columns) const {
        Expr coordinate = 0;
        for (const Run &run : runs()) {
            if (run.along_columns == along_columns) {
                coordinate += ((number / (1 << run.from)) % (1 << run.length)) * (1 << run.to);
            }
        }
        return coordinate;
    }
};

// How the work on a product is divided. A tile of out belongs to a rectangle of workers, each of which owns `height` rows by
// `width` columns of it (multiples of 4) and sums over blocks of `depth`; with more than one slice, that many rectangles
// share a tile, each taking its part of every block.
struct Division {
    Rectangle rectangle;
    int width, height, depth, slices;

    // Zero-padded panels of A and B are made before the product, each matrix apart or both in one Func (`together`: less to
    // start, more to move); with `none` there are no panels, and every extent must be a multiple of its tile's.
    enum class Copies { none, together, apart } copies;

    int per_slice() const {
        return rectangle.columns() * rectangle.rows();
    }
    int workers() const {
        return per_slice() * slices;
    }
    int tile_columns() const {
        return rectangle.columns() * width;
    }
    int tile_rows() const {
        return rectangle.rows() * height;
    }
};

// out = A B with its sums laid out by worker: sum(i, j, w, bx) is element (i, j) of worker w % workers, in the tile of row
// w / workers and column bx.
struct MatmulWorkers : Halide::NamesInterface {
    static constexpr const char *name = "matmul_workers";
    const Division division;
    Var x{"x"}, y{"y"}, v{"v"}, n{"n"}, h{"h"}, k{"k"}, b{"b"}, i{"i"}, j{"j"}, w{"w"}, bx{"bx"}, r{"r"};
    Var kk{"kk"}, rr{"rr"}, kb{"kb"}, rb{"rb"};
    Func piece{"piece"}, panels{"panels"}, panels_b{"panels_b"};
    Func tile_a{"tile_a"}, tile_b{"tile_b"}, own_a{"own_a"}, own_b{"own_b"};
    Func sum{"sum"}, slice_sum{"slice_sum"}, out{"out"};
    RDom depth, place;

    MatmulWorkers(Func A, Func B, const Extents &size, const Division &division)
        : division(division), A(A), B(B), size(size), widest(std::max(division.tile_columns(), division.tile_rows())) {
        cut_into_panels();
        multiply();
        put_into_place();
    }

private:
    using Copies = Division::Copies;
    Func A, B;
    const Extents size;
    const int widest;  // of a panel that holds rows of A or columns of B alike

    static Expr inside(Expr at, Expr extent) {
        return unsafe_promise_clamped(clamp(at, 0, extent - 1), 0, extent - 1);
    }
    Expr a(Expr k, Expr row) {
        if (division.copies == Copies::none) {
            return A(k, row);
        }
        return select(below(k, size.depth) && below(row, size.rows), A(inside(k, size.depth), inside(row, size.rows)), 0.0f);
    }
    Expr b_at(Expr column, Expr k) {
        if (division.copies == Copies::none) {
            return B(column, k);
        }
        return select(below(k, size.depth) && below(column, size.columns),
                      B(inside(column, size.columns), inside(k, size.depth)), 0.0f);
    }

    // tile_a(v, n, h, k, b): row `height n + 4 h + v` of tile row b, and tile_b in the same way: a worker's rows are groups of
    // four, each in a plane of its own (h), so that neighbouring workers read neighbouring words.
    void cut_into_panels() {
        const int rows = division.tile_rows(), columns = division.tile_columns();
        const Expr row = division.height * n + 4 * h + v, column = division.width * n + 4 * h + v;
        switch (division.copies) {
        case Copies::none:
            tile_a(v, n, h, k, b) = a(k, rows * b + row);
            tile_b(v, n, h, k, b) = b_at(columns * b + column, k);
            break;
        case Copies::together: {
            // The first panels hold A, the others B; A is turned in pieces of 32 by 32.
            const Expr of_a = (size.rows + widest - 1) / widest;
            piece(kk, rr, kb, rb, b) = select(b < of_a, a(32 * kb + kk, widest * b + 32 * rb + rr),
                                              b_at(widest * (b - of_a) + 32 * rb + kk, 32 * kb + rr));
            panels(r, k, b) = select(b < of_a, piece(k % 32, r % 32, k / 32, r / 32, b), piece(r % 32, k % 32, k / 32, r / 32, b));
            tile_a(v, n, h, k, b) = panels(rows * (b % (widest / rows)) + row, k, b / (widest / rows));
            tile_b(v, n, h, k, b) = panels(columns * (b % (widest / columns)) + column, k, of_a + b / (widest / columns));
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

    // sum = the products over the whole depth, a block after a block; own_a and own_b are what a worker reads for one k.
    void multiply() {
        const Rectangle &rectangle = division.rectangle;
        const int share = division.depth / division.slices;
        const Expr worker = w % division.workers(), first = share * (worker / division.per_slice());
        own_a(j, k, w) = tile_a(j % 4, rectangle.row(worker), j / 4, k + first, w / division.workers());
        own_b(i, k, w, bx) = tile_b(i % 4, rectangle.column(worker), i / 4, k + first, bx);
        const Expr blocks = division.copies == Copies::none ? size.depth / division.depth
                                                            : (size.depth + division.depth - 1) / division.depth;
        depth = RDom(0, share, 0, blocks, "depth");
        const Expr at = depth.x + division.depth * depth.y;
        sum(i, j, w, bx) = 0.0f;
        sum(i, j, w, bx) += own_a(j, at, w) * own_b(i, at, w, bx);
    }

    // The elements of out, in the workers' order: element of a group of four, group, worker, (a loop of one turn,) tile column,
    // tile row. The loop of one turn is there for schedules: it is one, but cannot be proven to be.
    void put_into_place() {
        const Rectangle &rectangle = division.rectangle;
        const int tile_columns = division.tile_columns(), tile_rows = division.tile_rows();
        const int workers = division.workers(), fours = division.width / 4;
        const bool whole = division.copies == Copies::none;
        const Expr once = select(size.depth > 0, 1, 2);
        const Expr columns = whole ? size.columns / tile_columns : (size.columns + tile_columns - 1) / tile_columns;
        const Expr rows = whole ? size.rows / tile_rows : (size.rows + tile_rows - 1) / tile_rows;
        place = RDom({{0, 4}, {0, fours * division.height / division.slices}, {0, workers}, {0, once}, {0, columns}, {0, rows}}, "place");
        const Expr element = place[0], group = place[1], worker = place[2], tile_x = place[4], tile_y = place[5] * once + place[3];

        Expr column, row, value;
        if (division.slices == 1) {
            const Expr i = 4 * (group % fours) + element, j = group / fours;
            column = division.width * rectangle.column(worker) + i;
            row = division.height * rectangle.row(worker) + j;
            value = sum(i, j, worker + workers * tile_y, tile_x);
        } else {
            // The slices' sums are added here; any worker of the tile may write any element.
            slice_sum(i, j, w, bx) = sum(i, j, w, bx);
            const Expr cell = worker + workers * group;
            const Expr four = cell % (tile_columns / 4);
            row = cell / (tile_columns / 4);
            column = 4 * four + element;
            const Expr owner = rectangle.worker(four / fours, row / division.height);
            for (int s = 0; s < division.slices; s++) {
                const Expr term = slice_sum(4 * (four % fours) + element, row % division.height,
                                            workers * tile_y + s * division.per_slice() + owner, tile_x);
                value = s == 0 ? term : value + term;
            }
        }
        column += tile_columns * tile_x;
        row += tile_rows * tile_y;

        out(x, y) = Halide::undef<float>();
        if (whole) {
            out(column, row) = value;
        } else {
            place.where(below(column, size.columns) && below(row, size.rows));
            out(unsafe_promise_clamped(column, 0, size.columns - 1), unsafe_promise_clamped(row, 0, size.rows - 1)) = value;
        }
    }
};

}  // namespace tilewright
