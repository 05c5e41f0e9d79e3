#pragma once
// Forms of matmul whose matrices are cut into panels. Variants: tuned_any on GPUs (runs) and on CPUs
// (blocks).
//
// The blocks are those of K. Goto and R. van de Geijn, "Anatomy of High-Performance Matrix Multiplication",
// 2008.
#include "Halide.h"
#include "generators/algorithms/indices.h"
#include "generators/algorithms/integers.h"
#include "generators/algorithms/matmul/matmul.h"
#include <utility>

namespace tilewright {

// The sizes of a matrix product: out has `rows` rows and `columns` columns, and `depth` products are summed.
struct Extents {
    Halide::Expr rows, columns, depth;
};

// The index of an element that there is, for one that may be beyond the end.
inline Halide::Expr not_beyond(const Halide::Expr &at, const Halide::Expr &extent) {
    return promised(min(at, extent - 1), extent);
}

// A and B in panels: a panel has `rows` rows of A or `columns` columns of B, and is cut into blocks of
// `depth` along the summed dimension. Elements of a panel that are outside the matrix are zero, so that
// nothing inside the product depends on the sizes of out.
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
        : size(size), rows(rows), columns(columns), depth(depth), blocks(ceil_div(size.depth, depth)),
          panels_a(ceil_div(size.rows, rows)), panels_b(ceil_div(size.columns, columns)),
          inner(0, depth, "inner") {
        Func padded_a = zero_beyond(A, size.depth, size.rows),
             padded_b = zero_beyond(B, size.columns, size.depth);
        a(i, k, p, t) = padded_a(t * depth + k, p * rows + i);
        b(j, k, q, t) = padded_b(q * columns + j, t * depth + k);
        part(j, i, q, p, t) += a(i, inner, p, t) * b(j, inner, q, t);
    }

protected:
    // The indices of an element of out: of element (j, i) of tile (q, p), which are the first four dimensions
    // of the domain. Elements outside the matrix are excluded from the domain. Most tiles are inside.
    std::pair<Expr, Expr> element(RDom &domain) const {
        const Expr column = columns * domain[2] + domain[0], row = rows * domain[3] + domain[1];
        domain.where(below(row, size.rows));
        domain.where(likely(below(column, size.columns)));
        return {promised(column, size.columns), promised(row, size.rows)};
    }
};

// out = the sum over blocks t of part(..., t), added up in out itself.
struct MatmulBlocks : Panels {
    static constexpr const char *name = "matmul_blocks";
    RDom domain;

    MatmulBlocks(Func A, Func B, const Extents &size, int rows, int columns, Expr depth)
        : Panels(A, B, size, rows, columns, depth),
          domain({{0, columns}, {0, rows}, {0, panels_b}, {0, panels_a}, {0, blocks}}, "place") {
        out(x, y) = Halide::cast(a.type(), 0);
        const auto [column, row] = element(domain);
        out(column, row) += part(domain[0], domain[1], domain[2], domain[3], domain[4]);
    }
};

// The same, with a tile summed completely before it is stored, and with the blocks summed in independent
// runs, for products of few elements and great depth. There are enough runs for about `parts` independent
// parts, and none is shorter than 4 blocks.
struct MatmulRuns : Panels {
    static constexpr const char *name = "matmul_runs";
    const Expr run;
    Var s{"s"};
    RDom block, domain, runs;
    Func tile{"tile"}, summed{"summed"};

    MatmulRuns(Func A, Func B, const Extents &size, int rows, int columns, Expr depth, int parts)
        : Panels(A, B, size, rows, columns, depth), run(blocks_per_run(parts)), block(0, run, "block"),
          domain({{0, columns}, {0, rows}, {0, panels_b}, {0, panels_a}}, "place"),
          runs(0, ceil_div(blocks, run), "runs") {
        tile(j, i, q, p, s) += part(j, i, q, p, s * run + block);
        summed(x, y, s) = Halide::undef<float>();
        const auto [column, row] = element(domain);
        summed(column, row, s) = tile(domain[0], domain[1], domain[2], domain[3], s);
        out(x, y) += summed(x, y, runs);
    }

private:
    Expr blocks_per_run(int parts) const {
        const Expr tiles = panels_a * min(panels_b, parts);
        return max(4, ceil_div(blocks * min(tiles, parts), parts));
    }
};

}  // namespace tilewright
