#pragma once
// The schedule of gaussian_blur for u16 on tensor cores by warps that share nothing.
#include "generators/algorithms/gaussian_blur/products/halves.h"
#include "schedules/gaussian_blur/gaussian_blur_gpu.h"
#include "schedules/gaussian_blur/worker_registers.h"
#include "schedules/schedule.h"
#include <string>
#include <vector>

namespace tilewright::gaussian_blur_products {

// The sums of a pass. `loops`: of the sums, from the innermost on, which are within that over the entries.
inline void multiply_in_registers(const GaussianBlurHalfProducts &blur, GaussianBlurHalfProducts::Pass &pass,
    const Halide::LoopLevel &level, const std::vector<Extent> &loops) {
    Halide::Func sums = pass.sums;
    in_registers(blur, sums, level, loops);
    for (int update = 0; update < sums.num_update_definitions(); update++) {
        for (const auto &[dimension, elements] : loops) {
            sums.update(update).unroll(dimension);
        }
    }
    for (GaussianBlurHalfProducts::Pass::Step &step : pass.steps) {
        const Halide::RVar entry(step.entry.x.name());
        std::vector<Halide::VarOrRVar> order;
        for (const auto &[dimension, elements] : loops) {
            order.emplace_back(dimension);
        }
        order.insert(order.begin() + 1, entry);
        sums.update(step.update).reorder(order).unroll(entry);
        step.taps.compute_at(sums, entry)
            .store_in(Halide::MemoryType::Register)
            .bound_extent(blur.worker, 1)
            .bound_extent(blur.k, 1)
            .bound_extent(blur.v, 4)
            .vectorize(blur.v);
    }
}

// The units of 16 rows that a strip reads.
inline int row_units(const GaussianBlurHalfProducts &blur) {
    return (32 + 2 * blur.group.bands.reach) / 16;
}

// The pass down columns, and the ring, of which a worker reads only its own words.
inline void ring_in_shared(
    GaussianBlurHalfProducts &blur, const Halide::RVar &step, const Halide::RVar &segment) {
    using Halide::LoopLevel;
    const int steps = blur.group.bands.steps();
    blur.ring.compute_at(blur.out, step)
        .store_at(blur.out, segment)
        .store_in(Halide::MemoryType::GPUShared)
        .bound(blur.r, 0, 4)
        .bound(blur.p, 0, 2)
        .bound(blur.a, 0, 2)
        .bound_extent(blur.worker, 32 * blur.group.warps)
        .fold_storage(blur.unit, steps)
        .reorder(blur.r, blur.p, blur.a, blur.worker, blur.unit)
        .gpu_threads(blur.worker)
        .vectorize(blur.r)
        .unroll(blur.p)
        .unroll(blur.a);
    const LoopLevel worker(blur.ring, blur.worker), half(blur.ring, blur.a);
    in_registers(blur, blur.words, half, {{blur.r, 4}, {blur.p, 2}, {blur.a, 1}});
    multiply_in_registers(blur, blur.down, half, {{blur.j, 4}, {blur.a, 1}});
    in_registers(blur, blur.columns, worker, {{blur.j, 4}, {blur.p, 2}, {blur.u, row_units(blur)}});
    in_registers(blur, blur.source, worker, {{blur.r, 4}, {blur.u, row_units(blur)}});
    blur.source.bound_extent(blur.w, 2).vectorize(blur.w);
    blur.source.update()
        .reorder(blur.w, blur.outside_row, blur.u)
        .unroll(blur.w)
        .unroll(blur.outside_row)
        .unroll(blur.u);
}

// The pass along rows.
inline void pass_along(GaussianBlurHalfProducts &blur, const Halide::LoopLevel &worker) {
    in_registers(blur, blur.value, worker, {{blur.w, 2}, {blur.h, 2}, {blur.b, 2}, {blur.a, 2}});
    multiply_in_registers(blur, blur.along, worker, {{blur.h, 2}, {blur.b, 2}, {blur.a, 2}});
    in_registers(
        blur, blur.ring_words, worker, {{blur.p, 2}, {blur.a, 2}, {blur.k, blur.group.bands.steps()}});
    blur.ring_words.bound_extent(blur.r, 4).vectorize(blur.r);
}

inline void halves(GaussianBlurHalfProducts &blur, ScheduleContext &context) {
    const auto place = [&](int n) { return Halide::RVar(blur.to[n].name()); };
    const Halide::RVar word = place(0), h = place(1), b = place(2), a = place(3), part = place(4),
                       worker = place(5), step = place(6), segment = place(7), block = place(8);
    undefined_on_gpu(blur.out);
    blur.out.update()
        .allow_race_conditions()
        .reorder(word, h, b, a, part, worker, step, segment, block)
        .gpu_blocks(block, segment)
        .gpu_threads(worker)
        .vectorize(word)
        .unroll(h)
        .unroll(b)
        .unroll(a)
        .unroll(part);
    blur.out.never_partition_all();
    pass_along(blur, Halide::LoopLevel(blur.out, worker));
    ring_in_shared(blur, step, segment);
    taps_in_shared(blur, segment, (int)blur.group.bands.entries().size());
    const int of_rows = 32 * (blur.group.warps - 1) + 16 * row_units(blur);
    const Halide::Var of_row("of_row"), thread("of_thread");
    blur.rows.compute_at(blur.out, segment)
        .store_in(Halide::MemoryType::GPUShared)
        .bound_extent(blur.y, of_rows)
        .split(blur.y, of_row, thread, 16)
        .gpu_threads(thread)
        .unroll(of_row);
    context.load_ahead(blur.source);
    context.keep_in_own_memory(blur.ring);
    for (const Halide::OutputImageParam &buffer : context.buffers) {
        gaussian_blur_gpu::rows_of_16_bytes(buffer, 4);
    }
}

// u16 in one kernel without barriers, by what the taps reach. `resident`: the warps that a multiprocessor
// runs at once, all of which are one wave. 8192 x 8192 on an H200 (2026-11-30, ms), 128 / 168 registers:
// sigma 1 .112 / .121, sigma 2.25 .185 / .157; without loads ahead and with 128 registers .120 and .166, with
// 96 .121 and .182; blocks of 8 warps .113 and .179.
inline ScheduleVariants half_variants() {
    const auto made = [](int reach, int resident) {
        return variant("tuned_halves_" + std::to_string(reach), cuda, "u16", halves,
            GaussianBlurHalvesConfiguration{.reach = reach},
            {{"warps", 4, 1, 16}, {"resident", resident, 1, 64}})
            .serves("channels", {.least = 1, .most = 1})
            .says("One kernel, whose warps share nothing; the tensor cores multiply bytes by a band of "
                  "taps.");
    };
    return {made(8, 16).registers("", 128), made(16, 12).registers("", 168)};
}

}  // namespace tilewright::gaussian_blur_products
