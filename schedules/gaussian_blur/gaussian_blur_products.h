#pragma once
// The schedule of gaussian_blur on tensor cores.
#include "generators/algorithms/gaussian_blur/products/two_kernels.h"
#include "schedules/schedule.h"
#include "schedules/shared_moves.h"

namespace tilewright::gaussian_blur_products {

// A lane keeps its 32 sums in registers over all steps. It loads the words of taps and lines that a step
// multiplies before, 16 bytes at a time.
inline void sums_in_registers(BandedProducts &pass, LoopLevel lane) {
    Func sums = pass.sums;
    sums.compute_at(lane)
        .store_in(MemoryType::Register)
        .bound_extent(pass.j, 4)
        .bound_extent(pass.m, 2)
        .bound_extent(pass.q, 1)
        .bound_extent(pass.g, 1)
        .bound_extent(pass.line, 1)
        .bound_extent(pass.tile, 1)
        .unroll(pass.j)
        .unroll(pass.m);
    for (int update = 0; update < sums.num_update_definitions(); update++) {
        sums.update(update).unroll(pass.j).unroll(pass.m);
    }
    for (BandedProducts::Step &step : pass.steps) {
        const RVar k(step.k.x.name());
        sums.update(step.update).reorder(pass.j, pass.m, k);
        if (step.is_unrolled) {
            sums.update(step.update).unroll(k);
        }
        step.taps.compute_at(sums, k)
            .store_in(MemoryType::Register)
            .bound_extent(pass.v, 4)
            .vectorize(pass.v)
            .unroll(pass.m);
        step.words.compute_at(sums, k)
            .store_in(MemoryType::Register)
            .bound_extent(pass.n, 4)
            .bound_extent(pass.h, 2)
            .vectorize(pass.n)
            .unroll(pass.h);
    }
}

// Copies the words of lines that a group needs to shared memory, with 8 words of gap behind two words of the
// lines of all its tiles: so no two lanes read or write words of one bank. A lane copies two words of four
// lines at a time.
inline void lines_in_shared(
    const GaussianBlurProducts &blur, Func words, LoopLevel group, int lines, int outputs) {
    const Var uo{"uo"}, ui{"ui"}, kz{"kz"}, kx{"kx"}, lane{"loader"};
    words.compute_at(group)
        .store_in(MemoryType::GPUShared)
        .bound_extent(blur.n, 4)
        .bound_extent(blur.h, 2)
        .bound_extent(blur.u, 8 * lines)
        .bound(blur.b, 0, blur.group.bytes)
        .reorder_storage(blur.n, blur.u, blur.h, blur.k, blur.b, blur.c)
        .align_storage(blur.u, 8 * lines + 1)
        .split(blur.u, uo, ui, 8)
        .split(blur.k, blur.k, kz, 4 * outputs, TailStrategy::GuardWithIf)
        .split(kz, kz, kx, 4)
        .reorder(blur.n, blur.h, blur.b, blur.k, ui, kx, uo, kz, blur.c)
        .fuse(ui, kx, lane)
        .gpu_threads(lane, uo, kz)
        .vectorize(blur.n)
        .unroll(blur.h)
        .unroll(blur.b);
}

// The second kernel: a warp computes a tile, and a thread block a group of them. The bytes go to out through
// shared memory, because a lane that stores nothing must take part in products too.
inline void pass_along_rows(GaussianBlurProducts &blur, int lines, int outputs) {
    const auto of_places = [&](int n) { return RVar(blur.to[n].name()); };
    const RVar of_line = of_places(0), part = of_places(1), of_numbers = of_places(2), word = of_places(3),
               of_lines = of_places(4), line = of_places(5), tile = of_places(6), group = of_places(7),
               group_of_band = of_places(8);
    const RVar worker{"worker"};
    const Var lane{"lane"};
    undefined_on_gpu(blur.out);
    blur.out.update()
        .allow_race_conditions()
        .fuse(word, of_lines, worker)
        .gpu_threads(worker, line, tile)
        .gpu_blocks(group, group_of_band)
        .unroll(of_numbers)
        .unroll(part)
        .unroll(of_line);
    blur.out.never_partition_all();
    BandedProducts &along = blur.along;
    blur.along_words.compute_at(blur.out, group)
        .store_in(MemoryType::GPUShared)
        .bound_extent(blur.n, 8)
        .bound(blur.b, 0, blur.group.bytes)
        .bound_extent(along.q, 4)
        .bound_extent(along.g, 8)
        .bound_extent(along.line, lines)
        .bound_extent(along.tile, outputs)
        .bound(along.block, 0, blur.group.channels)
        .reorder_storage(along.g, along.q, blur.n, along.line, along.tile, blur.b, along.block)
        .reorder(blur.n, blur.b, along.q, along.g, along.line, along.tile, along.block)
        .fuse(along.q, along.g, lane)
        .gpu_threads(lane, along.line, along.tile)
        .unroll(blur.n)
        .unroll(blur.b);
    sums_in_registers(along, LoopLevel(blur.along_words, lane));
    lines_in_shared(blur, blur.along_lines, LoopLevel(blur.along_words, along.block), lines, outputs);
}

// The first kernel, in the same groups. Where words of a line come from at the left and right side is the
// same for all rows, so that it is computed once per thread block.
inline void pass_down_columns(GaussianBlurProducts &blur, int lines, int outputs) {
    const RVar band(blur.to[9].name());
    const Var lane{"lane"}, groups{"groups"}, lines_of_group{"lines_of_group"};
    BandedProducts &down = blur.down;
    blur.between.compute_at(blur.out, band)
        .bound(blur.n, 0, 4)
        .bound(down.g, 0, 8)
        .bound(blur.h, 0, 2)
        .bound(blur.b, 0, blur.group.bytes)
        .bound(blur.c, 0, blur.group.channels)
        .bound(down.q, 0, 4)
        .split(down.line, groups, down.line, lines, TailStrategy::RoundUp)
        .split(down.tile, lines_of_group, down.tile, outputs, TailStrategy::RoundUp)
        .reorder(blur.n, blur.h, blur.b, down.q, down.g, down.line, down.tile, blur.c, groups, lines_of_group)
        .fuse(down.q, down.g, lane)
        .gpu_threads(lane, down.line, down.tile)
        .gpu_blocks(groups, lines_of_group)
        .vectorize(blur.n)
        .unroll(blur.h)
        .unroll(blur.b);
    blur.down_words.compute_at(blur.between, lane)
        .store_in(MemoryType::Register)
        .bound_extent(blur.n, 4)
        .bound_extent(blur.h, 2)
        .bound_extent(blur.b, blur.group.bytes)
        .unroll(blur.n)
        .unroll(blur.h)
        .unroll(blur.b);
    sums_in_registers(down, LoopLevel(blur.between, lane));
    lines_in_shared(blur, blur.down_lines, LoopLevel(blur.between, blur.c), lines, outputs);
    blur.columns.compute_at(blur.down_lines, blur.k)
        .store_in(MemoryType::Register)
        .unroll(blur.n)
        .unroll(blur.h)
        .unroll(blur.b);
    blur.source.compute_at(blur.down_lines, blur.k)
        .store_in(MemoryType::Register)
        .bound_extent(blur.x, blur.group.planes())
        .unroll(blur.x)
        .unroll(blur.y);
    for (Func numbers : {blur.words.column, blur.words.picks}) {
        numbers.compute_at(blur.between, groups)
            .store_in(MemoryType::GPUShared)
            .bound_extent(blur.words.x, 8 * lines * blur.group.planes())
            .gpu_threads(blur.words.x);
    }
    blur.words.picks.unroll(blur.words.c);
}

// Two kernels, one per pass, for one band of rows after another.
inline void products(GaussianBlurProducts &blur, ScheduleContext &context) {
    pass_along_rows(blur, context["lines"], context["outputs"]);
    pass_down_columns(blur, context["lines"], context["outputs"]);
}

}  // namespace tilewright::gaussian_blur_products
