#pragma once
// A form of recursive_gaussian by bands of rows, with carries between them. Row: tuned_bands on CPUs. It
// exists because the image between the filters of all rows and those of all columns is f32 and larger than
// the caches.
#include "generators/algorithms/recursive_gaussian/runs.h"
#include "generators/algorithms/recursive_gaussian/tiles.h"

namespace tilewright {

// The definition in bands of numbers.tile rows: the image is read twice and written once, and what lies
// between the filters along x and along y stays in the caches.
//
// What a band adds to the states of the columns behind it is linear in its samples (`tails`: weighted sums of
// the image along y). So the states at all edges of bands follow from a short scan (`carries`). Filters along
// x commute with those along y, so the states of the image that is filtered along x are the carries filtered
// along x: six rows per band (`carried`). Then each band is filtered by itself.
//
// image: rows of width * channels elements. v is an element of a row, k a component of the state (those of
// the causal filter, then those of the anticausal filter), t a band.
struct RecursiveGaussianBands : Halide::NamesInterface {
    static constexpr const char *name = "recursive_gaussian_bands";
    Var x{"x"}, y{"y"}, v{"v"}, k{"k"}, t{"t"}, i{"i"}, c{"c"}, dir{"dir"}, g{"g"};
    Expr width, height, channels, bands;
    TileNumbers numbers;
    RunShape shape;
    RDom r;  // row of a band: within `rows_at_once` rows, step of so many rows
    Func pixel, tails{"tails"};
    TileCarries carries;
    RecursiveRows carried, rows;
    RecursiveRuns along_y;
    Func out{"out"};

    static constexpr int rows_at_once = 8;

    RecursiveGaussianBands(Func image, Expr width, Expr height, Expr channels, const Recursion &recursion,
        const TileNumbers &numbers, const RunShape &shape)
        : width(width), height(height), channels(channels), bands(ceil_div(height, numbers.tile)),
          numbers(numbers), shape(shape), r(0, numbers.tile / rows_at_once, "r"),
          pixel(elements_of("pixel", image, height)),
          carries("carries", tails_by_tile(), edge(), bands, numbers),
          carried("carried", carry_rows(), width, channels, recursion, shape),
          rows("along_x", pixel, width, channels, recursion, shape),
          along_y(
              "along_y", column(), numbers.tile, recursion, shape.run,
              [this](Expr v, Expr t) { return Tuple(state(0, v, t), state(1, v, t), state(2, v, t)); },
              [this, &recursion](Expr v, Expr t, const Tuple &z) { return end(recursion, v, t, z); }) {
        out(x, y) = as_pixel(image.type(), along_y.sample(x, y % numbers.tile, y / numbers.tile));
    }

private:
    Func tails_by_tile() {
        Expr sum = 0.f;
        for (int j = 0; j < rows_at_once; j++) {
            const Expr row = r * rows_at_once + j;
            sum += cast<float>(pixel(v, t * numbers.tile + row)) * numbers.both(k, row);
        }
        tails(v, k, t) = 0.f;
        tails(v, k, t) += sum;
        Func by_tile("tails_by_tile");
        by_tile(v, k, t, g, c) = tails(v, k, t);
        return by_tile;
    }
    Func edge() {
        Func edge("edge");
        edge(v, dir, g, c) = cast<float>(pixel(v, select(dir == 0, 0, height - 1)));
        return edge;
    }
    // The states at the edges as the rows of an image, six per band: row k + 3 dir + 6 t.
    Func carry_rows() {
        Func carry_row("carry_row");
        const Expr row = clamp(y, 0, 6 * bands - 1);
        carry_row(x, y) = carries.states(x, row % 3, (row / 3) % 2, 0, row / 6, 0);
        return carry_row;
    }
    Func column() {
        Func column("column");
        column(v, i, t) = rows.strips(v % shape.strip, t * numbers.tile + i, v / shape.strip);
        return column;
    }
    // Component k of the state before band t, from above for k < 3 and from below for k >= 3, of the columns
    // of the image that is filtered along x.
    Expr state(int k, Expr v, Expr t) const {
        return carried.strips(v % shape.strip, k + 6 * (k < 3 ? t : bands - 1 - t), v / shape.strip);
    }
    // The state of the anticausal filter behind band t, from that of the causal filter there.
    Tuple end(const Recursion &recursion, Expr v, Expr t, const Tuple &z) const {
        std::vector<Expr> sums;
        for (size_t row = 0; row < 3; row++) {
            Expr sum = 0.f;
            for (int j = 2; j >= 0; j--) {
                const size_t at = 3 * row + size_t(j);
                sum += recursion.end_matrix[at] * z[j] + numbers.behind[at] * state(3 + j, v, t);
            }
            sums.push_back(sum);
        }
        return Tuple(sums);
    }
};

}  // namespace tilewright
