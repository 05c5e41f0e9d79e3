#pragma once
// The documented steps of transpose on a GPU, from the slow one to the fast one (docs/steps). They are
// schedules of the definition. A grid of thread blocks has two dimensions, as the published kernels have it,
// and three where blocks walk along diagonals.
#include "generators/algorithms/transpose/transpose.h"
#include "schedules/diagonal_blocks.h"
#include "schedules/schedule.h"
#include "schedules/shared_moves.h"

namespace tilewright::transpose_steps {

inline const Var xi{"xi"}, yi{"yi"}, xo{"xo"}, yo{"yo"}, xs{"xs"}, ys{"ys"}, xp{"xp"}, yp{"yp"},
    block{"block"};

// One thread per pixel, from global memory to global memory. Neighbouring threads read neighbouring pixels of
// a row, and write pixels that are one row of the output apart from each other.
inline void direct(Transpose &t, ScheduleContext &context) {
    from_origin(context.buffers);
    t.out.tile(t.x, t.y, xo, yo, xi, yi, context["height"], context["width"], TailStrategy::GuardWithIf)
        .reorder(yi, xi, yo, xo)
        .gpu_blocks(yo, xo)
        .gpu_threads(yi, xi);
}

// The mirror image of `direct`. Neighbouring threads read pixels that are one row of the input apart from
// each other, and write neighbouring pixels of a row.
inline void direct_mirrored(Transpose &t, ScheduleContext &context) {
    from_origin(context.buffers);
    t.out.tile(t.x, t.y, xo, yo, xi, yi, context["width"], context["height"], TailStrategy::GuardWithIf)
        .gpu_blocks(xo, yo)
        .gpu_threads(xi, yi);
}

// The threads of a block, `across` x `down` of them, write the tile (xi, yi) along the rows of the output.
inline void threads_along_rows(Halide::Stage out, ScheduleContext &context, const Var &level) {
    out.split(xi, xs, xi, context["across"], TailStrategy::GuardWithIf)
        .split(yi, ys, yi, context["down"], TailStrategy::GuardWithIf)
        .reorder(xs, ys, xi, yi, level)
        .gpu_threads(xi, yi)
        .unroll(xs)
        .unroll(ys)
        .never_partition_all();
}

// The same threads read the tile of the input along its rows, into shared memory, where its rows are `pad`
// pixels longer. `level` is the innermost loop over thread blocks.
inline void tile_in_shared(Transpose &t, ScheduleContext &context, const Var &level, int pad) {
    const int tile = context["tile"];
    Func read = t.in.in(t.out);
    const Var x = read.args()[0], y = read.args()[1];
    read.compute_at(t.out, level)
        .store_in(MemoryType::GPUShared)
        .bound_storage(x, tile + pad)  // where a tile crosses an edge, its size is known only at run time
        .bound_storage(y, tile)
        .split(x, xs, x, context["across"], TailStrategy::GuardWithIf)
        .split(y, ys, y, context["down"], TailStrategy::GuardWithIf)
        .reorder(xs, ys, x, y)
        .gpu_threads(x, y)
        .never_partition_all();
}

// Thread blocks in the order of the input's memory.
inline void tiles_in_rows(Transpose &t, ScheduleContext &context, int pad) {
    const int tile = context["tile"];
    from_origin(context.buffers);
    t.out.tile(t.x, t.y, xo, yo, xi, yi, tile, tile, TailStrategy::GuardWithIf)
        .reorder(xi, yi, yo, xo)
        .gpu_blocks(yo, xo);
    threads_along_rows(t.out, context, yo);
    tile_in_shared(t, context, yo, pad);
}

// Thread blocks along the diagonals of squares of tiles.
//
// Images of at least one tile are a case of their own. There, tiles that would cross an edge move inwards, so
// that every tile has the same size; Halide does not see a bound of the size of a tile that was cut and whose
// place is the remainder of a division, and such a tile costs two barriers and a loop.
inline void tiles_in_diagonals(Transpose &t, ScheduleContext &context, int pad) {
    const int tile = context["tile"], square = context["square"];
    from_origin(context.buffers);
    const auto in_diagonals = [&](Halide::Stage out, TailStrategy at_edges) {
        out.tile(t.x, t.y, xo, yo, xi, yi, tile, tile, at_edges);
        blocks_along_diagonals(out, xo, yo, block, square);
        threads_along_rows(out, context, block);
    };
    const Halide::OutputImageParam out = context.buffers[1];
    in_diagonals(t.out.specialize(out.width() >= tile && out.height() >= tile), TailStrategy::ShiftInwards);
    in_diagonals(t.out, TailStrategy::GuardWithIf);
    tile_in_shared(t, context, block, pad);
}

// A tile passes through shared memory: reads and writes of global memory are both along rows.
inline void shared(Transpose &t, ScheduleContext &context) {
    tiles_in_rows(t, context, 0);
}

// As `shared`, with longer rows in shared memory, so that the pixels of a column are in different banks.
inline void padded(Transpose &t, ScheduleContext &context) {
    tiles_in_rows(t, context, context["pad"]);
}

// As `padded`, with the thread blocks along diagonals, so that blocks which run at the same time write to
// different partitions of the memory.
inline void diagonal(Transpose &t, ScheduleContext &context) {
    tiles_in_diagonals(t, context, context["pad"]);
}

// As `diagonal`, without the longer rows.
inline void diagonal_unpadded(Transpose &t, ScheduleContext &context) {
    tiles_in_diagonals(t, context, 0);
}

// One thread per patch of 4 x 4 pixels, in registers: it reads four vectors of four pixels along the rows of
// the input, and writes four along the rows of the output. For images of whole patches with aligned rows.
inline void vector4_aligned(Transpose &t, ScheduleContext &context) {
    from_origin(context.buffers);
    t.out.tile(t.x, t.y, xp, yp, xi, yi, 4, 4)
        .tile(xp, yp, xo, yo, xp, yp, context["across"], context["down"], TailStrategy::GuardWithIf)
        .reorder(xi, yi, xp, yp, xo, yo)
        .vectorize(xi)
        .unroll(yi)
        .gpu_blocks(xo, yo)
        .gpu_threads(xp, yp)
        .never_partition_all();  // LLVM in Halide 21 stops at the parts for patches of bytes on CUDA
    Func read = t.in.in(t.out);
    read.compute_at(t.out, xp)
        .store_in(MemoryType::Register)
        .vectorize(read.args()[0])
        .unroll(read.args()[1]);
    for (size_t i : {0, 1}) {
        Halide::OutputImageParam &buffer = context.buffers[i];
        buffer.set_host_alignment(4 * t.in.type().bytes());
        buffer.dim(0).set_extent(multiple_of(4, buffer.dim(0).extent()));
        buffer.dim(1).set_extent(multiple_of(4, buffer.dim(1).extent()));
        buffer.dim(1).set_stride(multiple_of(4, buffer.dim(1).stride()));
    }
}

// One thread per patch of 4 x 4 pixels, which it moves one by one: for images whose rows are not whole
// vectors.
inline void vector4_any(Transpose &t, ScheduleContext &context) {
    from_origin(context.buffers);
    t.out
        .tile(t.x, t.y, xo, yo, xp, yp, 4 * context["across"], 4 * context["down"], TailStrategy::GuardWithIf)
        .tile(xp, yp, xp, yp, xi, yi, 4, 4)
        .gpu_blocks(xo, yo)
        .gpu_threads(xp, yp)
        .unroll(xi)
        .unroll(yi);
}

}  // namespace tilewright::transpose_steps
