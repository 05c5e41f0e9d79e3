#pragma once
// A form of recursive_gaussian by tiles, with the columns filtered first and what tiles carry in the memory
// of the output. Variant: compact on GPUs. A form, because a schedule of Halide 21 divides only associative
// updates (rfactor) between threads, and says nothing of memory that two Funcs share.
#include "generators/algorithms/indices.h"
#include "generators/algorithms/recursive_gaussian/tiles.h"

namespace tilewright {

// The definition, for one channel, in tiles of `columns` x `rows` pixels: the image is read three times and
// written once.
//
// What a tile adds to the states along y above and below it is a weighted sum of its columns (`sums`). A
// short scan makes the states at the edges of all tiles from these sums. Then the columns of each tile can be
// filtered, and the same is done along x with the filtered columns (`tails`, `states`). Each tile filters its
// columns twice: once for the sums along x, and once for the result. Filters along x and along y commute, so
// that the result is the definition's.
//
// `sums`, `tails` and `states` are outputs that may lie in the memory of `out`, so that a call needs little
// memory besides. sums(v, k, t, g) are dense; they are read before anything else is written there. tails and
// states have the rows of `out`, in words of four bytes. They lie around each edge between two tiles, 16
// words for each row: the words of the right tile are behind the edge.
//
//     -8 ... -6   what the left tile adds to the state that goes right (tails)
//     -4 ... -2   the state that enters the left tile from the right (states)
//      0 ...  2   the state that enters the right tile from the left (states)
//      4 ...  6   what the right tile adds to the state that goes left (tails)
//
// So the states that enter a tile lie in its own part of the output. A block of threads that computes the
// tile's pixels has read them before it writes there, and no other block reads them. Where the last tile
// would have less than 32 bytes, all tiles begin 32 bytes further left (`shifted`).
//
// i is a sample of a line in its tile, v the line in its group, t the tile along the line, g the group of
// lines.
struct RecursiveGaussianEdges : Halide::NamesInterface {
    static constexpr const char *name = "recursive_gaussian_edges";
    Var x{"x"}, y{"y"}, c{"c"}, i{"i"}, v{"v"}, k{"k"}, dir{"dir"}, t{"t"}, g{"g"}, w{"w"};
    const int columns, rows;  // of a tile
    RDom all, scan, pixels;   // all tails; the scan along a row of the image; all pixels of the output
    Func column{"column"}, sums{"sums"}, row_to_sum{"row_to_sum"}, tails{"tails"}, states{"states"};
    Func entering{"entering"}, row{"row"}, filtered{"filtered"}, out{"out"};
    std::vector<TileSums> of_tiles;    // of columns, of rows
    std::vector<TileCarries> carries;  // along y
    std::vector<TileFilters> filters;  // along y for the tails; along y for the result; along x

    // shifted: 0 or 1. words: those of a row of `out`.
    RecursiveGaussianEdges(Func image, Expr width, Expr height, Expr shifted, Expr words,
        const Recursion &recursion, const TileNumbers &along_x, const TileNumbers &along_y)
        : columns(along_x.tile), rows(along_y.tile), width(width), height(height), words(words),
          shifted(shifted), bytes(image.type().bytes()),
          across(ceil_div(width + shifted * (32 / bytes), columns)), down(ceil_div(height, rows)) {
        const auto pixel = [=](Expr x, Expr y) {
            return cast<float>(image(clamp(x, 0, width - 1), clamp(y, 0, height - 1)));
        };
        column(i, v, t, g, c) = pixel(column_of(g, v), t * rows + i);
        carry_along_y(pixel, along_y);
        for (const char *purpose : {"columns_to_sum", "columns"}) {
            filters.emplace_back(purpose, column, carries[0].states, down, recursion, along_y);
        }
        sum_rows(along_x);
        carry_along_x(along_x);
        filter_rows(recursion, along_x);
        pixels = RDom({{0, rows}, {0, columns}, {0, across}, {0, down}}, "pixels");
        const Expr to_x = column_of(pixels.z, pixels.y), to_y = pixels.w * rows + pixels.x;
        pixels.where(below(to_x, width) && below(to_y, height));
        filtered(i, v, t, g) = Pixel{image.type()}.written(filters[2].anticausal(i, v, t, g, 0)[0]);
        out(x, y) = Halide::undef(image.type());
        out(promised(to_x, width), promised(to_y, height)) = filtered(pixels.y, pixels.x, pixels.z, pixels.w);
    }

private:
    const Expr width, height, words, shifted;
    const int bytes;    // of a pixel
    Expr across, down;  // the number of tiles along x and along y
    Func edge_y{"edge_y"}, tails_y{"tails_y"};

    // Column v of the tiles t along x.
    Expr column_of(const Expr &t, const Expr &v) const {
        return t * columns + v - shifted * (32 / bytes);
    }
    // The word at the edge between tiles e and e + 1 along x.
    Expr edge(const Expr &e) const {
        return (e + 1) * (columns * bytes / 4) - 8 * shifted;
    }
    // The words of tails and of states at an edge. side = 0: of what goes right.
    Expr tail_at(const Expr &e, const Expr &side, const Expr &k) const {
        return promised(edge(e) + select(side == 0, -8, 4) + k, words);
    }
    Expr state_at(const Expr &e, const Expr &side, const Expr &k) const {
        return promised(edge(e) + select(side == 0, 0, -4) + k, words);
    }

    template<typename Pixel>
    void carry_along_y(const Pixel &pixel, const TileNumbers &numbers) {
        of_tiles.emplace_back("column_sums", column, numbers);
        sums(v, k, t, g) = of_tiles[0].of_tile(v, k, t, g, 0);
        tails_y(v, k, t, g, c) = sums(v, k, t, g);
        edge_y(v, dir, g, c) = pixel(column_of(g, v), select(dir == 0, 0, height - 1));
        carries.emplace_back("carry_y", tails_y, edge_y, down, numbers, true);
    }

    // The tails of the first tile and of the last one have what the row's first sample and its last one
    // continue with. All columns behind the last one are equal to it, so that the last sample of a row is the
    // last one of its tile too.
    void sum_rows(const TileNumbers &numbers) {
        row_to_sum(i, v, t, g, c) = filters[0].anticausal(v, i, g, t, c)[0];
        of_tiles.emplace_back("row_sums", row_to_sum, numbers);

        all = RDom({{0, 4}, {0, 2}, {0, rows}, {0, across}, {0, down}}, "all");
        const RVar k = all[0], side = all[1], v = all[2], t = all[3], g = all[4];
        const Expr to_y = g * rows + v;
        all.where(below(to_y, height) && select(side == 0, t < across - 1, t > 0));
        const Expr first = select(t == 0, row_to_sum(0, v, t, g, 0), 0.f),
                   last = select(t == across - 1, row_to_sum(columns - 1, v, t, g, 0), 0.f);
        std::vector<Expr> tail;
        for (int j = 0; j < 3; j++) {
            tail.push_back(of_tiles[1].of_tile(v, j + 3 * side, t, g, 0) +
                           numbers.across[size_t(3 * j)] * select(side == 0, first, last));
        }
        tail.push_back(0.f);
        tails(w, y) = Halide::undef<float>();
        tails(tail_at(t - side, side, k), promised(to_y, height)) = mux(k, tail);
    }

    // At every edge: state = tail + across * the state at the edge before. Positions are linear in the step,
    // so that the compiler sees that a step reads what the step before has written. The first step reads its
    // own words before it writes them, and drops what it read, as in TileCarries.
    void carry_along_x(const TileNumbers &numbers) {
        scan = RDom({{0, 4}, {0, numbers.steps}, {0, ceil_div(across - 1, numbers.steps)}, {0, 2}}, "scan");
        const RVar k = scan[0], side = scan[3];
        const Expr n = scan[1] + numbers.steps * scan[2];
        scan.where(likely(n < across - 1));
        const Expr first = edge(select(side == 0, 0, across - 2)),
                   distance = select(side == 0, 1, -1) * (columns * bytes / 4);
        const auto state = [&](const Expr &n, const Expr &k) {
            return promised(first + n * distance + select(side == 0, 0, -4) + k, words);
        };
        states(w, y) = Halide::undef<float>();
        Expr carried = 0.f;
        for (int j = 2; j >= 0; j--) {
            const std::vector<Expr> &a = numbers.across;
            carried += mux(k, {a[size_t(j)], a[size_t(3 + j)], a[size_t(6 + j)], 0.f}) *
                       states(state(max(n - 1, 0), j), y);
        }
        const Expr tail = promised(first + n * distance + select(side == 0, -8, 4) + k, words);
        states(state(n, k), y) = tails(tail, y) + select(n == 0, 0.f, carried);
    }

    void filter_rows(const Recursion &recursion, const TileNumbers &numbers) {
        row(i, v, t, g, c) = filters[1].anticausal(v, i, g, t, 0)[0];
        // At the ends of a row, where no state enters, the one that is read and dropped is the tile's own
        // too.
        const Expr e = select(dir == 0, max(t - 1, 0), min(t, across - 2)),
                   is_end = t == select(dir == 0, 0, across - 1);
        entering(k, dir, v, t, g) = states(
            state_at(e, select(is_end, 1 - dir, dir), k), promised(min(g * rows + v, height - 1), height));
        filters.emplace_back(
            "rows", row,
            [&](int j, int from) {
                const Expr at_end = from ? t == across - 1 : t == 0,
                           end = j == 0 ? Expr(row(from ? columns - 1 : 0, v, t, g, c)) : Expr(0.f);
                return select(at_end, end, entering(j, from, v, t, g));
            },
            recursion, numbers);
    }
};

}  // namespace tilewright
