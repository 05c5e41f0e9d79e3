#pragma once
// What the forms of min_plus_convolution by tiles of outputs share, and those for CPUs. Rows: tuned on CPUs
// (strips, and windows of a short vector). They are no schedules of the definition, because Halide 21
// evaluates the definition's condition on i for each pair of a tile, also where padding of a and b makes it
// superfluous (tests/halide/conditions_of_tiles_test.cpp).
#include "generators/algorithms/min_plus_convolution/min_plus_convolution.h"
#include <vector>

namespace tilewright {

// The vectors a and b, extended by absent elements, so that tiles need no conditions. The index k - i of b is
// written in two digits,
//
//     b(quotient, rest) = b[quotient * outputs_per_worker + rest],  0 <= rest < outputs_per_worker
//
// As runs are multiples of `outputs_per_worker`, the rest is a constant for each output of a worker and each
// i of a run, and is the same for all workers.
struct MinPlusVectors : Halide::NamesInterface {
    const MinPlusTile tile;
    const MinPlusNumbers numbers;
    const Expr n, m;
    Var i{"i"}, quotient{"quotient"}, rest{"rest"}, k{"k"}, x{"x"}, t{"t"}, q{"q"}, u{"u"};
    Func a{"padded_a"}, b{"digits_of_b"};

    MinPlusVectors(
        Func whole_a, Func whole_b, Expr n, Expr m, const MinPlusTile &tile, const MinPlusNumbers &numbers)
        : tile(tile), numbers(numbers), n(n), m(m) {
        const Expr j = quotient * tile.outputs_per_worker + rest;
        a(i) = select(i >= 0 && i < n, whole_a(clamp(i, 0, n - 1)), numbers.no_a());
        b(quotient, rest) = select(j >= 0 && j < m, whole_b(clamp(j, 0, m - 1)), numbers.no_b());
    }

    // The range of i that tile q needs: first(q) <= i < end(q). first(q) is rounded down to a whole number of
    // runs.
    Expr first(Expr q) const {
        return max(0, (q * tile.size() - (m - 1)) / tile.run) * tile.run;
    }
    Expr end(Expr q) const {
        return min(n, q * tile.size() + tile.size());
    }
    Expr runs(Expr q) const {
        return ceil_div(end(q) - first(q), tile.run);
    }

    // b(k - i) for i = start + step, where start is a multiple of the run, and k is output x of worker t of
    // tile q.
    Expr b_of(Expr start, Expr step, Expr x, Expr t, Expr q) const {
        const Expr digit = x - step + tile.run;
        const int quotients = tile.run / tile.outputs_per_worker;  // of a run
        const Expr quotient = q * tile.workers + t - (start / tile.run) * quotients - quotients;
        return b(quotient + digit / tile.outputs_per_worker, digit % tile.outputs_per_worker);
    }
    // a(i) + b(k - i).
    Expr sum(Expr start, Expr step, Expr x, Expr t, Expr q) const {
        return a(start + step) + b_of(start, step, x, t, q);
    }

    // The indices of output k in a Func of outputs: x, t, tile.
    std::vector<Expr> digits(Expr k) const {
        return {k % tile.outputs_per_worker, (k / tile.outputs_per_worker) % tile.workers, k / tile.size()};
    }
};

// Strips of `width` outputs: of_strip(x, q) is the minimum over the range of i that strip q needs. a and b
// are extended by as many absent elements as a strip and its last run may read beyond them.
//
// The range of i is walked in runs of `steps` x `lanes`, one residue modulo `lanes` after another: r.x is the
// step, r.y the residue, r.z the run. The `steps` indices of one residue are `lanes` apart, so that output
// vectors and steps share their vectors of b: v output vectors and s steps read v + s - 1 of them in place of
// v * s. This is what counts, because most of these vectors cross a line of the cache, and take two loads. Of
// a vector shorter than `lanes`, the residues beyond its end are left out.
struct MinPlusStrips : Halide::NamesInterface {
    static constexpr const char *name = "min_plus_convolution_strips";
    const int width;
    Var i{"i"}, j{"j"}, x{"x"}, q{"q"}, k{"k"};
    RDom r;
    Expr pairs;  // about so many, at most
    Func a{"padded_a"}, b{"padded_b"}, of_strip{"of_strip"}, out{"out"};

    MinPlusStrips(Func whole_a, Func whole_b, Func before, Expr n, Expr m, int vectors, int steps, int lanes,
        const MinPlusNumbers &numbers)
        : width(vectors * lanes), r(0, steps, 0, min(n, lanes), 0, ceil_div(n, steps * lanes), "r"),
          pairs(cast<float>(n) * cast<float>(m)) {
        const int run = steps * lanes;
        a(i) = select(i < n, whole_a(clamp(i, 0, n - 1)), numbers.no_a());
        b(j) = select(j >= 0 && j < m, whole_b(clamp(j, 0, m - 1)), numbers.no_b());
        const Expr first = max(0, q * width - (m - 1)), end = min(n, q * width + width),
                   step = first + r.z * run + r.x * lanes + r.y;
        r.where(r.z < ceil_div(end - first, run));
        of_strip(x, q) = numbers.no_b();
        of_strip(x, q) =
            numbers.least(numbers.sum(a(unsafe_promise_clamped(step, 0, n + run)),
                              b(unsafe_promise_clamped(q * width + x - step, -width - run, m + width))),
                of_strip(x, q));
        out(k) = numbers.unsigned_zero(min(of_strip(k % width, k / width), before(k)));
    }
};

// For a vector a that is as short as a vector of the CPU. b is read where it is: the outputs near the ends of
// b, where an element of a meets none of b, are computed apart, by conditions that Halide hoists out of the
// loop over all others.
struct MinPlusShort : Halide::NamesInterface {
    static constexpr const char *name = "min_plus_convolution_short";
    Var j{"j"}, k{"k"};
    RDom i;
    Func b{"extended_b"}, least{"least"}, out{"out"};

    MinPlusShort(Func a, Func whole_b, Func before, Expr n, Expr m, const MinPlusNumbers &numbers)
        : i(0, n, "i") {
        b(j) = select(j >= 0 && j < m, likely(whole_b(clamp(j, 0, m - 1))), numbers.no_b());
        least(k) = numbers.no_b();
        least(k) = numbers.least(numbers.sum(a(i), b(k - i)), least(k));
        out(k) = numbers.unsigned_zero(min(least(k), before(k)));
    }
};

}  // namespace tilewright
