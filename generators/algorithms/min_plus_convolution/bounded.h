#pragma once
// A form of min_plus_convolution of f64 that bounds all sums in integers first, and is exact. Variant:
// bounded, on GPUs. It is no schedule of the definition, because it rounds the elements, and computes a few
// sums twice.
//
// Elements become integers, in steps of a 2^28th of the larger range of the two vectors. One instruction of a
// GPU adds two integers and takes a minimum, where f64 takes four. Sums in integers that differ by 3 or more
// have the order of the sums that they stand for (see `slack`), also as these are rounded, because rounding
// is monotone. So an output needs only those chunks of i whose least sum in integers is at most 2 above that
// of all chunks: mostly one.
//
//     part(x, t, q, u)     the least sum in integers of chunk u, for output x of worker t of tile q
//     found(t, x, q)       how many chunks are within the slack of the least one, which are wanted, and the
//                          numbers of up to `most_places` of them
//     rounds(d)            the limit of the rounds of all pairs of tile d of `all`: 0, or none where an
//                          output wants more chunks than that
//     exact(k)             the least of the wanted chunks, in the tiles without rounds
//     all.out(k)           of both, and of `before`
//
// Outputs with many equal or nearly equal sums want many chunks. So a sample of the tiles comes first. Where
// many of its outputs do so, no other bounds are computed, and all pairs are evaluated.
#include "generators/algorithms/min_plus_convolution/pruned.h"
#include "generators/algorithms/min_plus_convolution/slices.h"
#include <string>
#include <vector>

namespace tilewright {

// The least and the greatest of a vector's elements that are present: `values`, in parts by lanes.
struct MinPlusExtremes : Halide::NamesInterface {
    static constexpr int lanes = 1024, unrolled = 8;
    Var lane{"lane"};
    RDom r;
    Materialized of_lane;

    MinPlusExtremes(const std::string &name, Func vector, Expr n, const MinPlusNumbers &numbers)
        : r(0, unrolled, 0, ceil_div(n, unrolled * lanes), "r_" + name) {
        Func steps("extremes_of_" + name);
        const Expr x = vector(min((r.y * unrolled + r.x) * lanes + lane, n - 1));
        steps(lane) = Tuple(numbers.highest(), numbers.lowest());
        steps(lane) = Tuple(
            min(steps(lane)[0], x), max(steps(lane)[1], select(x < numbers.highest(), x, numbers.lowest())));
        of_lane = Materialized(steps);
    }
};

// The bounds of tiles of outputs, and the chunks that these want. number: of the tile that has place q. most:
// a limit of the steps of both, 0 or large. Halide takes a number that kernels compute as a condition in a
// loop, which is cheap where nothing else is in its iterations.
struct MinPlusChunks : Halide::NamesInterface {
    static constexpr int slack = 2;        // of sums in integers
    static constexpr int unrolled = 8;     // parts that are read at once
    static constexpr int most_places = 4;  // of wanted chunks that an output keeps
    const MinPlusVectors &vectors;
    const int chunk;  // elements
    Var x{"x"}, t{"t"}, q{"q"}, u{"u"};
    RDom r, parts, others;
    Func least, part, lowest, asking, found;

    MinPlusChunks(const std::string &name, const MinPlusVectors &vectors, int chunk,
        const std::function<Expr(Expr)> &number, Expr most)
        : vectors(vectors), chunk(chunk), r(0, vectors.tile.run, 0, chunk / vectors.tile.run, "r" + name),
          parts(0, unrolled, 0, ceil_div(count(), unrolled), "parts" + name),
          others(0, count(), "others" + name), least("least_of_chunk" + name), part("part" + name),
          lowest("lowest" + name), asking("asking" + name), found("found" + name) {
        bound(number(q), most);
        find(number(q), most);
    }

    // All chunks, and those that a tile needs: from first(tile) on, and below end(tile).
    Expr count() const {
        return ceil_div(vectors.n, chunk);
    }
    Expr first(Expr tile) const {
        return vectors.first(tile) / chunk;
    }
    Expr end(Expr tile) const {
        return ceil_div(vectors.end(tile), chunk);
    }

private:
    void bound(Expr tile, Expr most) {
        const int run = vectors.tile.run;
        const Expr start = (u * (chunk / run) + r.y) * run;
        r.where(r.y < most);
        r.where(start < vectors.end(tile));
        r.where(start >= vectors.first(tile));
        least(x, t, q, u) = of_integers().no_b();
        least(x, t, q, u) = of_integers().least(vectors.sum(start, r.x, x, t, tile), least(x, t, q, u));
        part(x, t, q, u) = least(x, t, q, u);
    }

    void find(Expr tile, Expr most) {
        const Expr highest = of_integers().highest();
        const Expr present = highest / 2;  // no sum of two elements that are present is larger
        const Expr at = first(tile) + parts.y * unrolled + parts.x,
                   inside = promised(min(at, end(tile) - 1), count());
        parts.where(parts.y < most);
        parts.where(parts.y * unrolled < end(tile) - first(tile));
        const Expr value = select(at < end(tile), part(x, t, q, inside), highest);
        lowest(t, x, q) = Tuple(highest, 0, highest);
        lowest(t, x, q) = Tuple(min(lowest(t, x, q)[0], value),
            select(value < lowest(t, x, q)[0], inside, lowest(t, x, q)[1]),
            min(lowest(t, x, q)[2], max(lowest(t, x, q)[0], value)));  // the second lowest
        const Expr low = lowest(t, x, q)[0], is_alone = lowest(t, x, q)[2] > low + slack;
        others.where(!is_alone && low <= present);
        others.where(others >= first(tile) && others < end(tile));
        others.where(part(x, t, q, others) <= low + slack);
        asking(t, x, q) = Tuple(std::vector<Expr>(1 + most_places, 0));
        std::vector<Expr> more = {asking(t, x, q)[0] + 1, others}, all = {asking(t, x, q)[0]};
        for (int i = 1; i <= most_places; i++) {
            more.push_back(asking(t, x, q)[i]);
            all.push_back(asking(t, x, q)[i]);
        }
        more.pop_back();  // the place that was found first goes when there is no room
        asking(t, x, q) = Tuple(more);
        all[0] = select(low > present, 0, max(all[0], 1));
        all[1] = select(is_alone, lowest(t, x, q)[1], all[1]);
        found(t, x, q) = Tuple(all);
    }

    const MinPlusNumbers &of_integers() const {
        return vectors.numbers;
    }
};

struct MinPlusBounds : Halide::NamesInterface {
    static constexpr int groups = 32;    // partial results of the extremes
    static constexpr int distance = 16;  // of the tiles of the sample
    static constexpr int unlimited = 1 << 30;
    const int chunk, lanes;  // elements; lanes of an output
    const MinPlusNumbers numbers;
    const MinPlusTile of_all;  // the tile of the form of all pairs
    Var z{"z"}, group{"group"}, t{"t"}, k{"k"}, lane{"lane"}, d{"d"};
    MinPlusExtremes of_a, of_b;
    RDom lanes_of_group, all_groups;
    const Expr of_sample;  // the number of its tiles
    RDom of_worker, of_workers, of_tile, pair, all_lanes;
    Func grouped{"extremes_of_groups"}, totals{"extremes"}, scale{"scale"}, wants{"wants_of_workers"},
        all_wants{"wants"}, allowed{"allowed"};
    MinPlusVectors rounded;
    MinPlusChunks sample, chunks;
    Func wanted{"wanted"}, rounds{"rounds"}, of_lane{"least_of_lane"}, shared{"shared_least"},
        exact_steps{"exact_steps"}, exact{"exact"};

    // tile: of outputs whose sums are bounded; of_all: of the form that evaluates all pairs of a tile.
    MinPlusBounds(Func whole_a, Func whole_b, Expr n, Expr m, Expr length, const MinPlusTile &tile, int chunk,
        int lanes, const MinPlusTile &of_all, const MinPlusNumbers &numbers)
        : chunk(chunk), lanes(lanes), numbers(numbers), of_all(of_all), of_a("a", whole_a, n, numbers),
          of_b("b", whole_b, m, numbers),
          lanes_of_group(0, MinPlusExtremes::lanes / groups, "lanes_of_group"),
          all_groups(0, groups, "all_groups"), of_sample(ceil_div(ceil_div(length, tile.size()), distance)),
          of_worker(0, tile.outputs_per_worker, 0, of_sample, "of_worker"),
          of_workers(0, tile.workers, "of_workers"), of_tile(0, of_all.size(), "of_tile"),
          pair(0, chunk / lanes, 0, MinPlusChunks::most_places, "pair"), all_lanes(0, lanes, "all_lanes"),
          rounded(
              in_integers(whole_a, 0), in_integers(whole_b, 1), n, m, tile, MinPlusNumbers{Halide::Int(32)}),
          sample(
              "_of_sample", rounded, chunk,
              [&](Expr q) { return sample_tile_of(q, ceil_div(length, tile.size())); }, unlimited),
          chunks("", rounded, chunk, [](Expr q) { return q; }, allowed_steps()) {
        choose();
        evaluate(whole_a, whole_b);
    }

private:
    // scale(0): the least a, the least b (both by 4, so that no difference overflows), and 2^28 over the
    // larger range. Ranges of tiny numbers have fewer steps, because the inverse of a step must be finite.
    void measure() {
        const Expr highest = numbers.highest(), none = numbers.lowest();
        const Func a = of_a.of_lane.values, b = of_b.of_lane.values;
        const Expr at = group * (MinPlusExtremes::lanes / groups) + lanes_of_group;
        grouped(group) = Tuple(highest, none, highest, none);
        grouped(group) = Tuple(min(grouped(group)[0], a(at)[0]), max(grouped(group)[1], a(at)[1]),
            min(grouped(group)[2], b(at)[0]), max(grouped(group)[3], b(at)[1]));
        totals(z) = Tuple(highest, none, highest, none);
        totals(z) =
            Tuple(min(totals(z)[0], grouped(all_groups)[0]), max(totals(z)[1], grouped(all_groups)[1]),
                min(totals(z)[2], grouped(all_groups)[2]), max(totals(z)[3], grouped(all_groups)[3]));
        const Expr quarter = Expr(.25), range = max(quarter * totals(z)[1] - quarter * totals(z)[0],
                                            quarter * totals(z)[3] - quarter * totals(z)[2]);
        scale(z) = Tuple(quarter * totals(z)[0], quarter * totals(z)[2],
            min(Expr((double)min_plus_largest_integer) / max(range, Expr(0x1p-1000)), Expr(0x1p1000)));
    }

    // An element is within .001 of (its integer + .5 +- .5) steps: the difference and the product are rounded
    // to 2^-53 of at most 2^28 steps. So a sum of two is within .002 of the sum of their integers + 1 +- 1.
    Func in_integers(Func whole, int vector) {
        const MinPlusNumbers integers{Halide::Int(32)};
        if (!scale.defined()) {
            measure();
        }
        Var i("i");
        Func integer(vector == 0 ? "integer_of_a" : "integer_of_b");
        const Expr value = whole(i), steps = (Expr(.25) * value - scale(0)[vector]) * scale(0)[2],
                   most = Expr((double)min_plus_largest_integer);
        integer(i) = select(value < numbers.highest(), cast<int>(min(steps, most)),
            vector == 0 ? integers.no_a() : integers.no_b());
        return integer;
    }

    // No step of the bounds of all tiles, where so many entries of the sample want more chunks than there are
    // places that this would be so in about a quarter of the tiles of `all`, or in more.
    Expr allowed_steps() {
        wants(t) = 0;
        wants(t) += cast<int>(wants_many(sample, t, of_worker.x, of_worker.y));
        all_wants(z) = 0;
        all_wants(z) += wants(of_workers);
        allowed(z) =
            select(all_wants(z) * (4 * of_all.size()) > rounded.tile.size() * of_sample, 0, unlimited);
        return allowed(0);
    }

    static Expr wants_many(const MinPlusChunks &of, Expr t, Expr x, Expr q) {
        return of.found(t, x, q)[0] > MinPlusChunks::most_places;
    }

    static Expr sample_tile_of(Expr q, Expr tiles) {
        return min(q * distance + distance / 2, tiles - 1);
    }

    void choose() {
        const std::vector<Expr> at = rounded.digits(d * of_all.size() + of_tile);
        wanted(d) = 0;
        wanted(d) += cast<int>(wants_many(chunks, at[1], at[0], at[2]));
        rounds(d) = select(allowed(0) == 0 || wanted(d) > 0, unlimited, 0);
    }

    void evaluate(Func whole_a, Func whole_b) {
        const std::vector<Expr> at = rounded.digits(k);
        const Tuple places = chunks.found(at[1], at[0], at[2]);
        std::vector<Expr> all;
        for (int i = 1; i <= MinPlusChunks::most_places; i++) {
            all.push_back(places[i]);
        }
        pair.where(pair.y < places[0] && rounds(k / of_all.size()) == 0);
        const Expr i = Halide::mux(pair.y, all) * chunk + pair.x * lanes + lane, j = k - i;
        of_lane(lane, k) = numbers.no_b();
        of_lane(lane, k) = numbers.least(
            select(below(i, rounded.n) && below(j, rounded.m),
                whole_a(clamp(i, 0, rounded.n - 1)) + whole_b(clamp(j, 0, rounded.m - 1)), numbers.no_b()),
            of_lane(lane, k));
        shared(lane, k) = of_lane(lane, k);
        exact_steps(k) = numbers.no_b();
        exact_steps(k) = numbers.least(shared(all_lanes, k), exact_steps(k));
        exact(k) = exact_steps(k);
    }
};

// The bounds, and all pairs of the tiles that have rounds.
struct MinPlusBounded : Halide::NamesInterface {
    static constexpr const char *name = "min_plus_convolution_bounded";
    MinPlusBounds bounds;
    MinPlusSlices all;
    Func out;

    MinPlusBounded(Func whole_a, Func whole_b, Func before, Expr n, Expr m, Expr length,
        const MinPlusTile &tile, int chunk, int lanes, const MinPlusTile &of_all, int slices,
        const MinPlusNumbers &numbers)
        : bounds(whole_a, whole_b, n, m, length, tile, chunk, lanes, of_all, numbers),
          all(whole_a, whole_b, least_before(before), n, m, length, of_all, slices, numbers,
              [this](Expr q) { return bounds.rounds(q); }),
          out(all.out) {}

private:
    Func least_before(Func before) {
        Func least("least_before");
        least(bounds.k) = min(bounds.exact(bounds.k), before(bounds.k));
        return least;
    }
};

}  // namespace tilewright
