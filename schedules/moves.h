#pragma once
#include "Halide.h"

// Scheduling moves that several operators use.
namespace tilewright {

// Tiles over blocks, a thread (xi, yi) an element of a tile. Blocks are counted along one axis, `block`: the second axis of a grid ends
// at 65535.
inline Halide::Func &tiles_over_blocks(Halide::Func &stage, const Halide::Var &x, const Halide::Var &y, const Halide::Var &block,
                                       const Halide::Var &xi, const Halide::Var &yi, int width, int height, Halide::TailStrategy tail) {
    const Halide::Var xo{"xo"}, yo{"yo"};
    return stage.tile(x, y, xo, yo, xi, yi, width, height, tail).fuse(xo, yo, block).gpu_blocks(block).gpu_threads(xi, yi);
}

}  // namespace tilewright
