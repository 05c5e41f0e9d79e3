#pragma once
#include "Halide.h"

namespace tilewright {

// How the blocks of TransposeBlocks lie over the output, in pixels.
struct BlockShape {
    int width, height;  // of a block
    int across, down;   // a block is covered by steps of across x down
    int aligned;        // a row of a block begins where its place in memory is a multiple of this
    bool diagonal;      // in block row y, the walk begins y blocks further to the right, and wraps around
};

// out(x, y) = in(y, x), block by block: pixel (i, j) of the b-th block that is walked in block row y is tile(i, j, b, y). The image is repeated
// beyond its edges, so that every tile is whole; what lies outside is not stored. `pitch` is the distance of the output's rows in pixels.
struct TransposeBlocks : Halide::NamesInterface {
    static constexpr const char *name = "transpose_blocks";
    Var x{"x"}, y{"y"}, i{"i"}, j{"j"}, b{"b"};
    Func in, tile{"tile"}, out{"out"};
    RDom r;  // steps in a block: x, y; pixel in a step: x, y; block: b, y low, y high
    BlockShape shape;

    TransposeBlocks(Func image, Expr width, Expr height, Expr pitch, BlockShape s) : in(image), shape(s) {
        const Expr columns = (width + shape.aligned - 1 + shape.width - 1) / shape.width, rows = (height + shape.height - 1) / shape.height;
        auto left = [&](Expr b, Expr y) { return (shape.diagonal ? (b + y) % columns : b) * shape.width; };
        tile(i, j, b, y) = in(min(y * shape.height + j, height - 1), clamp(left(b, y) + i, 0, width - 1));

        const int most = 32768;  // values of `y low`
        r = RDom(std::vector<Halide::Range>{{0, shape.width / shape.across}, {0, shape.height / shape.down}, {0, shape.across}, {0, shape.down},
                                            {0, columns}, {0, min(rows, most)}, {0, (rows + most - 1) / most}}, "r");
        const Expr block = r[4], row = r[6] * most + r[5], to_j = r[1] * shape.down + r[3], to_y = row * shape.height + to_j;
        const Expr shift = shape.aligned > 1 ? (to_y * pitch) % shape.aligned : Expr(0);
        const Expr to_i = r[0] * shape.across + r[2] - shift, to_x = left(block, row) + to_i;
        r.where(inside(to_x, width) && inside(to_y, height));
        out(x, y) = Halide::undef(in.type());
        out(unsafe_promise_clamped(to_x, 0, width - 1), unsafe_promise_clamped(to_y, 0, height - 1)) = tile(to_i, to_j, block, row);
    }

private:
    // 0 <= i < n in one comparison, which says nothing to Halide's bounds of `tile`: it stays whole.
    static Expr inside(Expr i, Expr n) {
        return cast<uint32_t>(i) < cast<uint32_t>(n);
    }
};

}  // namespace tilewright
