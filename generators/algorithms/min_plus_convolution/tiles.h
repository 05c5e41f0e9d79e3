#pragma once
// What the forms of min_plus_convolution by tiles of outputs share, and those for CPUs. Variants: tuned on
// CPUs (strips, and windows of a short vector). They are no schedules of the definition, because Halide 21
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

// Strips of `width` outputs: of_strip(x, q) is the minimum over the range of i that strip q needs.
//
// The range of i is walked in runs of `steps` x `lanes`, one residue modulo `lanes` after another: of an
// RDom, x is the step, y the residue and z the run. The `steps` indices of one residue are `lanes` apart, so
// that output vectors and steps share their vectors of b: v output vectors and s steps read v + s - 1 of them
// in place of v * s. This is what counts, because most of these vectors cross a line of the cache, and take
// two loads. Of a vector shorter than `lanes`, the residues beyond its end are left out.
//
// a and b are read where they are. Only the first and the last few runs of a strip, in which some outputs
// meet no element of b, read copies of the two ends of b, which are extended by absent elements. A last run
// that would pass the end of a begins earlier, so that it ends there: a pair that is counted twice changes no
// minimum.
struct MinPlusStrips : Halide::NamesInterface {
    static constexpr const char *name = "min_plus_convolution_strips";
    const int width, run;
    const Expr n, m;
    Var x{"x"}, q{"q"}, k{"k"}, u{"u"}, side{"side"};
    RDom copied;
    RDom outer, inner;   // the runs that read the copies, and the others
    Expr pairs;          // about so many, at most
    Expr has_whole_run;  // a has the elements of a run
    Func ends{"ends_of_b"}, runs{"runs"}, of_strip{"of_strip"}, out{"out"};

    MinPlusStrips(Func a, Func b, Func before, Expr n, Expr m, int vectors, int steps, int lanes,
        const MinPlusNumbers &numbers)
        : width(vectors * lanes), run(steps * lanes), n(n), m(m), copied(0, 2 * margin(), "copied"),
          outer(0, steps, 0, min(n, lanes), 0, 2 * ceil_div(width, run) + 2, "outer"),
          inner(0, steps, 0, min(n, lanes), 0, ceil_div(n, run), "inner"),
          pairs(cast<float>(n) * cast<float>(m)), has_whole_run(n >= run), lanes(lanes), numbers(numbers) {
        ends(u, side) = numbers.no_b();
        const Expr j = copied + side * m - margin();
        copied.where(j >= 0 && j < m);
        ends(copied, side) = b(promised(j, m));
        of_strip(x, q) = numbers.no_b();

        count_runs();
        const Expr head = runs(q)[0], count_inside = runs(q)[1], at_begin = outer.z < head;
        outer.where(outer.z < runs(q)[2]);
        const Expr i = index(outer, outer.z + select(at_begin, 0, count_inside)),
                   place = q * width + x - i + margin() - select(at_begin, m, 0);
        add_pair(a, i, ends(unsafe_promise_clamped(place, 0, 2 * margin() - 1), select(at_begin, 1, 0)));

        inner.where(inner.z < count_inside);
        const Expr inside = index(inner, inner.z + head);
        add_pair(a, inside, b(promised(q * width + x - inside, m)));

        out(k) = numbers.unsigned_zero(min(of_strip(k % width, k / width), before(k)));
    }

    // So many elements on either side of an end of b are in `ends`, those of its first element with side 0.
    int margin() const {
        return width + run;
    }

private:
    const int lanes;
    const MinPlusNumbers numbers;

    // Strip q needs i from first() on.
    Expr first() const {
        return max(0, q * width - (m - 1));
    }

    // runs(q) counts the runs of strip q: those of `outer` before the ones of `inner`, those of `inner`, and
    // all of `outer`.
    void count_runs() {
        const Expr all = ceil_div(max(0, min(n, q * width + width) - first()), run);
        // a run that begins below it reaches beyond the last element
        const Expr over = q * width + width - m;
        const Expr head =
            select(max(0, n - run) < over, all, min(all, ceil_div(max(0, over - first()), run)));
        const Expr below = q * width + 1;  // a run that ends behind it reaches beyond the first element
        const Expr tail = select(max(n, run) <= below, all, clamp((below - first()) / run, head, all));
        runs(q) = Tuple(head, tail - head, all - (tail - head));
    }

    // The index i of a step and a residue of run number z.
    Expr index(const RDom &r, const Expr &z) const {
        return min(first() + z * run, max(0, n - run)) + r.x * lanes + r.y;
    }

    // Where a is shorter than a run, i may be beyond its end.
    void add_pair(const Func &a, const Expr &i, const Expr &of_b) {
        const Expr of_a = select(
            has_whole_run, a(promised(i, n)), select(i < n, a(promised(min(i, n - 1), n)), numbers.no_a()));
        of_strip(x, q) = numbers.least(numbers.sum(of_a, of_b), of_strip(x, q));
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
