#pragma once
#include "generators/algorithms/min_plus_convolution/min_plus_convolution.h"

namespace tilewright {

// How a tile of outputs is owned: `own` consecutive ones by each of `owners`; i is walked in runs of `run`, a multiple of `own`.
struct MinPlusTile {
    int own, owners, run;

    int size() const {
        return own * owners;
    }
};

// The vectors of the tiled forms, with what is not there filled in: a from 0, and b by its place k - i as digits,
//
//     b(quotient, rest) = b[quotient * own + rest],  0 <= rest < own
//
// With runs of a multiple of `own`, the rest is known for each of an owner's outputs and each i of a run, whoever the owner is.
struct MinPlusVectors : Halide::NamesInterface {
    const MinPlusTile tile;
    const MinPlusNumbers numbers;
    const Expr n, m;
    Var i{"i"}, quotient{"quotient"}, rest{"rest"}, k{"k"}, x{"x"}, t{"t"}, q{"q"}, u{"u"};
    Func a{"padded_a"}, b{"digits_of_b"};

    MinPlusVectors(Func whole_a, Func whole_b, Expr n, Expr m, const MinPlusTile &tile, const MinPlusNumbers &numbers)
        : tile(tile), numbers(numbers), n(n), m(m) {
        const Expr j = quotient * tile.own + rest;
        a(i) = select(i >= 0 && i < n, whole_a(clamp(i, 0, n - 1)), numbers.no_a());
        b(quotient, rest) = select(j >= 0 && j < m, whole_b(clamp(j, 0, m - 1)), numbers.no_b());
    }

    // The i of a tile's pairs: from first(q) (a whole number of runs, not above the least one) to before end(q).
    Expr first(Expr q) const {
        return max(0, (q * tile.size() - (m - 1)) / tile.run) * tile.run;
    }
    Expr end(Expr q) const {
        return min(n, q * tile.size() + tile.size());
    }
    Expr runs(Expr q) const {
        return (end(q) - first(q) + tile.run - 1) / tile.run;
    }

    // a(i) + b(k - i) for i = start + step, where start is a multiple of the run, and k the output x of owner t of tile q.
    Expr sum(Expr start, Expr step, Expr x, Expr t, Expr q) const {
        const Expr digit = x - step + tile.run;
        const Expr place = q * tile.owners + t - (start / tile.run) * (tile.run / tile.own) - tile.run / tile.own;
        return a(start + step) + b(place + digit / tile.own, digit % tile.own);
    }

    // Output k in an array by digits: x, t, tile.
    std::vector<Expr> digits(Expr k) const {
        return {k % tile.own, (k / tile.own) % tile.owners, k / tile.size()};
    }
};

// The i of a tile are cut into chunks of `chunk` runs, and the chunks into parts of `chunks`:
//
//     of_chunk(x, t, q, z) = min over the i of chunk z           part(x, t, q, u) = min over the chunks z of part u
//     out(k)               = min(before(k), min over the parts u)
//
// What lies outside a or b is padded so that it cannot be the least, and so nothing is tested inside. `chunks` undefined: a part is a chunk.
struct MinPlusTiles : MinPlusVectors {
    static constexpr const char *name = "min_plus_convolution_tiles";
    RDom r, z, parts;
    Func of_chunk{"of_chunk"}, of_chunks{"of_chunks"}, part{"part"}, least{"least"}, out{"out"};

    MinPlusTiles(Func whole_a, Func whole_b, Func before, Expr n, Expr m, const MinPlusTile &tile, Expr chunk, Expr chunks,
                 Expr number_of_parts, const MinPlusNumbers &numbers)
        : MinPlusVectors(whole_a, whole_b, n, m, tile, numbers), r(0, tile.run, 0, chunk, "r") {
        Var w{"w"};
        r.where(r.y < runs(q) - w * chunk);
        of_chunk(x, t, q, w) = numbers.no_b();
        of_chunk(x, t, q, w) = numbers.least(sum(first(q) + (w * chunk + r.y) * tile.run, r.x, x, t, q), of_chunk(x, t, q, w));

        Expr runs_of_part = chunk;
        if (chunks.defined()) {
            runs_of_part = chunk * chunks;
            z = RDom(0, chunks, "z");
            z.where(z < (runs(q) + chunk - 1) / chunk - u * chunks);
            of_chunks(x, t, q, u) = numbers.no_b();
            of_chunks(x, t, q, u) = numbers.least(of_chunk(x, t, q, u * chunks + z), of_chunks(x, t, q, u));
            part(x, t, q, u) = of_chunks(x, t, q, u);
        } else {
            part(x, t, q, u) = of_chunk(x, t, q, u);
        }

        // By eights; parts beyond a tile's last one are the last one again, which changes no minimum.
        const std::vector<Expr> at = digits(k);
        const Expr there = (runs(at[2]) + runs_of_part - 1) / runs_of_part;
        parts = RDom(0, 8, 0, (number_of_parts + 7) / 8, "parts");
        parts.where(parts.y * 8 < there);
        const Expr one = clamp(parts.x + 8 * parts.y, 0, min(there, number_of_parts) - 1);
        least(k) = numbers.no_b();
        least(k) = numbers.least(part(at[0], at[1], at[2], one), least(k));
        out(k) = numbers.unsigned_zero(min(least(k), before(k)));
    }
};

// Strips of `width` outputs: of_strip(x, q) = min over the i that meet strip q, in runs of `run`.  Here a and b are padded by what a strip
// and its last run may go beyond them.
struct MinPlusStrips : Halide::NamesInterface {
    static constexpr const char *name = "min_plus_convolution_strips";
    const int width;
    Var i{"i"}, j{"j"}, x{"x"}, q{"q"}, k{"k"};
    RDom r;
    Func a{"padded_a"}, b{"padded_b"}, of_strip{"of_strip"}, out{"out"};

    MinPlusStrips(Func whole_a, Func whole_b, Func before, Expr n, Expr m, int width, int run, const MinPlusNumbers &numbers)
        : width(width), r(0, run, 0, (n + run - 1) / run, "r") {
        a(i) = select(i < n, whole_a(clamp(i, 0, n - 1)), numbers.no_a());
        b(j) = select(j >= 0 && j < m, whole_b(clamp(j, 0, m - 1)), numbers.no_b());
        const Expr first = max(0, q * width - (m - 1)), end = min(n, q * width + width), step = first + r.y * run + r.x;
        r.where(r.y < (end - first + run - 1) / run);
        of_strip(x, q) = numbers.no_b();
        of_strip(x, q) = numbers.least(a(unsafe_promise_clamped(step, 0, n + run)) +
                                       b(unsafe_promise_clamped(q * width + x - step, -width - run, m + width)), of_strip(x, q));
        out(k) = numbers.unsigned_zero(min(of_strip(k % width, k / width), before(k)));
    }
};

}  // namespace tilewright
