#pragma once
// The schedule of gaussian_blur on tensor cores in one kernel.
#include "generators/algorithms/gaussian_blur/products/fused.h"
#include "schedules/gaussian_blur/gaussian_blur_products.h"

namespace tilewright::gaussian_blur_products {

// The least power of two that is not below n.
inline int power_of_two(int n) {
    int power = 1;
    while (power < n) {
        power *= 2;
    }
    return power;
}

// A lane loads eight rows of words, and stores the words of their columns, 16 bytes at a time, with gaps so
// that no two lanes read or write words of one bank. A step loads 32 rows, into the places of those that no
// later step reads.
inline void lines_in_shared(GaussianBlurFusedProducts &blur, const RVar &step, const RVar &group) {
    const int words = 8 * blur.group.tiles, channels = blur.group.channels;
    const Var lane{"loader"}, warp{"warp"}, four{"four"};
    blur.lines.compute_at(blur.out, step)
        .store_at(blur.out, group)
        .store_in(MemoryType::GPUShared)
        .bound(blur.n, 0, 4)
        .bound(blur.h, 0, 2)
        .bound(blur.u, 0, words)
        .bound(blur.c, 0, channels)
        .bound(blur.b, 0, blur.group.bytes)
        .reorder_storage(blur.n, blur.u, blur.h, blur.k, blur.c, blur.b, blur.block, blur.below_others)
        .align_storage(blur.u, words + 1)
        .fold_storage(blur.k, power_of_two(blur.group.window() / 2))
        .split(blur.u, blur.u, lane, 32)
        .split(blur.k, blur.k, four, 4)
        .reorder(blur.n, blur.h, blur.c, blur.b, lane, blur.u, four, blur.k)
        .fuse(blur.u, four, warp)
        .gpu_threads(lane, warp)
        .vectorize(blur.n)
        .unroll(blur.h)
        .unroll(blur.c)
        .unroll(blur.b);
    blur.columns.compute_at(blur.lines, lane)
        .store_in(MemoryType::Register)
        .unroll(blur.n)
        .unroll(blur.h)
        .unroll(blur.c)
        .unroll(blur.b);
    blur.source.compute_at(blur.lines, lane)
        .store_in(MemoryType::Register)
        .bound_extent(blur.x, blur.group.planes())
        .bound_extent(blur.r, 8)
        .bound_extent(blur.k, 1)
        .unroll(blur.x)
        .unroll(blur.r);
    blur.source.update().reorder(blur.outside_row, blur.x, blur.k).unroll(blur.x).unroll(blur.outside_row);
}

// The taps of all steps that the longest window has.
inline void taps_in_group(GaussianBlurFusedProducts &blur, const RVar &group) {
    const Var of_step{"of_step"};
    for (size_t byte = 0; byte < blur.taps.size(); byte++) {
        blur.taps[byte]
            .compute_at(blur.out, group)
            .store_in(MemoryType::GPUShared)
            .bound(blur.v, 0, 4)
            .bound(blur.worker, 0, 32)
            .bound(blur.m, 0, 2)
            .bound(blur.k, 0, blur.group.steps_of((int)byte))
            .fuse(blur.m, blur.k, of_step)
            .gpu_threads(blur.worker, of_step)
            .vectorize(blur.v);
    }
}

inline void zero_in_shared(GaussianBlurFusedProducts &blur, const RVar &group) {
    blur.zero.compute_at(blur.out, group)
        .store_in(MemoryType::GPUShared)
        .bound(blur.v, 0, 4)
        .gpu_threads(blur.v);
}

// The pass down columns: a warp computes a tile of a step, of all channels.
inline void rows_in_shared(GaussianBlurFusedProducts &blur, const RVar &step) {
    const Var lane{"lane"}, tile{"tile"}, q{"q"};
    const int bytes = blur.group.bytes, channels = blur.group.channels;
    blur.between.compute_at(blur.out, step)
        .store_in(MemoryType::GPUShared)
        .bound(blur.n, 0, 4)
        .bound(blur.g, 0, 8)
        .bound(blur.h, 0, 2)
        .bound(blur.u, 0, 4 * blur.group.tiles)
        .bound(blur.c, 0, channels)
        .bound(blur.b, 0, bytes)
        .align_storage(blur.g, 9)
        .split(blur.u, tile, q, 4)
        .reorder(blur.n, blur.h, blur.b, blur.c, q, blur.g, tile)
        .fuse(q, blur.g, lane)
        .gpu_threads(lane, tile)
        .vectorize(blur.n)
        .unroll(blur.h)
        .unroll(blur.b);
    blur.down_words.compute_at(blur.between, blur.c)
        .store_in(MemoryType::Register)
        .bound_extent(blur.n, 4)
        .bound_extent(blur.h, 2)
        .bound_extent(blur.b, bytes)
        .bound_extent(blur.down.q, 1)
        .bound_extent(blur.down.line, 1)
        .unroll(blur.n)
        .unroll(blur.h)
        .unroll(blur.b);
    sums_in_registers(blur.down, LoopLevel(blur.between, blur.c));
}

// The pass along rows: a lane stores its results from registers.
inline void fused(GaussianBlurFusedProducts &blur, ScheduleContext &context) {
    const auto place = [&](int n) { return RVar(blur.to[n].name()); };
    const RVar row = place(0), word = place(1), part = place(2), of_q = place(3), of_g = place(4),
               tile = place(5), step = place(6), group = place(7), strip = place(8), worker{"worker"};
    const int bytes = blur.group.bytes, channels = blur.group.channels;
    undefined_on_gpu(blur.out);
    blur.out.update()
        .allow_race_conditions()
        .fuse(of_q, of_g, worker)
        .gpu_threads(worker, tile)
        .gpu_blocks(group, strip)
        .unroll(part)
        .unroll(word)
        .unroll(row);
    blur.out.never_partition_all();

    blur.along_words.compute_at(blur.out, worker)
        .store_in(MemoryType::Register)
        .bound_extent(blur.i, 8)
        .bound_extent(blur.b, bytes)
        .bound_extent(blur.along.q, 1)
        .bound_extent(blur.along.g, 1)
        .bound_extent(blur.along.line, 1)
        .bound_extent(blur.along.tile, 1)
        .bound_extent(blur.along.block, channels)
        .unroll(blur.i)
        .unroll(blur.b)
        .unroll(blur.along.block);
    sums_in_registers(blur.along, LoopLevel(blur.along_words, blur.along.block));

    rows_in_shared(blur, step);
    lines_in_shared(blur, step, group);
    if (context.configuration<GaussianBlurProductsConfiguration>().ahead) {
        context.load_ahead(blur.source);
    }
    taps_in_group(blur, group);
    zero_in_shared(blur, group);
}

}  // namespace tilewright::gaussian_blur_products
