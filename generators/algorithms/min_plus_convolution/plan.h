#pragma once
// The first half of the form of min_plus_convolution that leaves out blocks of i: pass B (pruned.h has the
// argument). Variant: pruned_always.
#include "generators/algorithms/min_plus_convolution/pruned.h"
#include <functional>
#include <string>
#include <vector>

namespace tilewright {

// For each of the rising levels of a tile: how many blocks have a low that is not above the level.
struct MinPlusCounts : Halide::NamesInterface {
    RDom r, lanes;
    Func steps, of_lane;  // lane, level, tile
    Materialized total;   // level, tile

    MinPlusCounts() = default;
    MinPlusCounts(const std::string &name, const MinPlusBlocks &of,
        const std::function<Expr(Expr, Expr)> &value_of_level, const std::function<Expr(Expr, Expr)> &counted)
        : r(of.words_by_lane("r" + name)), lanes(0, of.lanes, "lanes" + name), steps("count_steps" + name),
          of_lane("counts_of_lane" + name) {
        const Expr word = r.y * of.lanes + of.lane;
        r.where(of.meets(word, of.q));
        const Expr low = of.low(min(word, of.words - 1), r.x, of.q);
        steps(of.lane, of.level, of.q) = 0;
        steps(of.lane, of.level, of.q) +=
            cast<int>(low <= value_of_level(of.level, of.q) && counted(low, of.q));
        of_lane(of.lane, of.level, of.q) = steps(of.lane, of.level, of.q);
        Func all("counts" + name);
        all(of.level, of.q) = 0;
        all(of.level, of.q) += of_lane(lanes, of.level, of.q);
        total = Materialized(all);
    }
};

// Everything up to the bound of pass B.
//
//     chosen(w, q), best(t, x, q)   of pass B
//     limits(0, q)                  the bound: the greatest of best
//     limits(1, q)                  pass M evaluates the blocks with a low up to this
//     asked(0)                      the number of blocks with a low below the bound that were not in pass B
struct MinPlusPlan : MinPlusBlocks {
    static constexpr const char *name = "min_plus_convolution_plan";
    std::vector<Materialized> blocks_a, blocks_b, windows;  // least, greatest
    RDom all, all_lanes;
    Materialized spread_of_lane, spread, pick, middle, asked_of_lane, asked;
    MinPlusGreatest bound;
    MinPlusCounts below, above;
    MinPlusPass pass;
    Func limits{"limits"};

    // tenths: about how many blocks pass B evaluates, in tenths of the square root of the number that a tile
    // needs.
    MinPlusPlan(Func whole_a, Func whole_b, Expr n, Expr m, Expr length, const MinPlusTile &tile, int tenths,
        Expr segments_of_part, Expr number_of_parts, const MinPlusNumbers &numbers)
        : MinPlusBlocks(whole_a, whole_b, n, m, length, tile, numbers), all(words_by_lane("all")),
          all_lanes(0, lanes, "all_lanes") {
        extremes(whole_a, whole_b);
        spread_of_tile();
        pass_b(tenths, segments_of_part, number_of_parts);
        bound = MinPlusGreatest(*this, pass.best);
        limits_of_pass_m();
        count_asked();
    }

private:
    using Level = std::function<Expr(Expr level, Expr q)>;

    // The least and the greatest of the blocks of a, of the blocks of b, and of windows of b.
    void extremes(Func whole_a, Func whole_b) {
        RDom r(0, tile.run, "r_block"), d(0, blocks_of_tile + 1, "r_window");
        const Var j("j");
        const Expr i_a = (w * 32 + v) * tile.run + r, i_b = j * tile.run + r;
        // Entries outside a or b count as +infinity, in the maximum as well: a block that not every output of
        // the tile needs must not lower the minimum that is guaranteed to the tile.
        const Expr from_a = select(i_a < n, whole_a(clamp(i_a, 0, n - 1)), numbers.no_a());
        const Expr from_b = select(i_b >= 0 && i_b < m, whole_b(clamp(i_b, 0, m - 1)), numbers.highest());
        const Expr none[] = {numbers.highest(), numbers.lowest()};
        const char *names[] = {"low", "high"};
        for (int greatest : {0, 1}) {
            const auto better = [&](Expr x, Expr y) { return greatest ? max(x, y) : min(x, y); };
            const std::string word = names[greatest];
            Func of_a(word + "_a"), of_b(word + "_b"), of_window(word + "_window");
            of_a(w, v) = greatest ? numbers.lowest() : numbers.no_a();
            of_a(w, v) = better(of_a(w, v), from_a);
            blocks_a.push_back(Materialized(of_a));
            of_b(j) = none[greatest];
            of_b(j) = better(of_b(j), from_b);
            blocks_b.push_back(Materialized(of_b));
            of_window(w, v) = none[greatest];
            of_window(w, v) = better(of_window(w, v), blocks_b.back().values((w - words) * 32 + v - 1 + d));
            windows.push_back(Materialized(of_window));
        }
        low_a = blocks_a[0].values;
        low_b = windows[0].values;
    }

    // Of a tile: the least low, the least high, and the greatest low of the blocks that have one.
    void spread_of_tile() {
        const Expr word = all.y * lanes + lane, inside = min(word, words - 1);
        all.where(meets(word, q));
        const Expr least = low(inside, all.x, q),
                   greatest = paired(blocks_a[1].values, windows[1].values, inside, all.x, q);
        Func of_lane("spread_of_lane"), of_tile("spread");
        const Expr highest = numbers.highest(), lowest = numbers.lowest();
        of_lane(lane, q) = Halide::Tuple(highest, highest, lowest);
        of_lane(lane, q) = Halide::Tuple(min(of_lane(lane, q)[0], least), min(of_lane(lane, q)[1], greatest),
            max(of_lane(lane, q)[2], select(least < highest, least, lowest)));
        spread_of_lane = Materialized(of_lane);
        const Func lanes_of = spread_of_lane.values;
        of_tile(q) = Halide::Tuple(highest, highest, lowest);
        of_tile(q) = Halide::Tuple(min(of_tile(q)[0], lanes_of(all_lanes, q)[0]),
            min(of_tile(q)[1], lanes_of(all_lanes, q)[1]), max(of_tile(q)[2], lanes_of(all_lanes, q)[2]));
        spread = Materialized(of_tile);
    }

    // The levels of pass B: each halves the distance of the one before to the least low.
    Expr geometric_level(Expr f, Expr q) const {
        const Expr least = spread.values(q)[0], top = min(spread.values(q)[1], spread.values(q)[2]);
        if (numbers.type.is_int()) {
            return Expr(least + ((top - least) >> f));
        }
        return Expr(select(top - least < numbers.highest(), least + (top - least) * power_of_half(f), top));
    }

    // The levels of pass M: equidistant.
    Expr even_level(Expr f, Expr q) const {
        const Expr from = max(pick.values(q)[0], spread.values(q)[0]);
        const Expr to = min(bound.of_tile.values(q), min(spread.values(q)[1], spread.values(q)[2]));
        if (numbers.type.is_int()) {
            return Expr(from + ((to - from) / levels) * (f + 1));
        }
        return Expr(select(
            to - from < numbers.highest(), from + (to - from) * (cast(numbers.type, f + 1) / levels), to));
    }

    // Whether pass B evaluates all blocks of this low.
    Expr taken(Expr low, Expr q) const {
        return low <= pick.values(q)[0];
    }

    // Pass B evaluates all blocks up to the highest level that does not have too many. Of the blocks up to
    // the next level it evaluates a sample.
    void pass_b(int tenths, Expr segments_of_part, Expr number_of_parts) {
        const Level level = [&](Expr f, Expr q) { return geometric_level(f, q); };
        below =
            MinPlusCounts("_below", *this, level, [](Expr, Expr) { return Halide::Internal::const_true(); });
        const auto wanted = [&](Expr q) {
            return cast<int>(
                       .1f * (float)tenths * sqrt(cast<float>(end(q) - max(0, q * tile.size() - (m - 1))))) +
                   1;
        };
        pick_level(level, wanted(q));
        const auto evaluated = [&](Expr low, Expr block, Expr q) {
            return taken(low, q) ||
                   (low <= pick.values(q)[1] && is_sampled(block, max(1, pick.values(q)[2] / wanted(q))));
        };
        pass = MinPlusPass("_b", *this, {}, {}, evaluated, segments_of_part, number_of_parts);
    }

    // Pass M evaluates the blocks up to the highest level that has no more than a quarter of all blocks below
    // the bound.
    void limits_of_pass_m() {
        const Level even = [&](Expr f, Expr q) { return even_level(f, q); };
        above = MinPlusCounts("_above", *this, even,
            [&](Expr low, Expr q) { return !taken(low, q) && low < bound.of_tile.values(q); });
        RDom each(0, levels, "each");
        Func highest_quarter("middle");
        highest_quarter(q) = pick.values(q)[0];
        highest_quarter(q) = select(above.total.values(each, q) <= above.total.values(levels - 1, q) / 4,
            max(highest_quarter(q), even(each, q)), highest_quarter(q));
        middle = Materialized(highest_quarter);
        limits(level, q) = select(level == 0, bound.of_tile.values(q), middle.values(q));
    }

    void count_asked() {
        RDom some_tiles(0, ceil_div(tiles, lanes), "some_tiles");
        Func of_lane("asked_of_lane"), sum("asked");
        const Expr one = some_tiles * lanes + lane;
        of_lane(lane) = 0;
        of_lane(lane) += select(one < tiles, above.total.values(levels - 1, min(one, tiles - 1)), 0);
        asked_of_lane = Materialized(of_lane);
        sum(place) = 0;
        sum(place) += asked_of_lane.values(all_lanes);
        asked = Materialized(sum);
    }

    // pick(q), from the lowest level up: the last level that has no more blocks than wanted, the first one
    // that has more, and the number of its blocks.
    void pick_level(const Level &value_of_level, Expr wanted) {
        RDom f(0, levels, "f");
        const Expr rising = levels - 1 - f;
        Func pick_steps("pick");
        pick_steps(q) = Halide::Tuple(numbers.lowest(), value_of_level(0, q), Expr(1 << 30), Expr(0));
        const Expr has = below.total.values(rising, q), few = has <= wanted,
                   first = !few && pick_steps(q)[3] == 0;
        pick_steps(q) =
            Halide::Tuple(select(few, max(pick_steps(q)[0], value_of_level(rising, q)), pick_steps(q)[0]),
                select(first, value_of_level(rising, q), pick_steps(q)[1]),
                select(first, has, pick_steps(q)[2]), select(few, pick_steps(q)[3], 1));
        pick = Materialized(pick_steps);
    }

    // 2^-f
    Expr power_of_half(Expr f) const {
        if (numbers.type.bits() == 64) {
            return reinterpret<double>((cast<int64_t>(1023) - cast<int64_t>(f)) << 52);
        }
        return reinterpret<float>((127 - f) << 23);
    }

    // True for about one block of `every`. The number of the block is scrambled first (Knuth's multiplicative
    // hash): with ties or equal distances, every n-th block would be a bad sample.
    static Expr is_sampled(Expr block, Expr every) {
        const Expr scrambled = (cast<uint32_t>(block) * Expr((uint32_t)2654435761u)) >> Expr((uint32_t)9);
        return scrambled % cast<uint32_t>(every) == Expr((uint32_t)0);
    }
};

}  // namespace tilewright
