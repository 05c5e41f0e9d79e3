#pragma once
// A form of min_plus_convolution that leaves out blocks of i, and is exact: its second half. Variant: pruned.
//
// A block is one run of i. For a block and a tile of outputs,
//
//     low(block, tile) = min a over the block + min b over all elements that the block needs for the tile
//
// is not above any of their sums, also as they are rounded, because rounding is monotone. The outputs of a
// tile have minima so far. A block whose low is not below the greatest of these minima can be left out. So
//
//     pass B   evaluates about sqrt(blocks) blocks of least low. The bound of a tile is then the greatest of
//              its minima
//     pass M   evaluates a quarter of the blocks whose low is below the bound, which lowers the bound
//     pass C   evaluates every other block whose low is below the new bound
//
// MinPlusPlan (plan.h) ends with the bound of pass B, and with how many blocks are below it; MinPlusPruned
// goes on from there.
#include "generators/algorithms/min_plus_convolution/tiles.h"
#include <functional>
#include <string>

namespace tilewright {

// A Func that is computed by updates, and a Func that stores its last values.
struct Materialized {
    Halide::Func steps, values;

    Materialized() = default;
    explicit Materialized(Halide::Func all_steps) : steps(all_steps), values(all_steps.name() + "_kept") {
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

// The blocks of i by number, as bits of words (MinPlusBlockSizes). Each segment of blocks has a list of its
// own, of one byte per block.
struct MinPlusBlocks : MinPlusVectors {
    static constexpr int segment = MinPlusBlockSizes::segment,
                         segment_words = MinPlusBlockSizes::segment_words;
    static constexpr int lanes = 128;  // partial results of a tile
    static constexpr int levels = 20;  // thresholds for which blocks are counted
    const int blocks_of_tile;
    const Expr length;
    const MinPlusCountsOfBlocks<Expr> counts;
    const Expr blocks, words, segments, tiles;
    Var w{"w"}, v{"v"}, s{"s"}, place{"place"}, level{"level"}, lane{"lane"};
    Func low_a, low_b;  // the least a of block 32 w + v; the least b of a window, see low()

    MinPlusBlocks(Func whole_a, Func whole_b, Expr n, Expr m, Expr length, const MinPlusTile &tile,
        const MinPlusNumbers &numbers)
        : MinPlusVectors(whole_a, whole_b, n, m, tile, numbers), blocks_of_tile(tile.size() / tile.run),
          length(length), counts(tile, n, length), blocks(counts.blocks), words(counts.words),
          segments(counts.segments), tiles(counts.tiles) {}

    // Whether a block of the word has a pair for the tile.
    Expr meets(Expr word, Expr q) const {
        return word < min(words, ceil_div(end(q), 32 * tile.run)) &&
               word >= max(0, q * tile.size() - (m - 1)) / (32 * tile.run);
    }

    // The sum of the values of a block and of a tile in `of_blocks` and `of_windows`. Window d contains the
    // blocks of b from d - 1 to d + blocks_of_tile - 1, which is what block q * blocks_of_tile - d needs for
    // tile q. As d may be negative, its value is stored at d + 32 words.
    Expr paired(Func of_blocks, Func of_windows, Expr word, Expr bit, Expr q) const {
        const Expr digit = 32 - bit;
        return of_blocks(word, bit) +
               of_windows(words + (q * blocks_of_tile) / 32 - word - 1 + digit / 32, digit % 32);
    }
    Expr low(Expr word, Expr bit, Expr q) const {
        return paired(low_a, low_b, word, bit, q);
    }

    // The domain of the words of a tile, `lanes` at a time: bit, iteration. The word may be beyond the last
    // one.
    Halide::RDom words_by_lane(const std::string &name) const {
        return Halide::RDom(0, 32, 0, ceil_div(words, lanes), name);
    }
};

// The greatest of the minima that a tile's outputs have: of_tile(q).
struct MinPlusGreatest : Halide::NamesInterface {
    Materialized of_worker, of_tile;

    MinPlusGreatest() = default;
    MinPlusGreatest(const MinPlusBlocks &of, const Materialized &best) {
        const RDom own(0, of.tile.outputs_per_worker, "own"), worker(0, of.tile.workers, "owner");
        const Var t = of.t, q = of.q;
        const Expr none = of.numbers.lowest(),
                   output = q * of.tile.size() + t * of.tile.outputs_per_worker + own;
        Func greatest_of_worker("greatest_of_owner"), greatest("greatest");
        greatest_of_worker(t, q) = none;
        greatest_of_worker(t, q) =
            max(greatest_of_worker(t, q), select(output < of.length, best.values(t, own, q), none));
        of_worker = Materialized(greatest_of_worker);
        greatest(q) = none;
        greatest(q) = max(greatest(q), of_worker.values(worker, q));
        of_tile = Materialized(greatest);
    }
};

// For each tile: the blocks that are wanted, as bits and then as lists, and the least sums of their pairs.
//
//     bits(w, q)           bit v: block 32 w + v is wanted and was not evaluated before
//     list(place, s, q)    their numbers in segment s; there are count(s, q)
//     part(x, t, q, u)     the least sums over the lists of `segments_of_part` segments
//     best(t, x, q)        the least of all parts, and of `so_far`
struct MinPlusPass : Halide::NamesInterface {
    using Wanted = std::function<Expr(Expr low, Expr block, Expr q)>;
    RDom bit, listed, r, parts;
    Materialized bits, best;
    Func count, list, least, part;

    MinPlusPass() = default;
    MinPlusPass(const std::string &name, const MinPlusBlocks &of, const std::vector<Func> &evaluated,
        Func so_far, const Wanted &wanted, Expr segments_of_part, Expr number_of_parts)
        : bit(0, 32, "bit" + name), listed(0, 32, 0, of.segment_words, "listed" + name),
          r(0, of.tile.run, 0, of.segment, 0, segments_of_part, "r" + name),
          parts(0, number_of_parts, "parts" + name), count("count" + name), list("list" + name),
          least("least" + name), part("part" + name) {
        choose(name, of, evaluated, wanted);
        make_lists(of);
        evaluate(name, of, so_far, segments_of_part);
    }

private:
    static Expr u32(Expr value) {
        return cast<uint32_t>(value);
    }

    // Bounds inference does not see that this is true where the words are split and the last part is guarded.
    static Expr in_segments(const MinPlusBlocks &of, Expr word) {
        return promised(word, of.segments * of.segment_words);
    }

    void choose(const std::string &name, const MinPlusBlocks &of, const std::vector<Func> &evaluated,
        const Wanted &wanted) {
        const Var w = of.w, q = of.q;
        Func chosen("bits" + name);
        const Expr word = clamp(w, 0, of.words - 1);
        Expr is_new = u32(1);
        for (const Func &before : evaluated) {
            is_new = is_new & (~before(in_segments(of, w), q) >> u32(bit));
        }
        bit.where(of.meets(w, q));
        chosen(w, q) = u32(0);
        chosen(w, q) =
            chosen(w, q) | ((u32(wanted(of.low(word, bit, q), word * 32 + bit, q)) & is_new) << u32(bit));
        bits = Materialized(chosen);
    }

    // Each bit that is set has a position in its list: the number of bits that are set before it.
    void make_lists(const MinPlusBlocks &of) {
        const Var q = of.q, s = of.s, place = of.place;
        Expr all = 0, before_word = 0;
        const Expr bits_of_word = bits.values(in_segments(of, s * of.segment_words + listed.y), q);
        for (int i = 0; i < of.segment_words; i++) {
            const Expr here = cast<int>(ones(bits.values(in_segments(of, s * of.segment_words + i), q)));
            all += here;
            before_word += select(i < listed.y, here, 0);
        }
        count(s, q) = all;
        listed.where(((bits_of_word >> u32(listed.x)) & u32(1)) != u32(0));
        const Expr before_bit = cast<int>(ones(bits_of_word & ((u32(1) << u32(listed.x)) - u32(1))));
        list(place, s, q) = Halide::undef<uint8_t>();
        list(clamp(before_word + before_bit, 0, of.segment - 1), s, q) =
            cast<uint8_t>(listed.y * 32 + listed.x);
    }

    void evaluate(const std::string &name, const MinPlusBlocks &of, Func so_far, Expr segments_of_part) {
        const Var q = of.q, x = of.x, t = of.t, u = of.u;
        const Expr s_of_part = u * segments_of_part + r.z, inside = min(s_of_part, of.segments - 1);
        r.where(s_of_part < of.segments);
        r.where(r.y < count(inside, q));
        const Expr block = inside * of.segment + cast<int>(list(r.y, inside, q));
        least(x, t, q, u) = of.numbers.no_b();
        least(x, t, q, u) = of.numbers.least(of.sum(block * of.tile.run, r.x, x, t, q), least(x, t, q, u));
        part(x, t, q, u) = least(x, t, q, u);

        Func all_parts("best" + name);
        all_parts(t, x, q) = so_far.defined() ? Expr(so_far(t, x, q)) : of.numbers.no_b();
        all_parts(t, x, q) = of.numbers.least(part(x, t, q, parts), all_parts(t, x, q));
        best = Materialized(all_parts);
    }

    // How many bits are set. This is not popcount(), because Halide 21 does not define it for all backends.
    static Expr ones(Expr bits) {
        const auto number = [](uint32_t value) { return Expr(value); };
        bits = bits - ((bits >> number(1)) & number(0x55555555));
        bits = (bits & number(0x33333333)) + ((bits >> number(2)) & number(0x33333333));
        bits = (bits + (bits >> number(4))) & number(0x0f0f0f0f);
        return cast<uint8_t>((bits * number(0x01010101)) >> number(24));
    }
};

// Passes M and C from the results of the plan, and the output.
struct MinPlusPruned : MinPlusBlocks {
    static constexpr const char *name = "min_plus_convolution_pruned";
    MinPlusPass pass_m, pass_c;
    MinPlusGreatest bound;
    Func least{"least"}, out{"out"};

    MinPlusPruned(Func whole_a, Func whole_b, Func before, Func low_of_blocks, Func low_of_windows,
        Func chosen, Func best, Func limits, Expr n, Expr m, Expr length, const MinPlusTile &tile,
        Expr segments_of_part, Expr number_of_parts, const MinPlusNumbers &numbers)
        : MinPlusBlocks(whole_a, whole_b, n, m, length, tile, numbers) {
        low_a = low_of_blocks;
        low_b = low_of_windows;
        const auto wanted_m = [&](Expr low, Expr, Expr q) {
            return low <= limits(1, q) && low < limits(0, q);
        };
        pass_m = MinPlusPass("_m", *this, {chosen}, best, wanted_m, segments_of_part, number_of_parts);
        bound = MinPlusGreatest(*this, pass_m.best);
        const auto wanted_c = [&](Expr low, Expr, Expr q) { return low < bound.of_tile.values(q); };
        pass_c = MinPlusPass(
            "_c", *this, {chosen, pass_m.bits.values}, {}, wanted_c, segments_of_part, number_of_parts);
        const std::vector<Expr> at = digits(k);
        least(k) = pass_m.best.values(at[1], at[0], at[2]);
        least(k) = numbers.least(pass_c.part(at[0], at[1], at[2], pass_c.parts), least(k));
        out(k) = numbers.unsigned_zero(min(least(k), before(k)));
    }
};

}  // namespace tilewright
