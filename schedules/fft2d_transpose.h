#pragma once
#include "generators/algorithms/fft2d/transpose.h"
#include "schedules/schedule.h"

namespace tilewright {

// A tile goes through shared memory, whose rows are longer by one: whole rows are read, and whole rows are written. Blocks are counted
// along one axis; sides are multiples of the tile's.
inline void turned_in_shared(Fft2dTurn &t, Site &site) {
    const int tile = site["tile"];
    Halide::Var xo{"xo"}, yo{"yo"}, xi{"xi"}, yi{"yi"}, block{"block"};
    t.out.tile(t.x, t.y, xo, yo, xi, yi, tile, tile).fuse(xo, yo, block).gpu_blocks(block).gpu_threads(xi, yi);
    Halide::Func read = t.in.in(t.out);
    const Halide::Var along = read.args()[0], across = read.args()[1];
    read.compute_at(t.out, block).store_in(Halide::MemoryType::GPUShared).align_storage(along, tile + 1).gpu_threads(along, across);
    for (Halide::OutputImageParam &field : site.buffers) {
        field.set_host_alignment(8);
        for (int d : {0, 1}) {
            field.dim(d).set_extent((field.dim(d).extent() / tile) * tile);
        }
    }
}

}  // namespace tilewright
