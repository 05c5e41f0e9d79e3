#pragma once
// The diagonal order of thread blocks, which is from G. Ruetsch and P. Micikevicius, "Optimizing Matrix
// Transpose in CUDA", NVIDIA 2009. Documented steps of transpose and recursive_gaussian have it.
#include "Halide.h"

namespace tilewright {

// Divides the tiles (xo, yo) of a stage into squares of `square` x `square` tiles, and makes one thread block
// of each tile, along the diagonals of a square. `block` is the innermost loop over thread blocks.
//
// The tiles of a square are numbered row by row. So the tile after number n on its diagonal has the number
// n + square + 1, and a split by square + 1 makes the diagonals a loop. A diagonal of the whole image would
// take two divisions per thread, because the number of tiles is known only at run time.
//
// Squares are rounded up: of tiles outside the image, the stage's own guards leave nothing. A guard of whole
// blocks would have the barrier of a tile inside, and PoCL 3.1 then writes beyond its memory (tiles of 8 x 8,
// 2026-11-22).
inline void blocks_along_diagonals(
    Halide::Stage stage, const Halide::Var &xo, const Halide::Var &yo, const Halide::Var &block, int square) {
    using Halide::TailStrategy;
    const Halide::Var square_x{"square_x"}, square_y{"square_y"}, number{"number"}, along{"along"},
        diagonal_number{"diagonal_number"};
    stage.tile(xo, yo, square_x, square_y, xo, yo, square, square, TailStrategy::RoundUp)
        .fuse(xo, yo, number)
        .split(number, along, diagonal_number, square + 1, TailStrategy::RoundUp)
        .fuse(along, diagonal_number, block)
        .reorder(block, square_x, square_y)
        .gpu_blocks(block, square_x, square_y);
}

}  // namespace tilewright
