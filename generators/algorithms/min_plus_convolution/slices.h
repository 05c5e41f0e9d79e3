#pragma once
// A form of min_plus_convolution by tiles of outputs, each of which one group of workers computes completely.
// Variants: the family `registers`, on GPUs. It is no schedule of the definition, because Halide 21 evaluates
// the definition's condition on i for each pair of a tile, also where padding of a and b makes it superfluous
// (tests/halide/conditions_of_tiles_test.cpp).
#include "generators/algorithms/indices.h"
#include "generators/algorithms/integers.h"
#include "generators/algorithms/min_plus_convolution/tiles.h"
#include <vector>

namespace tilewright {

// A tile has `slices` x tile.workers workers. Worker w of the tile computes the outputs of worker
// t = w % tile.workers, over its share of i: the range of i that the tile needs is walked in rounds of
// `slices` runs, and slice w / tile.workers takes one run of each round.
//
//     least(x, w, q)    = min over the share of i of worker w % workers of tile q; w counts the workers of
//                         all tiles, so that a schedule can fold that dimension
//     shared(x, w, q)   = least(x, w, q), where all workers of the tile read it
//     out(k)            = min(before(k), min over the slices)
//
// So no result of a part of i leaves the group of workers, and out is the only memory that is written. The
// tiles that need the longest ranges of i come first, because the groups of workers that end last should have
// little work.
struct MinPlusSlices : MinPlusVectors {
    static constexpr const char *name = "min_plus_convolution_slices";
    const int slices, workers;  // workers: of a tile, in all slices
    Var w{"w"}, step{"step"}, run{"run"};
    RDom r, place;  // place: an entry of a worker, the worker, `once`, the tile
    Func terms{"terms"}, least{"least"}, shared{"shared"}, out{"out"};  // terms(step, run): a in runs

    MinPlusSlices(
        Func whole_a, Func whole_b, Func before, Expr n, Expr m, Expr length, const MinPlusTile &tile,
        int slices, const MinPlusNumbers &numbers,
        const std::function<Expr(Expr)> &most_rounds = [](Expr) { return Expr(); })
        : MinPlusVectors(whole_a, whole_b, n, m, tile, numbers), slices(slices),
          workers(slices * tile.workers), r(0, tile.run, 0, ceil_div(n, slices * tile.run), "r") {
        // The condition does not depend on the worker, so that it leaves out the copies of a round too.
        r.where(r.y < ceil_div(runs(q), slices));
        if (const Expr most = most_rounds(q); most.defined()) {
            r.where(r.y < most);
        }
        const Expr of_tile = w % workers,
                   its_run = first(q) / tile.run + r.y * slices + of_tile / tile.workers;
        terms(step, run) = a(run * tile.run + step);
        least(x, w, q) = numbers.no_b();
        least(x, w, q) =
            numbers.least(terms(r.x, its_run) + b_of(its_run * tile.run, r.x, x, of_tile % tile.workers, q),
                least(x, w, q));
        shared(x, w, q) = least(x, w, q);
        store(before, length);
    }

private:
    // `once` has one iteration. Halide cannot prove that, so the loop is kept, and schedules can compute
    // `least` inside it.
    void store(Func before, Expr length) {
        const Expr once = select(n > 0, 1, 2), tiles = ceil_div(length, tile.size());
        place = RDom({{0, ceil_div(tile.size(), workers)}, {0, workers}, {0, once}, {0, tiles}}, "place");
        const Expr t = place[1] % tile.workers, x = place[1] / tile.workers + place[0] * slices,
                   tile_of_block = (tiles - 1 - place[3]) * once + place[2],
                   entry = tile_of_block * tile.size() + t * tile.outputs_per_worker + x;
        Expr all;
        for (int slice = 0; slice < slices; slice++) {
            const Expr one = shared(x % tile.outputs_per_worker,
                tile_of_block * workers + slice * tile.workers + t, tile_of_block);
            all = slice == 0 ? one : numbers.least(one, all);
        }
        place.where(below(entry, length) && x < tile.outputs_per_worker);
        const Expr inside = promised(entry, length);
        out(k) = Halide::undef(numbers.type);
        out(inside) = numbers.unsigned_zero(min(all, before(inside)));
    }
};

}  // namespace tilewright
