#pragma once
// The sizes of tiles, blocks and segments of the forms of min_plus_convolution, for the host and for
// generators. Plain C++ without Halide.h.
#include "generators/algorithms/integers.h"
#include <cstdint>

namespace tilewright {

// Integers are in [-2^28, 2^28]. So neither a sum of two nor a sum with "absent" overflows 32 bits.
constexpr int32_t min_plus_largest_integer = 1 << 28;

// A tile of outputs: each of `workers` workers computes `outputs_per_worker` consecutive outputs. The index i
// is walked in runs of `run`, which is a multiple of `outputs_per_worker`.
struct MinPlusTile {
    int outputs_per_worker, workers, run;

    int size() const {
        return outputs_per_worker * workers;
    }
};

// How the pruned forms count blocks. A block is one run of i. Block number 32 w + v is bit v of word w. A
// segment is 256 blocks, whose numbers within the segment fit a byte.
struct MinPlusBlockSizes {
    static constexpr int word = 32, segment = 256, segment_words = segment / word;
};

// How many blocks, words, segments and tiles a problem has. Number is an integer type, or Halide's
// expressions.
template<typename Number>
struct MinPlusCountsOfBlocks {
    Number blocks, words, segments, tiles;

    // n: the length of a. length: the number of outputs.
    MinPlusCountsOfBlocks(const MinPlusTile &tile, Number n, Number length)
        : blocks(ceil_div(n, tile.run)), words(ceil_div(blocks, MinPlusBlockSizes::word)),
          segments(ceil_div(blocks, MinPlusBlockSizes::segment)), tiles(ceil_div(length, tile.size())) {}
};

}  // namespace tilewright
