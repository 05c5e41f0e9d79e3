#pragma once
// The schedule of the transpose between passes of a Fourier transform, for the tables of fft2d and fresnel.
#include "generators/algorithms/fft2d/transpose.h"
#include "schedules/schedule.h"
#include "schedules/shared_moves.h"

namespace tilewright {

// Each thread block transposes a tile through shared memory: it reads whole rows, and writes whole rows. The
// shared rows are one element longer than the tile's, so that the elements of a column are in different
// banks. Thread blocks are counted along one axis. The sides of the image are at least those of the tile; the
// last tiles begin earlier where they are no multiples.
inline void transposed_in_shared(Fft2dTranspose &t, ScheduleContext &context) {
    const int tile = context["tile"];
    Halide::Var xo{"xo"}, yo{"yo"}, xi{"xi"}, yi{"yi"}, block{"block"};
    t.out.tile(t.x, t.y, xo, yo, xi, yi, tile, tile)
        .fuse(xo, yo, block)
        .gpu_blocks(block)
        .gpu_threads(xi, yi);
    Halide::Func read = t.in.in(t.out);
    const Halide::Var along = read.args()[0], across = read.args()[1];
    read.compute_at(t.out, block)
        .store_in(Halide::MemoryType::GPUShared)
        .align_storage(along, tile + 1)
        .gpu_threads(along, across);
    for (Halide::OutputImageParam &field : context.buffers) {
        field.set_host_alignment(8);
    }
}

}  // namespace tilewright
