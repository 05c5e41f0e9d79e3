#pragma once
#include "Halide.h"
#include <utility>

namespace tilewright {

// The sizes of a matrix product: out has `rows` rows and `columns` columns, and `depth` products are summed.
struct Extents {
    Halide::Expr rows, columns, depth;
};

// a < b, for numbers that are not negative. Bounds inference does not look through the casts, so a condition made of this
// narrows nothing: a whole tile is computed, whatever part of it lies inside the matrix, and extents stay constant.
inline Halide::Expr below(Halide::Expr a, Halide::Expr b) {
    return Halide::cast<uint32_t>(a) < Halide::cast<uint32_t>(b);
}

// A and B cut into panels: `rows` rows of A, `columns` columns of B, and blocks of `depth` of the summed dimension. What a
// panel has beyond its matrix is zero, so that nothing inside the product depends on the sizes of out.
//
//     a(i, k, p, t) = A(t depth + k, p rows + i)                 row i of panel p, block t
//     b(j, k, q, t) = B(q columns + j, t depth + k)              column j of panel q, block t
//     part(j, i, q, p, t) = sum over k < depth of a(i, k, p, t) b(j, k, q, t)
struct Panels : Halide::NamesInterface {
    const Extents size;
    const int rows, columns;
    const Expr depth, blocks, panels_a, panels_b;
    Var x{"x"}, y{"y"}, i{"i"}, j{"j"}, p{"p"}, q{"q"}, k{"k"}, t{"t"};
    RDom inner;
    Func a{"panel_of_a"}, b{"panel_of_b"}, part{"part"}, out{"out"};

    Panels(Func A, Func B, const Extents &size, int rows, int columns, Expr depth)
        : size(size), rows(rows), columns(columns), depth(depth), blocks((size.depth + depth - 1) / depth),
          panels_a((size.rows + rows - 1) / rows), panels_b((size.columns + columns - 1) / columns), inner(0, depth, "inner") {
        Func padded_a = zero_beyond(A, size.depth, size.rows), padded_b = zero_beyond(B, size.columns, size.depth);
        a(i, k, p, t) = padded_a(t * depth + k, p * rows + i);
        b(j, k, q, t) = padded_b(q * columns + j, t * depth + k);
        part(j, i, q, p, t) += a(i, inner, p, t) * b(j, inner, q, t);
    }

protected:
    // Column and row as a place in out; what lies beyond the matrix is left out of the domain. Most tiles are whole.
    std::pair<Expr, Expr> element(RDom &place, Expr column, Expr row) const {
        place.where(below(row, size.rows));
        place.where(likely(below(column, size.columns)));
        return {unsafe_promise_clamped(column, 0, size.columns - 1), unsafe_promise_clamped(row, 0, size.rows - 1)};
    }

    // The same for element (j, i) of tile (q, p), which are the first four dimensions of `place`.
    std::pair<Expr, Expr> element(RDom &place) const {
        return element(place, columns * place[2] + place[0], rows * place[3] + place[1]);
    }

private:
    static Func zero_beyond(Func matrix, Expr width, Expr height) {
        return Halide::BoundaryConditions::constant_exterior(matrix, 0.0f, {{0, width}, {0, height}});
    }
};

// out = part, with one block that is the whole depth; the elements of a tile are taken by squares of `side` by `side`.
struct MatmulSquares : Panels {
    static constexpr const char *name = "matmul_squares";
    const int side;
    RDom place;

    MatmulSquares(Func A, Func B, const Extents &size, int rows, int columns, int side)
        : Panels(A, B, size, rows, columns, size.depth), side(side),
          place({{0, side}, {0, side}, {0, columns / side}, {0, rows / side}, {0, panels_b}, {0, panels_a}}, "place") {
        const Expr j = side * place[2] + place[0], i = side * place[3] + place[1], q = place[4], p = place[5];
        out(x, y) = Halide::undef<float>();
        const auto [column, row] = element(place, columns * q + j, rows * p + i);
        out(column, row) = part(j, i, q, p, 0);
    }
};

// out = the sum over blocks t of part(..., t), added up in out itself.
struct MatmulBlocks : Panels {
    static constexpr const char *name = "matmul_blocks";
    RDom place;

    MatmulBlocks(Func A, Func B, const Extents &size, int rows, int columns, Expr depth)
        : Panels(A, B, size, rows, columns, depth),
          place({{0, columns}, {0, rows}, {0, panels_b}, {0, panels_a}, {0, blocks}}, "place") {
        out(x, y) = 0.0f;
        const auto [column, row] = element(place);
        out(column, row) += part(place[0], place[1], place[2], place[3], place[4]);
    }
};

// The same, with a tile summed before it is put into place.
struct MatmulTiles : Panels {
    static constexpr const char *name = "matmul_tiles";
    RDom block, place;
    Func tile{"tile"};

    MatmulTiles(Func A, Func B, const Extents &size, int rows, int columns, Expr depth)
        : Panels(A, B, size, rows, columns, depth), block(0, blocks, "block"),
          place({{0, columns}, {0, rows}, {0, panels_b}, {0, panels_a}}, "place") {
        tile(j, i, q, p) += part(j, i, q, p, block);
        out(x, y) = Halide::undef<float>();
        const auto [column, row] = element(place);
        out(column, row) = tile(place[0], place[1], place[2], place[3]);
    }
};

// The same, with the blocks summed in independent runs, for products of few elements and great depth: as many runs as it
// takes to have about `parts` independent parts, none shorter than 4 blocks.
struct MatmulRuns : Panels {
    static constexpr const char *name = "matmul_runs";
    const Expr run;
    Var s{"s"};
    RDom block, place, runs;
    Func tile{"tile"}, summed{"summed"};

    MatmulRuns(Func A, Func B, const Extents &size, int rows, int columns, Expr depth, int parts)
        : Panels(A, B, size, rows, columns, depth), run(blocks_in_a_run(parts)), block(0, run, "block"),
          place({{0, columns}, {0, rows}, {0, panels_b}, {0, panels_a}}, "place"), runs(0, (blocks + run - 1) / run, "runs") {
        tile(j, i, q, p, s) += part(j, i, q, p, s * run + block);
        summed(x, y, s) = Halide::undef<float>();
        const auto [column, row] = element(place);
        summed(column, row, s) = tile(place[0], place[1], place[2], place[3], s);
        out(x, y) += summed(x, y, runs);
    }

private:
    Expr blocks_in_a_run(int parts) const {
        const Expr tiles = panels_a * min(panels_b, parts);
        return max(4, (blocks * min(tiles, parts) + parts - 1) / parts);
    }
};

}  // namespace tilewright
