#pragma once
// The schedules of recursive_gaussian in tiles whose columns are filtered first, for GPUs: five kernels. What
// recursive_gaussian_tiles.h says of threads and of unrolled loops holds here too.
#include "generators/algorithms/recursive_gaussian/edges.h"
#include "schedules/recursive_gaussian/recursive_gaussian_tiles.h"
#include "schedules/schedule.h"
#include "schedules/shared_moves.h"
#include <vector>

namespace tilewright {

namespace recursive_gaussian_edges {

using Halide::Func;
using Halide::LoopLevel;
using Halide::MemoryType;
using Halide::OutputImageParam;
using Halide::RVar;
using Halide::TailStrategy;
using Halide::Var;
using recursive_gaussian_tiles::in_registers;
using recursive_gaussian_tiles::sums_in_registers;
using recursive_gaussian_tiles::thread_per_line;

// Filters the columns of a tile in registers, one thread per column, and stores them in shared memory.
inline void columns_to_shared(
    RecursiveGaussianEdges &blur, TileFilters filters, Func rows, const LoopLevel &block) {
    rows.compute_at(block)
        .store_in(MemoryType::GPUShared)
        .align_storage(blur.i, blur.columns + 4)
        .bound_extent(blur.i, blur.columns)
        .bound_extent(blur.v, blur.rows)
        .reorder(blur.v, blur.i)
        .unroll(blur.v)
        .gpu_threads(blur.i);
    in_registers(filters, rows, blur.i);
}

// Reads what a thread needs of `f` into its registers, 16 bytes at a time.
inline void vectors_in_registers(Func f, const LoopLevel &thread) {
    f.compute_at(thread).vectorize(f.args()[0], 4).unroll(f.args()[0]);
}

// The tunables. steps: as in recursive_gaussian_tiles.h. vectors: whether the scan along x stores a state by
// one access of 16 bytes, or by three of 4 bytes, whose values the compiler keeps in registers for the next
// step.
inline std::vector<Tunable> settings() {
    return {{"steps", 16, 4, 32}, {"vectors", 1, 0, 1}};
}

// The states at the edges between tiles, along x: one thread per row of the image and direction.
inline void scan_rows(RecursiveGaussianEdges &blur, bool vectors) {
    const Var lines{"lines"}, line{"line"};
    const RVar k = blur.scan[0], step = blur.scan[1], batch = blur.scan[2], side = blur.scan[3];
    undefined_on_gpu(blur.states);
    Halide::Stage scan = blur.states.update();
    scan.allow_race_conditions()
        .split(blur.y, lines, line, 64, TailStrategy::GuardWithIf)
        .reorder(k, step, batch, line, lines, side)
        .unroll(step)
        .gpu_blocks(lines, side)
        .gpu_threads(line)
        .never_partition(line, lines, side);
    vectors ? scan.vectorize(k) : scan.unroll(k);
}

inline void tiles(RecursiveGaussianEdges &blur, ScheduleContext &context) {
    const Var i = blur.i, v = blur.v, k = blur.k, t = blur.t, g = blur.g, block{"block"};
    blur.sums.reorder(k, v, t, g).unroll(k).fuse(t, g, block).gpu_blocks(block).gpu_threads(v);
    sums_in_registers(blur.of_tiles[0], LoopLevel(blur.sums, v), false);
    thread_per_line(blur.carries[0]);

    const RVar word = blur.all[0], side = blur.all[1], line = blur.all[2], tile = blur.all[3];
    undefined_on_gpu(blur.tails);
    blur.tails.update()
        .allow_race_conditions()
        .reorder(word, side, line, tile, blur.all[4])
        .vectorize(word)
        .unroll(side)
        .gpu_blocks(tile, blur.all[4])
        .gpu_threads(line);
    sums_in_registers(blur.of_tiles[1], LoopLevel(blur.tails, line), true);
    columns_to_shared(blur, blur.filters[0], blur.row_to_sum, LoopLevel(blur.tails, tile));
    scan_rows(blur, context["vectors"]);

    const RVar to_y = blur.pixels.x, to_x = blur.pixels.y, to_tile = blur.pixels.z;
    undefined_on_gpu(blur.out);
    blur.out.update()
        .allow_race_conditions()
        .reorder(to_y, to_x, to_tile, blur.pixels.w)
        .gpu_blocks(to_tile, blur.pixels.w)
        .gpu_threads(to_x)
        .unroll(to_y, 8);
    blur.filtered.compute_at(blur.out, to_tile)
        .store_in(MemoryType::GPUShared)
        .align_storage(i, blur.columns + 4)
        .bound_extent(i, blur.columns)
        .bound_extent(v, blur.rows)
        .vectorize(i, 4)
        .unroll(i)
        .gpu_threads(v);
    in_registers(blur.filters[2], blur.filtered, v);
    vectors_in_registers(blur.entering, LoopLevel(blur.filtered, v));
    blur.entering.bound_extent(k, 4).unroll(blur.dir);
    vectors_in_registers(
        blur.row.in({blur.filters[2].causal, blur.filters[2].anticausal}), LoopLevel(blur.filtered, v));
    columns_to_shared(blur, blur.filters[1], blur.row, LoopLevel(blur.out, to_tile));
    blur.out.never_partition_all();

    // 16 bytes of tails and of states are one access. The front only calls these variants for such memory.
    for (const OutputImageParam &words : {context.buffers[2], context.buffers[3]}) {
        OutputImageParam buffer = words;
        buffer.set_host_alignment(16);
        buffer.dim(1).set_stride(multiple_of(4, buffer.dim(1).stride()));
    }
}

}  // namespace recursive_gaussian_edges

}  // namespace tilewright
