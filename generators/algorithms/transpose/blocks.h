#pragma once
// A form of transpose: block by block, so that a block can be kept in fast memory. Variants: tuned_any for
// u16 and f32; transposed and diagonal of recursive_gaussian. A form, because a tile of Halide 21 begins at
// the same x in all rows: it cannot begin where the memory of each row of the output is aligned
// (tests/halide/tile_begin_test.cpp).
//
// The diagonal order of blocks is from G. Ruetsch and P. Micikevicius, "Optimizing Matrix Transpose in CUDA",
// NVIDIA 2009.
#include "Halide.h"
#include "generators/algorithms/indices.h"
#include "generators/algorithms/integers.h"

namespace tilewright {

// How blocks cover the output. All numbers count pixels.
struct BlockShape {
    int width, height;  // size of a block
    int across, down;   // a block is computed in steps of `across` x `down` pixels
    int aligned;        // a block's row begins where the pixel's number in memory is a multiple of this
    bool diagonal;      // row y of blocks is walked from its block number y on, and wraps around at the end
};

// out(x, y) = in(y, x). tile(i, j, b, y) is pixel (i, j) of the block that is walked as number b in row y of
// blocks. The image is repeated beyond its edges, so that every tile is whole; pixels outside the output are
// not stored. `pitch` is the distance between the output's rows.
struct TransposeBlocks : Halide::NamesInterface {
    static constexpr const char *name = "transpose_blocks";
    Var x{"x"}, y{"y"}, i{"i"}, j{"j"}, b{"b"};
    Func in, tile{"tile"}, out{"out"};
    RDom r;  // step in a block: x, y; pixel in a step: x, y; block: b, low digit of y, high digit of y
    BlockShape shape;

    TransposeBlocks(Func image, Expr width, Expr height, Expr pitch, BlockShape s) : in(image), shape(s) {
        // A row of the output may begin up to aligned - 1 pixels inside its first block.
        const Expr columns = ceil_div(width + shape.aligned - 1, shape.width),
                   rows = ceil_div(height, shape.height);
        auto left = [&](Expr b, Expr y) { return (shape.diagonal ? (b + y) % columns : b) * shape.width; };
        tile(i, j, b, y) = in(min(y * shape.height + j, height - 1), clamp(left(b, y) + i, 0, width - 1));

        // The number of a row of blocks has two digits: a grid of thread blocks may end at 65535 along one
        // dimension.
        const int base = 32768;
        r = RDom(std::vector<Halide::Range>{{0, shape.width / shape.across}, {0, shape.height / shape.down},
                     {0, shape.across}, {0, shape.down}, {0, columns}, {0, min(rows, base)},
                     {0, ceil_div(rows, base)}},
            "r");
        const Expr block = r[4], row = r[6] * base + r[5], to_j = r[1] * shape.down + r[3],
                   to_y = row * shape.height + to_j;
        const Expr shift = shape.aligned > 1 ? (to_y * pitch) % shape.aligned : Expr(0);
        const Expr to_i = r[0] * shape.across + r[2] - shift, to_x = left(block, row) + to_i;
        r.where(below(to_x, width) && below(to_y, height));
        out(x, y) = Halide::undef(in.type());
        out(promised(to_x, width), promised(to_y, height)) = tile(to_i, to_j, block, row);
    }
};

}  // namespace tilewright
