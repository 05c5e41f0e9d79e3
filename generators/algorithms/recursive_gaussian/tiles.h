#pragma once
// Forms of recursive_gaussian by tiles, with carries between them. Variants: blocks_aligned, blocks_any and
// tuned_any on GPUs. A form, because a schedule of Halide 21 divides only associative updates
// (rfactor) between threads, and the matrices that carry a state over a tile are no part of the definition.
//
// Tiles with carries are those of D. Nehab, A. Maximo, R. Lima and H. Hoppe, "GPU-Efficient Recursive
// Filtering and Summed-Area Tables", 2011, and of G. Chaurasia et al., "Compiling High Performance Recursive
// Filters", 2015.
#include "generators/algorithms/indices.h"
#include "generators/algorithms/integers.h"
#include "generators/algorithms/recursive_gaussian/recursive_gaussian.h"
#include "generators/algorithms/recursive_gaussian/tile_size.h"
#include <functional>
#include <string>
#include <vector>

namespace tilewright {

// The numbers that lines in tiles need besides the recursion. Matrices are 3 x 3, row by row; the host
// computes them.
struct TileNumbers {
    using Expr = Halide::Expr;
    int tile;                  // samples of a tile
    int steps;                 // steps of the carries that are computed at a time
    int rows;                  // carry rows of a group
    std::vector<Expr> across;  // the state behind a tile of zeros, from the state before it
    std::vector<Expr> behind;  // what the samples behind a tile add to the anticausal state there, from the
                               // carry of the mirrored line
    // The table of weights (k, row). Row r < tile has those of sample r: for k < 3 the state behind a tile
    // that is 1 at r and 0 elsewhere, for k >= 3 that of the mirrored tile. Row tile + 3 b + j has, for k <
    // 3, what component j of the state behind run b adds to the state behind the tile, if zeros follow the
    // run; for k >= 3 the same of the mirrored tile, whose runs are mirrored too. The last recursive_run / 2
    // rows have half of the sum (k < 3) and of the difference (k >= 3) of the weights of sample r and of its
    // mirror image in the last run.
    Halide::Func weights;
    bool near = false;  // RecursiveGaussianConfiguration

    Expr zero() const {
        return Halide::Internal::make_zero(across[0].type());
    }
};

// What lines along an axis are filtered with.
struct TiledAxis {
    Recursion recursion;
    TileNumbers numbers;
};

// What each tile line(i, v, t, g, c) adds to the states behind it (k < 3) and before it. The samples of a
// run are summed first, and then the sums of the runs: a thread keeps the weights of a run in its registers,
// and those of all samples would not fit. The weights of the mirrored run are those of the run from its end,
// so that sums and differences of mirrored samples have half as many products: `halves` has what the even
// part of a run adds (k < 3), and what its odd part does.
struct TileSums : Halide::NamesInterface {
    Var i{"i"}, v{"v"}, k{"k"}, run{"run"}, t{"t"}, g{"g"}, c{"c"}, row{"row"};
    RDom sample, part;  // of half of a run; component of the sum of a run, and run
    Func samples, weights, halves, of_runs, matrices, of_tile;

    TileSums(const std::string &name, Func line, const TileNumbers &numbers)
        : sample(0, recursive_run / 2, name + "_sample"),
          part(0, 3, 0, numbers.tile / recursive_run, name + "_part"), samples(name + "_samples"),
          weights(name + "_weights"), halves(name + "_halves"), of_runs(name + "_of_runs"),
          matrices(name + "_matrices"), of_tile(name) {
        samples(i, v, run, t, g, c) = line(run * recursive_run + i, v, t, g, c);
        const Expr first = samples(sample, v, run, t, g, c),
                   mirrored = samples(recursive_run - 1 - sample, v, run, t, g, c);
        weights(k, row) = numbers.weights(k, recursive_weight_rows(numbers.tile) - recursive_run / 2 + row);
        halves(v, k, run, t, g, c) = numbers.zero();
        halves(v, k, run, t, g, c) += select(k < 3, first + mirrored, first - mirrored) * weights(k, sample);
        const Expr even = halves(v, k % 3, run, t, g, c), odd = halves(v, k % 3 + 3, run, t, g, c);
        of_runs(v, k, run, t, g, c) = select(k < 3, even + odd, even - odd);
        matrices(k, row) = numbers.weights(k, numbers.tile + row);
        of_tile(v, k, t, g, c) = numbers.zero();
        of_tile(v, k, t, g, c) +=
            matrices(k, part.x + 3 * part.y) * of_runs(v, part.x + 3 * (k / 3), part.y, t, g, c);
    }
};

// The states of all lines at the edges of their tiles, from both ends: P(0) = (edge, 0, 0), P(s + 1) =
// tail(s) + across P(s). The scan from the far end (dir = 1) is the causal filter of the mirrored line.
//
// A select reads both of its values: the first step of each line and direction reads three numbers that
// nothing wrote, inside of the memory of `states`, and drops them. Tools that look for such reads report them
// (compute-sanitizer --tool initcheck).
struct TileCarries : Halide::NamesInterface {
    Var v{"v"}, k{"k"}, dir{"dir"}, g{"g"}, s{"s"}, c{"c"};
    RDom r;  // component of the state; step within `steps` steps; iteration of `steps` steps
    Func states;

    // tails(v, k + 3 dir, tile, g, c), edge(v, dir, g, c). tiles: the number of tiles of a line. Steps behind
    // the last tile are computed too, but not used.
    TileCarries(const std::string &name, Func tails, Func edge, Expr tiles, const TileNumbers &numbers)
        : r(0, 3, 0, numbers.steps, 0, ceil_div(tiles, numbers.steps), name + "_r"), states(name) {
        const Expr k0 = r.x, n = r.y + numbers.steps * r.z;
        const std::vector<Expr> &a = numbers.across;
        states(v, k, dir, g, s, c) = Halide::undef(numbers.zero().type());
        Expr state = tails(v, k0 + 3 * dir, clamp(select(dir == 0, n - 1, tiles - n), 0, tiles - 1), g, c);
        for (int j = 2; j >= 0; j--) {
            state +=
                mux(k0, {a[size_t(j)], a[size_t(3 + j)], a[size_t(6 + j)]}) * states(v, j, dir, g, n - 1, c);
        }
        states(v, k0, dir, g, n, c) =
            select(n == 0, select(k0 == 0, edge(v, dir, g, c), numbers.zero()), state);
    }
};

// As TileCarries, of all columns and all rows of an image, across x down tiles: two scans that one kernel can
// do. Groups of lines g < across are the columns of the tiles there, the others are the rows.
struct ImageCarries : Halide::NamesInterface {
    Var v{"v"}, k{"k"}, dir{"dir"}, at{"at"}, c{"c"};
    RDom r;  // component of the state; step within `steps` steps; iteration of `steps` steps; group
    Func states;

    // tails(v, k + 3 dir, axis, t, g, c): of tile t along x and g along y; axis is 1 for columns.
    // edge(v, dir, g, c).
    ImageCarries(
        Func tails, Func edge, Expr across, Expr down, const TileNumbers &along_x, const TileNumbers &along_y)
        : r({{0, 3}, {0, along_x.steps}, {0, ceil_div(max(across, down), along_x.steps)}, {0, across + down}},
              "image_carries_r"),
          states("image_carries"), across_(across), down_(down), steps_(along_x.steps) {
        const Expr k0 = r[0], n = r[1] + steps_ * r[2], g = r[3];
        const Expr is_column = g < across, tiles = select(is_column, down, across),
                   line = select(is_column, g, g - across), first = first_of(g);
        r.where(steps_ * r[2] < tiles);
        const Expr from = clamp(select(dir == 0, n - 1, tiles - n), 0, tiles - 1),
                   t = promised(select(is_column, line, from), across),
                   tile_g = promised(select(is_column, from, line), down);
        std::vector<Expr> a;
        for (size_t i = 0; i < along_x.across.size(); i++) {
            a.push_back(select(is_column, along_y.across[i], along_x.across[i]));
        }
        states(v, k, dir, at, c) = Halide::undef(a[0].type());
        Expr state = tails(v, k0 + 3 * dir, select(is_column, 1, 0), t, tile_g, c);
        for (int j = 2; j >= 0; j--) {
            state += mux(k0, {a[size_t(j)], a[size_t(3 + j)], a[size_t(6 + j)]}) *
                     states(v, j, dir, promised(first + max(n - 1, 0), total()), c);
        }
        states(v, k0, dir, promised(first + n, total()), c) =
            select(n == 0, select(k0 == 0, edge(v, dir, g, c), along_x.zero()), state);
    }

    // Component j of the state at edge s of row group or column group `line`, counted from direction `dir`.
    Expr of_column(Expr v, Expr j, Expr dir, Expr line, Expr s, Expr c) const {
        return states(v, j, dir, promised(first_of_column(line) + s, total()), c);
    }
    Expr of_row(Expr v, Expr j, Expr dir, Expr line, Expr s, Expr c) const {
        return states(v, j, dir, promised(first_of_row(line) + s, total()), c);
    }

private:
    const Expr across_, down_;
    const int steps_;

    // Steps behind the last tile of a line are computed too, but not used.
    Expr first_of_column(Expr line) const {
        return line * round_up(down_, steps_);
    }
    Expr first_of_row(Expr line) const {
        return across_ * round_up(down_, steps_) + line * round_up(across_, steps_);
    }
    Expr first_of(Expr g) const {
        return select(g < across_, first_of_column(g), first_of_row(g - across_));
    }
    Expr total() const {
        return first_of_row(down_);
    }
};

// Both filters of each tile samples(i, v, t, g, c), 0 <= i < tile, from the states at its edges. The result
// is anticausal(i, v, t, g, c)[0].
struct TileFilters : Halide::NamesInterface {
    // Component j of the state that enters tile t of line v: from its first sample's side (dir = 0), or from
    // its last one's.
    using State = std::function<Expr(int j, int dir)>;

    Var i{"i"}, v{"v"}, t{"t"}, g{"g"}, c{"c"};
    RDom n, m;
    Func causal, anticausal;

    // With the states of TileCarries.
    TileFilters(const std::string &name, Func samples, Func states, Expr tiles, const TiledAxis &axis)
        : TileFilters(
              name, samples,
              [=, this](int j, int dir) { return states(v, j, dir, g, dir ? tiles - 1 - t : Expr(t), c); },
              axis) {}

    TileFilters(const std::string &name, Func samples, const State &state, const TiledAxis &axis)
        : n(0, axis.numbers.tile, name + "_n"), m(0, axis.numbers.tile, name + "_m"),
          causal(name + "_causal"), anticausal(name + "_anticausal") {
        const TileNumbers &numbers = axis.numbers;
        const Recursion &recursion = axis.recursion;
        const int tile = numbers.tile;
        const Expr nothing = Halide::undef(recursion.type());
        const Tuple none(nothing, nothing, nothing);
        auto at = [&](Func f, Expr i) {
            return Tuple(f(i, v, t, g, c)[0], f(i, v, t, g, c)[1], f(i, v, t, g, c)[2]);
        };

        causal(i, v, t, g, c) = none;
        causal(-1, v, t, g, c) = recursion.over_gain(Tuple(state(0, 0), state(1, 0), state(2, 0)));
        causal(-2, v, t, g, c) = recursion.earlier(at(causal, -1));
        causal(n, v, t, g, c) =
            recursion.step_ahead(samples(n, v, t, g, c), at(causal, n - 1), at(causal, n - 2));

        const Tuple behind = recursion.times_gain(at(causal, tile - 1));
        std::vector<Expr> end(3, numbers.zero());
        for (int r = 0; r < 3; r++) {
            for (int j = 2; j >= 0; j--) {
                const size_t k = size_t(3 * r + j);
                end[size_t(r)] += recursion.end_matrix[k] * behind[j] + numbers.behind[k] * state(j, 1);
            }
        }
        anticausal(i, v, t, g, c) = none;
        anticausal(tile, v, t, g, c) = recursion.over_gain(Tuple(end));
        anticausal(tile + 1, v, t, g, c) = recursion.earlier(at(anticausal, tile));
        anticausal(tile - 1 - m, v, t, g, c) = recursion.step_ahead(
            causal(tile - 1 - m, v, t, g, c)[0], at(anticausal, tile - m), at(anticausal, tile + 1 - m));
    }
};

// The definition in tiles of tile x tile pixels: the image is read twice and written once.
//
// What a tile adds to the state behind it is linear in its samples (`tails`: weighted sums of the image,
// along x and along y). So the states at all edges of tiles follow from a short scan (`carries`). Filters
// along x commute with those along y, also at the edges of the image. So the carries along y of the image are
// rows of another image, six for each row of tiles; filtered along x, they are the carries along y of the
// image that is filtered along x. With all carries known, each tile is filtered by itself, along x and along
// y.
//
// i is a sample of a line in its tile, v the line in its group, t the tile along the line, g the group of
// lines, c the channel.
struct TiledGaussian : Halide::NamesInterface {
    Var x{"x"}, y{"y"}, c{"c"}, i{"i"}, v{"v"}, k{"k"}, dir{"dir"}, t{"t"}, g{"g"}, s{"s"}, axis{"axis"};
    const int tile, rows;
    const Expr across, down;  // the number of tiles along x and along y
    Func tile_of_samples{"tile_of_samples"}, column_of_samples{"column_of_samples"}, tails{"tails"};
    Func carry_row{"carry_row"}, carries_to_sum{"carries_to_sum"}, rows_to_filter{"rows_to_filter"},
        carry_tails{"carry_tails"}, edge_of_carries{"edge_of_carries"}, carries_transposed{"carries_turned"},
        carries_filtered{"carries_filtered"};
    Func source{"source"}, row{"row"}, transposed{"turned"}, column{"column"}, filtered{"filtered"};
    std::vector<TileSums> sums;         // of rows, of columns, of the carry rows
    std::vector<ImageCarries> carries;  // of the image; none where all is `near`
    std::vector<TileCarries> along;     // along x of the carry rows; none where all is `near`
    std::vector<TileFilters> filters;   // of the carry rows; along x; along y

    using Pixels = std::function<Expr(Expr x, Expr y, Expr c)>;

    // `by_x` filters rows, `by_y` columns.
    TiledGaussian(const Pixels &pixel, Expr width, Expr height, const TiledAxis &by_x, const TiledAxis &by_y)
        : tile(by_x.numbers.tile), rows(by_x.numbers.rows), across(ceil_div(width, tile)),
          down(ceil_div(height, tile)) {
        sum_tiles(pixel, height, by_x.numbers, by_y.numbers);
        if (!by_x.numbers.near) {
            scan_tiles(pixel, width, height, by_x.numbers, by_y.numbers);
        }
        filter_carries(by_x);
        filter_tiles(pixel, by_x, by_y);
    }

private:
    Func edge{"edge"};

    // The tails of every tile (t along x, g along y), of its rows and of its columns. Without scans, the tail
    // of the last tile of a column, which no tile needs, is what enters the first one instead, and that of
    // the first one upwards what enters the last one.
    void sum_tiles(
        const Pixels &pixel, const Expr &height, const TileNumbers &along_x, const TileNumbers &along_y) {
        tile_of_samples(i, v, t, g, c) = pixel(t * tile + i, g * tile + v, c);
        column_of_samples(i, v, t, g, c) = tile_of_samples(v, i, t, g, c);
        sums.emplace_back("row_sums", tile_of_samples, along_x);
        sums.emplace_back("column_sums", column_of_samples, along_y);
        Expr column_tail = sums[1].of_tile(v, k, t, g, c);
        if (along_y.near) {
            const Expr first = pixel(t * tile + v, select(k < 3, 0, height - 1), c);
            column_tail = select(
                g == select(k < 3, down - 1, 0), select(k % 3 == 0, first, along_y.zero()), column_tail);
        }
        tails(v, k, axis, t, g, c) = select(axis == 0, sums[0].of_tile(v, k, t, g, c), column_tail);
    }

    // What enters tile t of a line along x from its neighbour in direction dir, whose tail is tail(tile): at
    // the edge, as if the tile's first or last `sample` had no end.
    Expr from_neighbour(
        int j, int dir, const Expr &sample, const std::function<Expr(const Expr &)> &tail) const {
        const Expr neighbour = promised(clamp(t + (dir ? 1 : -1), 0, across - 1), across);
        return select(t == (dir ? across - 1 : Expr(0)),
            j == 0 ? sample : Halide::Internal::make_zero(sample.type()), tail(neighbour));
    }

    // The carries of the image, along y and along x.
    void scan_tiles(const Pixels &pixel, Expr width, Expr height, const TileNumbers &along_x,
        const TileNumbers &along_y) {
        const Expr is_column = g < across, line = select(is_column, g, g - across) * tile + v,
                   edge_x = select(is_column, line, select(dir == 0, 0, width - 1)),
                   edge_y = select(is_column, select(dir == 0, 0, height - 1), line);
        edge(v, dir, g, c) = pixel(promised(edge_x, across * tile), promised(edge_y, down * tile), c);
        carries.emplace_back(tails, edge, across, down, along_x, along_y);
    }

    // The carries along y as rows of an image, and the same filtered along x. Tiles behind the last one are
    // the last one once more, and not used.
    void filter_carries(const TiledAxis &by_x) {
        const TileNumbers &numbers = by_x.numbers;
        const Expr line = g * rows + v,  // k + 3 dir + 6 s
            tile_of_row = promised(min(t, across - 1), across);
        const Expr of_state = line % 3, side = (line / 3) % 2, edge = line / 6;
        if (numbers.near) {
            const Expr above = select(edge == 0, down, edge) - 1, below = select(edge == 0, 0, down - edge);
            carry_row(i, v, t, g, c) = tails(
                i, of_state + 3 * side, 1, tile_of_row, promised(select(side == 0, above, below), down), c);
        } else {
            carry_row(i, v, t, g, c) = carries[0].of_column(i, of_state, side, tile_of_row, edge, c);
        }
        carries_to_sum(i, v, t, g, c) = carry_row(i, v, t, g, c);
        rows_to_filter(i, v, t, g, c) = carry_row(i, v, t, g, c);
        sums.emplace_back("carry_sums", carries_to_sum, numbers);
        carry_tails(v, k, t, g, c) = sums[2].of_tile(v, k, t, g, c);
        if (!numbers.near) {
            edge_of_carries(v, dir, g, c) =
                carry_row(select(dir == 0, 0, tile - 1), v, select(dir == 0, 0, across - 1), g, c);
            along.emplace_back("carry_q", carry_tails, edge_of_carries, across, numbers);
        }
        filters.emplace_back(
            "carry_rows", rows_to_filter,
            [&](int j, int dir) -> Expr {
                if (numbers.near) {
                    return from_neighbour(j, dir, rows_to_filter(dir ? tile - 1 : 0, v, t, g, c),
                        [&](const Expr &from) { return carry_tails(v, j + 3 * dir, from, g, c); });
                }
                const Expr s = dir ? across - 1 - tile_of_row : tile_of_row;
                return along[0].states(v, j, dir, g, promised(s, across), c);
            },
            by_x);
        carries_transposed(i, v, t, g, c) = filters[0].anticausal(i, v, t, g, c)[0];
        carries_filtered(i, v, t, g, c) = carries_transposed(i, v, t, g, c);
    }

    // Both filters of each tile.
    void filter_tiles(const Pixels &pixel, const TiledAxis &by_x, const TiledAxis &by_y) {
        source(i, v, t, g, c) = pixel(t * tile + i, g * tile + v, c);
        row(i, v, t, g, c) = source(i, v, t, g, c);
        filters.emplace_back(
            "rows", row,
            [&](int j, int dir) -> Expr {
                if (by_x.numbers.near) {
                    return from_neighbour(j, dir, row(dir ? tile - 1 : 0, v, t, g, c),
                        [&](const Expr &from) { return tails(v, j + 3 * dir, 0, from, g, c); });
                }
                return carries[0].of_row(v, j, dir, g, dir ? across - 1 - t : Expr(t), c);
            },
            by_x);
        transposed(i, v, t, g, c) = filters[1].anticausal(i, v, t, g, c)[0];
        column(i, v, t, g, c) = transposed(v, i, g, t, c);
        Func carry_yx("carry_yx");
        const Expr which = k + 3 * dir + 6 * s;
        carry_yx(v, k, dir, g, s, c) = carries_filtered(v, which % rows, g, which / rows, c);
        filters.emplace_back("columns", column, carry_yx, down, by_y);
    }
};

// The form for any size. Beyond its edges the image repeats its nearest pixel.
struct RecursiveGaussianTiles : TiledGaussian {
    static constexpr const char *name = "recursive_gaussian_tiles";
    Func out{"out"};

    RecursiveGaussianTiles(
        Func image, const Pixel &pixel, Expr width, Expr height, const TiledAxis &by_x, const TiledAxis &by_y)
        : TiledGaussian(
              [=](Expr x, Expr y, Expr c) {
                  return pixel.read(image(clamp(x, 0, width - 1), clamp(y, 0, height - 1), c));
              },
              width, height, by_x, by_y) {
        filtered(x, y, t, g, c) = filters[2].anticausal(y, x, g, t, c)[0];
        out(x, y, c) = pixel.written(filtered(x % tile, y % tile, x / tile, y / tile, c));
    }
};

// The form for one channel and sides that are whole tiles. out: x and y in the tile, tile along x and along
// y.
struct RecursiveGaussianAligned : TiledGaussian {
    static constexpr const char *name = "recursive_gaussian_aligned";
    Func out{"out"};

    RecursiveGaussianAligned(Func image, Expr width, Expr height, const TiledAxis &axis)
        : TiledGaussian(
              [=](Expr x, Expr y, Expr) { return cast<float>(image(x, y)); }, width, height, axis, axis) {
        out(x, y, t, g) = Pixel{image.type()}.written(filters[2].anticausal(y, x, g, t, 0)[0]);
    }
};

}  // namespace tilewright
