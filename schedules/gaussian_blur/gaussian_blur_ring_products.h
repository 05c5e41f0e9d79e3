#pragma once
// The schedule of gaussian_blur for u8 on tensor cores with the image's bytes in registers.
#include "generators/algorithms/gaussian_blur/products/ring.h"
#include "schedules/gaussian_blur/worker_registers.h"
#include "schedules/schedule.h"
#include "schedules/shared_moves.h"
#include <string>
#include <vector>

namespace tilewright::gaussian_blur_products {

// The sums of a pass in registers, product by product.
inline void products_in_registers(const GaussianBlurRingProducts &blur, Halide::Func sums,
    const Halide::LoopLevel &level, const std::vector<Extent> &loops) {
    in_registers(blur, sums, level, loops);
    for (int update = 0; update < sums.num_update_definitions(); update++) {
        for (const Extent &loop : loops) {
            sums.update(update).unroll(loop.dimension);
        }
    }
}

// Of a Func whose values a group computes together.
inline void by_workers(const GaussianBlurRingProducts &blur, Halide::Func f) {
    f.bound_extent(blur.worker, 32 * blur.group.warps).gpu_threads(blur.worker);
}

// The pass along rows.
inline void pass_along(GaussianBlurRingProducts &blur, const Halide::LoopLevel &turn) {
    in_registers(blur, blur.value, turn, {{blur.w, 2}, {blur.m, 2}});
    in_registers(blur, blur.words, turn, {{blur.w, 2}, {blur.m, 2}});
    products_in_registers(blur, blur.along, turn, {{blur.t, 2}, {blur.w, 2}});
    in_registers(blur, blur.pieces, turn, {{blur.k, blur.group.bands.units}});
    blur.pieces.bound_extent(blur.v, 4).vectorize(blur.v);
}

// The pass down columns, and its ring. The memory between the passes has room for two steps, so that one
// barrier per step suffices.
inline void pass_down(GaussianBlurRingProducts &blur, ScheduleContext &context, const Halide::RVar &step,
    const Halide::RVar &segment) {
    using Halide::LoopLevel, Halide::MemoryType;
    const int units = blur.group.bands.units;
    by_workers(blur, blur.between);
    blur.between.compute_at(blur.out, step)
        .store_at(blur.out, segment)
        .store_in(MemoryType::GPUShared)
        .bound(blur.v, 0, 4)
        .fold_storage(blur.unit, 2)
        .vectorize(blur.v);
    products_in_registers(blur, blur.down, LoopLevel(blur.between, blur.worker), {{blur.j, 4}});
    by_workers(blur, blur.ring);
    blur.ring.compute_at(blur.out, step)
        .store_at(blur.out, segment)
        .store_in(MemoryType::Stack)
        .bound(blur.j, 0, 4)
        .fold_storage(blur.unit, units)
        .unroll(blur.j);
    in_registers(blur, blur.source, LoopLevel(blur.ring, blur.worker), {});
    context.load_ahead(blur.source, units > 2 ? units - 1 : 0);
    context.keep_in_own_registers(blur.ring, units);
}

// What stays the same in all steps.
inline void constants_of_group(
    GaussianBlurRingProducts &blur, ScheduleContext &context, const Halide::RVar &segment) {
    by_workers(blur, blur.places);
    blur.places.compute_at(blur.out, segment)
        .store_in(Halide::MemoryType::GPUShared)
        .bound(blur.v, 0, 4)
        .vectorize(blur.v);
    by_workers(blur, blur.taps);
    blur.taps.compute_at(blur.out, segment)
        .store_in(Halide::MemoryType::Stack)
        .bound(blur.v, 0, 4)
        .bound(blur.k, 0, (int)blur.group.bands.entries().size())
        .bound(blur.p, 0, 2)
        .vectorize(blur.v)
        .unroll(blur.k)
        .unroll(blur.p);
    context.keep_in_own_registers(blur.taps);
}

inline void ring(GaussianBlurRingProducts &blur, ScheduleContext &context) {
    using Halide::RVar;
    const auto place = [&](int n) { return RVar(blur.to[n].name()); };
    const RVar word = place(0), row = place(1), turn = place(2), worker = place(3), step = place(4),
               segment = place(5), strip = place(6);
    undefined_on_gpu(blur.out);
    blur.out.update()
        .allow_race_conditions()
        .gpu_blocks(segment, strip)
        .gpu_threads(worker)
        .vectorize(word)
        .unroll(row);
    blur.out.never_partition_all();
    Halide::OutputImageParam output = context.buffers.back();
    output.set_host_alignment(8);
    output.dim(1).set_stride(multiple_of(2, output.dim(1).stride()));
    pass_along(blur, Halide::LoopLevel(blur.out, turn));
    pass_down(blur, context, step, segment);
    constants_of_group(blur, context, segment);
}

}  // namespace tilewright::gaussian_blur_products
