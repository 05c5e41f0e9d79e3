#pragma once
// The schedule of gaussian_blur on tensor cores in one kernel.
#include "generators/algorithms/gaussian_blur/products/fused.h"
#include "schedules/gaussian_blur/gaussian_blur_products.h"

namespace tilewright {

namespace gaussian_blur_products {

// A lane loads four rows of words, and stores the words of their columns, 16 bytes at a time.
inline void lines_in_shared(GaussianBlurFusedProducts &blur, const RVar &strip) {
    const int words = 8 * blur.tiles, channels = blur.pixel.channels;
    const Var lane{"loader"}, warp{"warp"}, eight{"eight"}, two{"two"};
    blur.lines.compute_at(blur.out, strip)
        .store_in(MemoryType::GPUShared)
        .bound(blur.j, 0, 4)
        .bound(blur.u, 0, words)
        .bound(blur.c, 0, channels)
        .bound(blur.b, 0, blur.pixel.bytes)
        .align_storage(blur.u, words + 2)
        .split(blur.u, blur.u, lane, 32)
        .split(blur.k, blur.k, eight, 8)
        .split(eight, eight, two, 2)
        .reorder(blur.j, two, blur.c, blur.b, blur.k, lane, blur.u, eight)
        .fuse(blur.u, eight, warp)
        .gpu_threads(lane, warp)
        .vectorize(blur.j)
        .unroll(two)
        .unroll(blur.c)
        .unroll(blur.b);
    blur.columns.compute_at(blur.lines, blur.k)
        .store_in(MemoryType::Register)
        .bound_extent(blur.k, 2)
        .unroll(blur.j)
        .unroll(blur.k)
        .unroll(blur.c)
        .unroll(blur.b);
    blur.source.compute_at(blur.lines, blur.k)
        .store_in(MemoryType::Register)
        .bound_extent(blur.x, blur.pixel.planes())
        .bound_extent(blur.y, 8)
        .unroll(blur.x)
        .unroll(blur.y);
}

// The steps are unrolled: Halide 21 gives `blurred` the memory of `lines` in a loop, where the next step
// still reads them.
inline void fused(GaussianBlurFusedProducts &blur, ScheduleContext &) {
    const auto place = [&](int n) { return RVar(blur.to[n].name()); };
    const RVar row = place(0), part = place(1), word = place(2), words = place(3), rows = place(4),
               step = place(5), strip = place(6), group = place(7), warp{"warp"};
    const Var lane{"lane"}, tile{"tile"}, n{"n"}, e{"e"}, q{"q"};
    const int tiles = blur.tiles * blur.pixel.channels, bytes = blur.pixel.bytes;
    undefined_on_gpu(blur.out);
    blur.out.update()
        .allow_race_conditions()
        .fuse(words, rows, warp)
        .gpu_threads(word, warp)
        .gpu_blocks(strip, group)
        .unroll(step)
        .unroll(part)
        .unroll(row);
    blur.out.never_partition_all();

    blur.blurred.compute_at(blur.out, step)
        .store_in(MemoryType::GPUShared)
        .bound(blur.g, 0, 8)
        .bound(blur.tile, 0, tiles)
        .bound(blur.n, 0, 8)
        .bound(blur.q, 0, 4)
        .bound(blur.b, 0, bytes)
        .align_storage(blur.q, 5)
        .reorder_storage(blur.g, blur.q, blur.tile, blur.n, blur.b, blur.step, blur.block)
        .reorder(blur.n, blur.b, blur.q, blur.g, blur.tile)
        .fuse(blur.q, blur.g, lane)
        .gpu_threads(lane, blur.tile)
        .unroll(blur.n)
        .unroll(blur.b);
    sums_in_registers(blur.along, LoopLevel(blur.blurred, lane));

    blur.between.compute_at(blur.out, step)
        .store_in(MemoryType::GPUShared)
        .bound(blur.i, 0, 4)
        .bound(blur.g, 0, 8)
        .bound(blur.u, 0, 8 * tiles)
        .bound(blur.b, 0, bytes)
        .align_storage(blur.g, 10)
        .split(blur.u, tile, n, 8)
        .split(n, q, e, 2)
        .reorder(blur.i, e, blur.b, q, blur.g, tile)
        .fuse(q, blur.g, lane)
        .gpu_threads(lane, tile)
        .vectorize(blur.i)
        .unroll(e)
        .unroll(blur.b);
    blur.down_words.compute_at(blur.between, lane)
        .store_in(MemoryType::Register)
        .bound_extent(blur.i, 4)
        .bound_extent(blur.e, 2)
        .bound_extent(blur.b, bytes)
        .bound_extent(blur.down.q, 1)
        .bound_extent(blur.down.line, 1)
        .unroll(blur.i)
        .unroll(blur.e)
        .unroll(blur.b);
    sums_in_registers(blur.down, LoopLevel(blur.between, lane));
    lines_in_shared(blur, strip);
}

}  // namespace gaussian_blur_products

}  // namespace tilewright
