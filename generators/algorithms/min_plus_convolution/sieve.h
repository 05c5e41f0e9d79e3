#pragma once
// A form of min_plus_convolution that leaves out elements of the shorter vector, and is exact: for CPUs,
// whose threads may branch for one element. Variants: pruned and pruned_always on CPUs.
//
// A tile is `width` outputs, and a block is `run` elements of a. For an element i of a block, and a tile,
//
//     a(i) + min b over all elements that the block needs for the tile
//
// is not above any of the element's sums for the tile, also as they are rounded, because rounding is
// monotone. The outputs of a tile have minima so far, and an element for which this is not below the greatest
// of them can be left out. So
//
//     MinPlusGroups   evaluates the least element of each group of `group` elements, which gives the minima
//                     so far, and samples how many elements cannot be left out
//     MinPlusSieve    goes over the elements that cannot be left out. A block whose least element can be left
//                     out is left out as a whole
#include "generators/algorithms/min_plus_convolution/configuration.h"
#include "generators/algorithms/min_plus_convolution/min_plus_convolution.h"

namespace tilewright {

// What both have in common: the padded vectors, and the least elements of blocks.
struct MinPlusSieveBlocks : Halide::NamesInterface {
    const MinPlusSieveConfiguration sizes;
    const MinPlusNumbers numbers;
    const Expr n, m, length, blocks;
    const int tile_blocks;
    Var i{"i"}, j{"j"}, x{"x"}, q{"q"}, lane{"lane"};
    RDom in_block, in_window, output;
    Func a{"padded_a"}, b{"padded_b"}, low_a{"low_a"}, block_b{"block_b"}, low_b{"low_b"}, bound{"bound"};

    MinPlusSieveBlocks(Func whole_a, Func whole_b, Expr n, Expr m, Expr length,
        const MinPlusSieveConfiguration &sizes, const MinPlusNumbers &numbers)
        : sizes(sizes), numbers(numbers), n(n), m(m), length(length), blocks(ceil_div(n, sizes.run)),
          tile_blocks(sizes.width / sizes.run), in_block(0, sizes.run, "in_block"),
          in_window(0, tile_blocks + 1, "in_window"), output(0, sizes.width, "output") {
        a(i) = select(i < n, whole_a(clamp(i, 0, n - 1)), numbers.no_a());
        b(j) = select(j >= 0 && j < m, whole_b(clamp(j, 0, m - 1)), numbers.no_b());
        low_a(j) = numbers.no_a();
        low_a(j) = min(low_a(j), a(j * sizes.run + in_block));
        block_b(j) = numbers.no_b();
        block_b(j) = min(block_b(j), b(j * sizes.run + in_block));
        low_b(j) = numbers.no_b();
        low_b(j) = min(low_b(j), block_b(j - 1 + in_window));
    }

    // The range of i that tile q needs.
    Expr first(Expr q) const {
        return max(0, q * sizes.width - (m - 1));
    }
    Expr end(Expr q) const {
        return min(n, q * sizes.width + sizes.width);
    }

    // a(i) + b(k - i), where k is output x of tile q, and i is at most `beyond` elements outside the range
    // that the tile needs.
    Expr sum(Expr i, int beyond) const {
        const int edge = sizes.width + beyond;
        return numbers.sum(a(unsafe_promise_clamped(i, 0, n + beyond)),
            b(unsafe_promise_clamped(q * sizes.width + x - i, -edge, m + edge)));
    }

    // The least b that block `block` needs for tile q. The block is at most `beyond` blocks outside the range
    // that the tile needs.
    Expr window(Expr block, int beyond) const {
        const int edge = beyond + tile_blocks + 1;
        return low_b(unsafe_promise_clamped(q * tile_blocks - block, -edge, ceil_div(m, sizes.run) + edge));
    }

    // The greatest of the minima that a tile has.
    void bound_of(Func minima) {
        bound(q) = numbers.lowest();
        bound(q) =
            max(bound(q), select(q * sizes.width + output < length, minima(output, q), numbers.lowest()));
    }
};

// best(x, q): the minima so far. asked(q): about how many elements cannot be left out, in elements of one per
// block.
struct MinPlusGroups : MinPlusSieveBlocks {
    static constexpr const char *name = "min_plus_convolution_groups";
    static constexpr int lanes = 16;  // partial counts of a tile
    RDom in_group, r, steps, all_lanes;
    Func low_of_group{"low_of_group"}, least_of_group{"least_of_group"}, minima{"minima"}, best{"best"},
        sampled{"sampled"}, of_lane{"asked_of_lane"}, asked_of_tile{"asked_of_tile"}, asked{"asked"};

    MinPlusGroups(Func whole_a, Func whole_b, Expr n, Expr m, Expr length,
        const MinPlusSieveConfiguration &sizes, const MinPlusNumbers &numbers)
        : MinPlusSieveBlocks(whole_a, whole_b, n, m, length, sizes, numbers),
          in_group(0, sizes.group, "in_group"), r(0, ceil_div(n, sizes.group), "r"),
          steps(0, ceil_div(blocks, lanes), "steps"), all_lanes(0, lanes, "all_lanes") {
        evaluate_groups();
        bound_of(best);
        count_asked();
    }

private:
    void evaluate_groups() {
        const Expr one = j * sizes.group + in_group;
        low_of_group(j) = numbers.no_a();
        low_of_group(j) = min(low_of_group(j), a(one));
        least_of_group(j) = j * sizes.group;
        least_of_group(j) = select(a(one) == low_of_group(j), one, least_of_group(j));
        const Expr from = first(q) / sizes.group, group = from + r;
        r.where(r < ceil_div(end(q), sizes.group) - from);
        const Expr at = least_of_group(promised(group, ceil_div(n, sizes.group)));
        minima(x, q) = numbers.no_b();
        minima(x, q) = numbers.least(sum(at, sizes.group), minima(x, q));
        best(x, q) = minima(x, q);
    }

    // One element of each block, at another place in each, stands for the block.
    void count_asked() {
        sampled(j) = a(j * sizes.run + (j * 5 + j / sizes.run) % sizes.run);
        const Expr from = first(q) / (sizes.run * lanes), step = from + steps, block = step * lanes + lane;
        steps.where(steps < ceil_div(end(q), sizes.run * lanes) - from);
        const Expr low = sampled(unsafe_promise_clamped(block, 0, blocks + lanes)) + window(block, lanes);
        of_lane(lane, q) = 0;
        of_lane(lane, q) += cast<int>(low < bound(q));
        asked_of_tile(q) = 0;
        asked_of_tile(q) += of_lane(all_lanes, q);
        asked(q) = asked_of_tile(q);
    }
};

// The output, from the minima that MinPlusGroups left in `best`.
struct MinPlusSieve : MinPlusSieveBlocks {
    static constexpr const char *name = "min_plus_convolution_sieve";
    Var k{"k"};
    RDom r;
    Func minima{"minima"}, out{"out"};

    MinPlusSieve(Func whole_a, Func whole_b, Func before, Func best, Expr n, Expr m, Expr length,
        const MinPlusSieveConfiguration &sizes, const MinPlusNumbers &numbers)
        : MinPlusSieveBlocks(whole_a, whole_b, n, m, length, sizes, numbers),
          r(0, sizes.run, 0, blocks, "r") {
        bound_of(best);
        const Expr from = first(q) / sizes.run, block = from + r.y, i = block * sizes.run + r.x;
        const Expr low_of_b = window(block, 1);
        r.where(r.y < ceil_div(end(q), sizes.run) - from);
        r.where(low_a(promised(block, blocks)) + low_of_b < bound(q));
        r.where(a(unsafe_promise_clamped(i, 0, n + sizes.run)) + low_of_b < bound(q));
        minima(x, q) = best(x, q);
        minima(x, q) = numbers.least(sum(i, sizes.run), minima(x, q));
        out(k) = numbers.unsigned_zero(min(minima(k % sizes.width, k / sizes.width), before(k)));
    }
};

}  // namespace tilewright
