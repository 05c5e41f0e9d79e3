#pragma once
// A form of recursive_gaussian by bands of rows, with carries between them. Variants: tuned_bands and
// tuned_colour_bands on CPUs. It exists because the image between the filters of all columns and those of all
// rows is f32 and larger than the caches.
#include "generators/algorithms/recursive_gaussian/sample_runs.h"
#include "generators/algorithms/recursive_gaussian/tiles.h"

namespace tilewright {

// The definition in bands of numbers.tile rows: the image is read twice and written once, and what lies
// between the filters along y and along x stays in the caches. The filters along y come first; they commute
// with those along x.
//
// What a band adds to the states of the columns behind it is linear in its samples (`tails`: weighted sums of
// the image along y). So the states at all edges of bands follow from a short scan along y (`states`,
// `last`). Then each band is filtered by itself, its columns first and then its rows.
//
// image: rows of width * channels elements, with more than one band. v is an element of a row, k a component
// of a state (those of the causal filter, then those of the anticausal filter), t a band.
//
// states(v, k, t): for k < 3 the state of the causal filter before band t > 0; for k >= 3 the state that the
// samples behind band t leave in the causal filter of the mirrored column. There are states of all bands but
// the last one, because they may lie in the memory of the output: those of band t in the rows of band t,
// which are written after these states were read. The last band may have too few rows for that, so it has
// `last`.
struct RecursiveGaussianBands : Halide::NamesInterface {
    static constexpr const char *name = "recursive_gaussian_bands";
    Var x{"x"}, y{"y"}, v{"v"}, k{"k"}, t{"t"}, i{"i"};
    Expr height, elements, channels, bands;
    TileNumbers numbers;
    RunShape shape;
    RDom r;            // step of `rows_at_once` rows of a band
    RDom all;          // component; band
    RDom scan, steps;  // component; band, after the first one whose state is a tail
    Func pixel, tails{"tails"}, tails_of_last{"tails_of_last"}, states, last;
    Func padded, ends;  // image and states, continued beyond the ends of rows
    RecursiveRuns along_y;
    RecursiveRows rows;
    Func pixels{"pixels"}, out{"out"};

    static constexpr int rows_at_once = 8;

    RecursiveGaussianBands(Func image, Expr width, Expr height, Expr channels, const Recursion &recursion,
        const TileNumbers &numbers, const RunShape &shape)
        : height(height), elements(width * channels), channels(channels),
          bands(ceil_div(height, numbers.tile)), numbers(numbers), shape(shape),
          r(0, numbers.tile / rows_at_once, "r"), all(0, 6, 0, bands, "all"),
          scan(0, 3, 1, bands - 2, "scan"), steps(0, 3, 0, bands - 1, "steps"),
          pixel(elements_of("pixel", image, height)), states(states_at_edges()), last(state_before_last()),
          padded(continued("padded", pixel, elements, channels)), ends(states_of_band()),
          along_y(
              "along_y", column(), numbers.tile, recursion, shape.run,
              [this](Expr v, Expr t) { return Tuple(ends(v, 0, t), ends(v, 1, t), ends(v, 2, t)); },
              [this, &recursion](Expr v, Expr t, const Tuple &z) { return end(recursion, v, t, z); }),
          rows("along_x", filtered_columns(), Func(), width, channels, recursion, shape, {image.type()},
              {image.type()}) {
        pixels(x, y) = rows.sample(x, y);
        out(x, y) = pixels(x, y);
    }

private:
    // The image's first row, or its last one, as a state: the filters begin as if it had no end there.
    Expr edge(Expr k, Expr v, Expr row) const {
        return select(k == 0, cast<float>(pixel(v, row)), 0.f);
    }
    // Component k of the state behind a band of zeros, from the state z before it.
    Expr across(Expr k, const std::vector<Expr> &z) const {
        const std::vector<Expr> &a = numbers.across;
        Expr sum = 0.f;
        for (size_t j : {2, 1, 0}) {
            sum += mux(k, {a[j], a[3 + j], a[6 + j]}) * z[j];
        }
        return sum;
    }
    // What band t adds to the states behind it, k < 3, and before it.
    void sum_tails(Func sums) {
        Expr sum = 0.f;
        for (int j = 0; j < rows_at_once; j++) {
            const Expr row = r * rows_at_once + j;
            sum += cast<float>(pixel(v, t * numbers.tile + row)) * numbers.weights(k, row);
        }
        sums(v, k, t) = 0.f;
        sums(v, k, t) += sum;
    }
    Func states_at_edges() {
        sum_tails(tails);
        Func states("edges");
        states(v, k, t) = Halide::undef<float>();
        // The tails of a band go to the band behind it, and to the one before it.
        const Expr to = all.y + select(all.x < 3, 1, -1);
        all.where(to >= 0 && to < bands - 1);
        states(v, all.x, unsafe_promise_clamped(to, 0, bands - 2)) = tails(v, all.x, all.y);

        std::vector<Expr> above, below;
        // A select reads both of its values: what the first step reads and drops must be inside of `states`,
        // which has no states behind the last band.
        const Expr up = bands - 2 - steps.y, beyond = promised(min(up + 1, bands - 2), bands - 1);
        for (int j = 0; j < 3; j++) {
            above.push_back(select(scan.y == 1, edge(j, v, 0), states(v, j, scan.y - 1)));
            below.push_back(select(steps.y == 0, edge(j, v, height - 1), states(v, 3 + j, beyond)));
        }
        states(v, scan.x, scan.y) += across(scan.x, above);
        states(v, 3 + steps.x, up) += across(steps.x, below);
        return states;
    }
    Func state_before_last() {
        sum_tails(tails_of_last);
        Func last("last");
        std::vector<Expr> before;
        for (int j = 0; j < 3; j++) {
            before.push_back(select(bands == 2, edge(j, v, 0), states(v, j, bands - 2)));
        }
        last(v, k) = tails_of_last(v, k, bands - 2) + across(k, before);
        return last;
    }

    // ends(v, k, t): both states of a band, also of those bands that begin or end at an edge of the image.
    Func states_of_band() {
        const Expr at = promised(
                       select(v < elements, likely(v), elements - channels + v % channels), elements),
                   inside = clamp(t, 0, bands - 2), state = states(at, k, inside);
        Func ends("ends");
        ends(v, k, t) = select(k < 3,
            select(t == 0, edge(k, at, 0), t == bands - 1, last(at, unsafe_promise_clamped(k, 0, 2)), state),
            select(t == bands - 1, edge(k - 3, at, height - 1), state));
        return ends;
    }
    Func column() {
        Func column("column");
        column(v, i, t) = cast<float>(padded(v, t * numbers.tile + i));
        return column;
    }
    // The state of the anticausal filter behind band t, from that of the causal filter there.
    Tuple end(const Recursion &recursion, Expr v, Expr t, const Tuple &z) const {
        std::vector<Expr> sums;
        for (size_t row = 0; row < 3; row++) {
            Expr sum = 0.f;
            for (int j = 2; j >= 0; j--) {
                const size_t at = 3 * row + size_t(j);
                sum += recursion.end_matrix[at] * z[j] + numbers.behind[at] * ends(v, 3 + j, t);
            }
            sums.push_back(sum);
        }
        return Tuple(sums);
    }
    Func filtered_columns() {
        Func rows("filtered_columns");
        rows(x, y) = along_y.sample(x, y % numbers.tile, y % shape.run, y / numbers.tile);
        return rows;
    }
};

}  // namespace tilewright
