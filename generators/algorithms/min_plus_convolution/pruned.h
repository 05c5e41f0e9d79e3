#pragma once
#include "generators/algorithms/min_plus_convolution/tiles.h"
#include <functional>
#include <string>

namespace tilewright {

// Pruned, and exact. i is taken in blocks, the runs of MinPlusVectors. For a block and a tile of outputs,
//
//     low(block, tile) = min a over the block + min b over all that the block meets in the tile
//
// is not above any of their sums, rounded as they are, because rounding is monotone. A block whose low is not below the greatest minimum
// that the tile's outputs already have can be left out. So
//
//     pass B   evaluates about sqrt(blocks) blocks of least low, and gives each tile its bound: the greatest of its minima
//     pass M   a quarter of the blocks whose low is below it, which tightens it
//     pass C   every other block whose low is below the new one
//
// MinPlusPlan ends with the bound of pass B and with how many blocks it asks for, MinPlusPruned goes on from there.

// A Func that is updated, and one that keeps its last values.
struct Kept {
    Halide::Func steps, values;

    Kept() = default;
    explicit Kept(Halide::Func all_steps) : steps(all_steps), values(all_steps.name() + "_kept") {
        const std::vector<Halide::Var> args = steps.args();
        if (steps.outputs() == 1) {
            values(args) = Halide::Expr(steps(args));
        } else {
            std::vector<Halide::Expr> several;
            for (int i = 0; i < (int)steps.outputs(); i++) {
                several.push_back(steps(args)[i]);
            }
            values(args) = Halide::Tuple(several);
        }
    }
};

// Blocks of i by number, 32 w + v: bit v of word w. Segments of 256 blocks have lists of their own, of one byte a block.
struct MinPlusBlocks : MinPlusVectors {
    static constexpr int segment = 256, segment_words = segment / 32, lanes = 128, levels = 20;
    const int blocks_of_tile;
    const Expr length, blocks, words, segments, tiles;
    Var w{"w"}, v{"v"}, s{"s"}, place{"place"}, level{"level"}, lane{"lane"};
    Func low_a, low_b;  // least a of block 32 w + v; least b of a window, see low()

    MinPlusBlocks(Func whole_a, Func whole_b, Expr n, Expr m, Expr length, const MinPlusTile &tile, const MinPlusNumbers &numbers)
        : MinPlusVectors(whole_a, whole_b, n, m, tile, numbers), blocks_of_tile(tile.size() / tile.run), length(length),
          blocks((n + tile.run - 1) / tile.run), words((blocks + 31) / 32), segments((blocks + segment - 1) / segment),
          tiles((length + tile.size() - 1) / tile.size()) {
    }

    // Whether a block of the word meets the tile.
    Expr meets(Expr word, Expr q) const {
        return word < min(words, (end(q) + 32 * tile.run - 1) / (32 * tile.run)) && word >= max(0, q * tile.size() - (m - 1)) / (32 * tile.run);
    }

    // The sum of what a block and a tile have in `of_blocks` and `of_windows`. Window d has the blocks of b from d - 1 to d +
    // blocks_of_tile - 1; it is what block q * blocks_of_tile - d meets in tile q. As d may be negative, it is kept at d + 32 words.
    Expr paired(Func of_blocks, Func of_windows, Expr word, Expr bit, Expr q) const {
        const Expr digit = 32 - bit;
        return of_blocks(word, bit) + of_windows(words + (q * blocks_of_tile) / 32 - word - 1 + digit / 32, digit % 32);
    }
    Expr low(Expr word, Expr bit, Expr q) const {
        return paired(low_a, low_b, word, bit, q);
    }

    // The words of a tile, `lanes` at a time: lane, turn; and the word, which may be beyond the last one.
    Halide::RDom turns(const std::string &name) const {
        return Halide::RDom(0, 32, 0, (words + lanes - 1) / lanes, name);
    }
};

// The greatest of what a tile's outputs have: of_tile(q).
struct MinPlusGreatest : Halide::NamesInterface {
    Kept of_owner, of_tile;

    MinPlusGreatest() = default;
    MinPlusGreatest(const MinPlusBlocks &of, const Kept &best) {
        const RDom own(0, of.tile.own, "own"), owner(0, of.tile.owners, "owner");
        const Var t = of.t, q = of.q;
        const Expr none = of.numbers.lowest(), output = q * of.tile.size() + t * of.tile.own + own;
        Func greatest_of_owner("greatest_of_owner"), greatest("greatest");
        greatest_of_owner(t, q) = none;
        greatest_of_owner(t, q) = max(greatest_of_owner(t, q), select(output < of.length, best.values(t, own, q), none));
        of_owner = Kept(greatest_of_owner);
        greatest(q) = none;
        greatest(q) = max(greatest(q), of_owner.values(owner, q));
        of_tile = Kept(greatest);
    }
};

// For each tile: the blocks that are wanted as bits, then as lists, and their pairs.
//
//     bits(w, q)           bit v: block 32 w + v is wanted and was not evaluated before
//     list(place, s, q)    their numbers in segment s; count(s, q) of them
//     part(x, t, q, u)     the least sums over the lists of `segments_of_part` segments
//     best(t, x, q)        the least of all parts, and of `so_far`
struct MinPlusPass : Halide::NamesInterface {
    using Wanted = std::function<Expr(Expr low, Expr block, Expr q)>;
    RDom bit, listed, r, parts;
    Kept bits, best;
    Func count, list, least, part;

    MinPlusPass() = default;
    MinPlusPass(const std::string &name, const MinPlusBlocks &of, const std::vector<Func> &evaluated, Func so_far, const Wanted &wanted,
                Expr segments_of_part, Expr number_of_parts)
        : bit(0, 32, "bit" + name), listed(0, 32, 0, of.segment_words, "listed" + name),
          r(0, of.tile.run, 0, of.segment, 0, segments_of_part, "r" + name), parts(0, number_of_parts, "parts" + name), count("count" + name),
          list("list" + name), least("least" + name), part("part" + name) {
        const Var w = of.w, q = of.q, s = of.s, place = of.place, x = of.x, t = of.t, u = of.u;
        Func chosen("bits" + name);
        const Expr word = clamp(w, 0, of.words - 1);
        // Bounds inference does not see that this holds where the words are split and the last part is guarded.
        const auto in_segments = [&](Expr word) { return unsafe_promise_clamped(word, 0, of.segments * of.segment_words - 1); };
        Expr fresh = u32(1);
        for (const Func &before : evaluated) {
            fresh = fresh & (~before(in_segments(w), q) >> u32(bit));
        }
        bit.where(of.meets(w, q));
        chosen(w, q) = u32(0);
        chosen(w, q) = chosen(w, q) | ((u32(wanted(of.low(word, bit, q), word * 32 + bit, q)) & fresh) << u32(bit));
        bits = Kept(chosen);

        Expr all = 0, before_word = 0;
        const Expr bits_of_word = bits.values(in_segments(s * of.segment_words + listed.y), q);
        for (int i = 0; i < of.segment_words; i++) {
            const Expr here = cast<int>(ones(bits.values(in_segments(s * of.segment_words + i), q)));
            all += here;
            before_word += select(i < listed.y, here, 0);
        }
        count(s, q) = all;
        listed.where(((bits_of_word >> u32(listed.x)) & u32(1)) != u32(0));
        const Expr before_bit = cast<int>(ones(bits_of_word & ((u32(1) << u32(listed.x)) - u32(1))));
        list(place, s, q) = Halide::undef<uint8_t>();
        list(clamp(before_word + before_bit, 0, of.segment - 1), s, q) = cast<uint8_t>(listed.y * 32 + listed.x);

        const Expr s_of_part = u * segments_of_part + r.z, there = min(s_of_part, of.segments - 1);
        r.where(s_of_part < of.segments);
        r.where(r.y < count(there, q));
        const Expr block = there * of.segment + cast<int>(list(r.y, there, q));
        least(x, t, q, u) = of.numbers.no_b();
        least(x, t, q, u) = of.numbers.least(of.sum(block * of.tile.run, r.x, x, t, q), least(x, t, q, u));
        part(x, t, q, u) = least(x, t, q, u);

        Func all_parts("best" + name);
        all_parts(t, x, q) = so_far.defined() ? Expr(so_far(t, x, q)) : of.numbers.no_b();
        all_parts(t, x, q) = of.numbers.least(part(x, t, q, parts), all_parts(t, x, q));
        best = Kept(all_parts);
    }

private:
    static Expr u32(Expr value) {
        return cast<uint32_t>(value);
    }

    // How many bits are set. Not popcount(), which Halide 21 does not define for OpenCL.
    static Expr ones(Expr bits) {
        const auto number = [](uint32_t value) { return Expr(value); };
        bits = bits - ((bits >> number(1)) & number(0x55555555));
        bits = (bits & number(0x33333333)) + ((bits >> number(2)) & number(0x33333333));
        bits = (bits + (bits >> number(4))) & number(0x0f0f0f0f);
        return cast<uint8_t>((bits * number(0x01010101)) >> number(24));
    }
};

// For each of the rising levels of a tile, how many blocks have a low that is not above it.
struct MinPlusCounts : Halide::NamesInterface {
    RDom r, lanes;
    Func steps, of_lane;  // lane, level, tile
    Kept total;           // level, tile

    MinPlusCounts() = default;
    MinPlusCounts(const std::string &name, const MinPlusBlocks &of, const std::function<Expr(Expr, Expr)> &value_of_level,
                  const std::function<Expr(Expr, Expr)> &counted)
        : r(of.turns("r" + name)), lanes(0, of.lanes, "lanes" + name), steps("count_steps" + name), of_lane("counts_of_lane" + name) {
        const Expr word = r.y * of.lanes + of.lane;
        r.where(of.meets(word, of.q));
        const Expr low = of.low(min(word, of.words - 1), r.x, of.q);
        steps(of.lane, of.level, of.q) = 0;
        steps(of.lane, of.level, of.q) += cast<int>(low <= value_of_level(of.level, of.q) && counted(low, of.q));
        of_lane(of.lane, of.level, of.q) = steps(of.lane, of.level, of.q);
        Func all("counts" + name);
        all(of.level, of.q) = 0;
        all(of.level, of.q) += of_lane(lanes, of.level, of.q);
        total = Kept(all);
    }
};

// Everything up to the bound of pass B.
//
//     chosen(w, q), best(t, x, q)   pass B
//     limits(0, q)                  the bound: greatest of best
//     limits(1, q)                  blocks with a low up to this are for pass M
//     asked(0)                      how many blocks have a low below their tile's bound and were not in pass B
struct MinPlusPlan : MinPlusBlocks {
    static constexpr const char *name = "min_plus_convolution_plan";
    std::vector<Kept> blocks_a, blocks_b, windows;  // least, greatest
    RDom all, all_lanes;
    Kept spread_of_lane, spread, pick, middle, asked_of_lane, asked;
    MinPlusGreatest bound;
    MinPlusCounts below, above;
    MinPlusPass pass;
    Func limits{"limits"};

    // tenths: how many blocks pass B takes, about, in tenths of the root of all that meet a tile.
    MinPlusPlan(Func whole_a, Func whole_b, Expr n, Expr m, Expr length, const MinPlusTile &tile, int tenths, Expr segments_of_part,
                Expr number_of_parts, const MinPlusNumbers &numbers)
        : MinPlusBlocks(whole_a, whole_b, n, m, length, tile, numbers), all(turns("all")), all_lanes(0, lanes, "all_lanes") {
        extremes(whole_a, whole_b);
        spread_of_tile();

        // The levels of pass B halve the way from the least low to the top, again and again.
        const auto geometric = [&](Expr f, Expr q) {
            const Expr least = spread.values(q)[0], top = min(spread.values(q)[1], spread.values(q)[2]);
            if (numbers.type.is_int()) {
                return Expr(least + ((top - least) >> f));
            }
            return Expr(select(top - least < numbers.highest(), least + (top - least) * power_of_half(f), top));
        };
        below = MinPlusCounts("_below", *this, geometric, [](Expr, Expr) { return Halide::Internal::const_true(); });
        const auto wanted = [&](Expr q) {
            return cast<int>(.1f * (float)tenths * sqrt(cast<float>(end(q) - max(0, q * tile.size() - (m - 1))))) + 1;
        };
        pick_level(geometric, wanted(q));
        const auto taken = [&](Expr low, Expr q) { return low <= pick.values(q)[0]; };
        pass = MinPlusPass("_b", *this, {}, {}, [&](Expr low, Expr block, Expr q) {
            return taken(low, q) || (low <= pick.values(q)[1] && is_sampled(block, max(1, pick.values(q)[2] / wanted(q))));
        }, segments_of_part, number_of_parts);
        bound = MinPlusGreatest(*this, pass.best);

        // The levels of pass M are equidistant.
        const auto even = [&](Expr f, Expr q) {
            const Expr from = max(pick.values(q)[0], spread.values(q)[0]);
            const Expr to = min(bound.of_tile.values(q), min(spread.values(q)[1], spread.values(q)[2]));
            if (numbers.type.is_int()) {
                return Expr(from + ((to - from) / levels) * (f + 1));
            }
            return Expr(select(to - from < numbers.highest(), from + (to - from) * (cast(numbers.type, f + 1) / levels), to));
        };
        above = MinPlusCounts("_above", *this, even, [&](Expr low, Expr q) { return !taken(low, q) && low < bound.of_tile.values(q); });
        RDom each(0, levels, "each");
        Func highest_quarter("middle");
        highest_quarter(q) = pick.values(q)[0];
        highest_quarter(q) = select(above.total.values(each, q) <= above.total.values(levels - 1, q) / 4, max(highest_quarter(q), even(each, q)),
                                    highest_quarter(q));
        middle = Kept(highest_quarter);
        limits(level, q) = select(level == 0, bound.of_tile.values(q), middle.values(q));

        RDom some_tiles(0, (tiles + lanes - 1) / lanes, "some_tiles");
        Func of_lane("asked_of_lane"), sum("asked");
        const Expr one = some_tiles * lanes + lane;
        of_lane(lane) = 0;
        of_lane(lane) += select(one < tiles, above.total.values(levels - 1, min(one, tiles - 1)), 0);
        asked_of_lane = Kept(of_lane);
        sum(place) = 0;
        sum(place) += asked_of_lane.values(all_lanes);
        asked = Kept(sum);
    }

private:
    // Least and greatest of the blocks of a and b, and of windows of b.
    void extremes(Func whole_a, Func whole_b) {
        RDom r(0, tile.run, "r_block"), d(0, blocks_of_tile + 1, "r_window");
        const Var j("j");
        const Expr i_a = (w * 32 + v) * tile.run + r, i_b = j * tile.run + r;
        // What is absent is high, in the greatest too: a block that some outputs do not meet promises them nothing.
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
            blocks_a.push_back(Kept(of_a));
            of_b(j) = none[greatest];
            of_b(j) = better(of_b(j), from_b);
            blocks_b.push_back(Kept(of_b));
            of_window(w, v) = none[greatest];
            of_window(w, v) = better(of_window(w, v), blocks_b.back().values((w - words) * 32 + v - 1 + d));
            windows.push_back(Kept(of_window));
        }
        low_a = blocks_a[0].values;
        low_b = windows[0].values;
    }

    // Of a tile: the least low, the least high, and the greatest low of blocks that have one.
    void spread_of_tile() {
        const Expr word = all.y * lanes + lane, there = min(word, words - 1);
        all.where(meets(word, q));
        const Expr least = low(there, all.x, q), greatest = paired(blocks_a[1].values, windows[1].values, there, all.x, q);
        Func of_lane("spread_of_lane"), of_tile("spread");
        const Expr highest = numbers.highest(), lowest = numbers.lowest();
        of_lane(lane, q) = Halide::Tuple(highest, highest, lowest);
        of_lane(lane, q) = Halide::Tuple(min(of_lane(lane, q)[0], least), min(of_lane(lane, q)[1], greatest),
                                         max(of_lane(lane, q)[2], select(least < highest, least, lowest)));
        spread_of_lane = Kept(of_lane);
        const Func lanes_of = spread_of_lane.values;
        of_tile(q) = Halide::Tuple(highest, highest, lowest);
        of_tile(q) = Halide::Tuple(min(of_tile(q)[0], lanes_of(all_lanes, q)[0]), min(of_tile(q)[1], lanes_of(all_lanes, q)[1]),
                                   max(of_tile(q)[2], lanes_of(all_lanes, q)[2]));
        spread = Kept(of_tile);
    }

    // From the lowest level up: the last one that has no more blocks than wanted, the first one that has more, and its blocks.
    void pick_level(const std::function<Expr(Expr, Expr)> &value_of_level, Expr wanted) {
        RDom f(0, levels, "f");
        const Expr rising = levels - 1 - f;
        Func pick_steps("pick");
        pick_steps(q) = Halide::Tuple(numbers.lowest(), value_of_level(0, q), Expr(1 << 30), Expr(0));
        const Expr has = below.total.values(rising, q), few = has <= wanted, first = !few && pick_steps(q)[3] == 0;
        pick_steps(q) = Halide::Tuple(select(few, max(pick_steps(q)[0], value_of_level(rising, q)), pick_steps(q)[0]),
                                      select(first, value_of_level(rising, q), pick_steps(q)[1]), select(first, has, pick_steps(q)[2]),
                                      select(few, pick_steps(q)[3], 1));
        pick = Kept(pick_steps);
    }

    // 2^-f
    Expr power_of_half(Expr f) const {
        if (numbers.type.bits() == 64) {
            return reinterpret<double>((cast<int64_t>(1023) - cast<int64_t>(f)) << 52);
        }
        return reinterpret<float>((127 - f) << 23);
    }

    // One block of `every`, whichever: ties and equal spacing would make the choice a bad one, and so the number is scrambled.
    static Expr is_sampled(Expr block, Expr every) {
        return ((cast<uint32_t>(block) * Expr((uint32_t)2654435761u)) >> Expr((uint32_t)9)) % cast<uint32_t>(every) == Expr((uint32_t)0);
    }
};

// Passes M and C from what the plan left, and the output.
struct MinPlusPruned : MinPlusBlocks {
    static constexpr const char *name = "min_plus_convolution_pruned";
    MinPlusPass pass_m, pass_c;
    MinPlusGreatest bound;
    Func least{"least"}, out{"out"};

    MinPlusPruned(Func whole_a, Func whole_b, Func before, Func low_of_blocks, Func low_of_windows, Func chosen, Func best, Func limits, Expr n,
                  Expr m, Expr length, const MinPlusTile &tile, Expr segments_of_part, Expr number_of_parts, const MinPlusNumbers &numbers)
        : MinPlusBlocks(whole_a, whole_b, n, m, length, tile, numbers) {
        low_a = low_of_blocks;
        low_b = low_of_windows;
        pass_m = MinPlusPass("_m", *this, {chosen}, best, [&](Expr low, Expr, Expr q) { return low <= limits(1, q) && low < limits(0, q); },
                             segments_of_part, number_of_parts);
        bound = MinPlusGreatest(*this, pass_m.best);
        pass_c = MinPlusPass("_c", *this, {chosen, pass_m.bits.values}, {}, [&](Expr low, Expr, Expr q) { return low < bound.of_tile.values(q); },
                             segments_of_part, number_of_parts);
        const std::vector<Expr> at = digits(k);
        least(k) = pass_m.best.values(at[1], at[0], at[2]);
        least(k) = numbers.least(pass_c.part(at[0], at[1], at[2], pass_c.parts), least(k));
        out(k) = numbers.unsigned_zero(min(least(k), before(k)));
    }
};

}  // namespace tilewright
