#pragma once
// The schedule of transposed blocks on a GPU, for the operators that contain the form TransposeBlocks.
#include "generators/algorithms/transpose/blocks.h"
#include "schedules/schedule.h"

namespace tilewright {

// Each thread block transposes a tile through shared memory. The shared rows are `pad` pixels longer than the
// tile's, so that the pixels of a column are in different banks. Neighbouring threads read along the input's
// rows, and then write along the output's. Tiles are whole everywhere; pixels outside the image are not
// stored. The caller schedules the pure stage of `out`.
inline void tile_in_shared(TransposeBlocks &t, int pad) {
    const BlockShape &s = t.shape;
    const Halide::Var xo{"xo"}, yo{"yo"};
    t.out.update()
        .allow_race_conditions()
        .gpu_blocks(t.r[4], t.r[5], t.r[6])
        .gpu_threads(t.r[2], t.r[3])
        .unroll(t.r[0])
        .unroll(t.r[1]);
    t.tile.compute_at(t.out, t.r[4])
        .store_in(Halide::MemoryType::GPUShared)
        .align_storage(t.i, s.width + (s.aligned > 1 ? s.aligned : 0) + pad)
        .split(t.i, xo, t.i, s.down)
        .split(t.j, yo, t.j, s.across)
        .reorder(xo, yo, t.j, t.i)
        .gpu_threads(t.j, t.i)
        .unroll(xo)
        .unroll(yo);
}

}  // namespace tilewright
