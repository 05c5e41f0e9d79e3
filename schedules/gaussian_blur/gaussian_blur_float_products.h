#pragma once
// The schedule of gaussian_blur for f32 on tensor cores.
#include "generators/algorithms/gaussian_blur/products/floats.h"
#include "schedules/gaussian_blur/gaussian_blur_gpu.h"

namespace tilewright {

namespace gaussian_blur_products {

// The sums of a pass, and the words that a step multiplies, in registers.
inline void float_sums_in_registers(GaussianBlurFloatProducts &blur, Halide::Func sums, const Halide::RDom &of,
    Halide::LoopLevel level) {
    const Halide::RVar product(of[0].name()), k(of[1].name());
    sums.compute_at(level)
        .store_in(Halide::MemoryType::Register)
        .bound_extent(blur.j, 2)
        .bound_extent(blur.t, 2)
        .bound_extent(blur.worker, 1)
        .bound_extent(blur.unit, 1)
        .unroll(blur.j)
        .unroll(blur.t);
    sums.update()
        .reorder(blur.j, blur.t, product, k)
        .unroll(blur.j)
        .unroll(blur.t)
        .unroll(product)
        .unroll(k);
}

inline void floats(GaussianBlurFloatProducts &blur, ScheduleContext &context) {
    using Halide::MemoryType, Halide::RVar, Halide::Func, Halide::Var;
    const auto place = [&](int n) { return RVar(blur.to[n].name()); };
    const RVar h = place(0), e = place(1), j = place(2), t = place(3), worker = place(4), step = place(5),
               segment = place(6), block = place(7);
    const int lanes = 32 * blur.group.warps;
    undefined_on_gpu(blur.out);
    blur.out.update()
        .allow_race_conditions()
        .reorder(h, e, j, t, worker, step, segment, block)
        .gpu_blocks(block, segment)
        .gpu_threads(worker)
        .unroll(e)
        .unroll(j)
        .unroll(t)
        .vectorize(h);
    blur.out.never_partition_all();
    blur.value.compute_at(blur.out, worker)
        .store_in(MemoryType::Register)
        .bound_extent(blur.h, 2)
        .bound_extent(blur.e, 2)
        .bound_extent(blur.j, 2)
        .bound_extent(blur.t, 2)
        .bound_extent(blur.worker, 1)
        .unroll(blur.h)
        .unroll(blur.e)
        .unroll(blur.j)
        .unroll(blur.t);
    blur.lost.compute_at(blur.out, worker).store_in(MemoryType::Register).bound_extent(blur.worker, 1);
    for (Func sums : {blur.plain_sum, blur.column_sum}) {
        const bool is_column = sums.name() == blur.column_sum.name();
        (is_column ? sums.compute_at(blur.plain_sum, blur.of_row.x) : sums.compute_at(blur.value, blur.j))
            .store_in(MemoryType::Register)
            .bound_extent(blur.h, 2)
            .bound_extent(blur.e, 2)
            .bound_extent(blur.j, 1)
            .bound_extent(blur.t, 1)
            .bound_extent(blur.worker, 1)
            .unroll(blur.h)
            .unroll(blur.e);
        sums.update()
            .reorder(blur.h, blur.e, blur.j, blur.t, is_column ? blur.of_column.x : blur.of_row.x)
            .unroll(blur.h)
            .unroll(blur.e);
    }
    float_sums_in_registers(blur, blur.down, blur.of_down, Halide::LoopLevel(blur.out, worker));
    const RVar of_k(blur.of_down[1].name());
    blur.ring_words.compute_at(blur.down, of_k)
        .store_in(MemoryType::Register)
        .bound_extent(blur.r, 4)
        .bound_extent(blur.p, 2)
        .bound_extent(blur.t, 2)
        .bound_extent(blur.worker, 1)
        .vectorize(blur.r)
        .unroll(blur.p)
        .unroll(blur.t);
    blur.down_taps.compute_at(blur.down, of_k)
        .store_in(MemoryType::Register)
        .bound_extent(blur.v, 4)
        .bound_extent(blur.p, 2)
        .bound_extent(blur.worker, 1)
        .vectorize(blur.v)
        .unroll(blur.p);

    blur.ring.compute_at(blur.out, step)
        .store_at(blur.out, segment)
        .store_in(MemoryType::GPUShared)
        .bound(blur.r, 0, 4)
        .bound(blur.p, 0, 2)
        .bound(blur.t, 0, 2)
        .bound_extent(blur.worker, lanes)
        .fold_storage(blur.unit, blur.group.steps)
        .reorder(blur.r, blur.p, blur.t, blur.worker, blur.unit)
        .gpu_threads(blur.worker)
        .vectorize(blur.r)
        .unroll(blur.p)
        .unroll(blur.t);
    const Halide::LoopLevel of_worker(blur.ring, blur.worker);
    blur.mids.compute_at(of_worker)
        .store_in(MemoryType::Register)
        .bound_extent(blur.r, 4)
        .bound_extent(blur.p, 2)
        .bound_extent(blur.t, 2)
        .bound_extent(blur.worker, 1)
        .unroll(blur.r)
        .unroll(blur.p)
        .unroll(blur.t);
    float_sums_in_registers(blur, blur.along, blur.of_along, of_worker);
    const RVar along_k(blur.of_along[1].name());
    blur.pieces.compute_at(blur.along, along_k)
        .store_in(MemoryType::Register)
        .bound_extent(blur.h, 2)
        .bound_extent(blur.j, 2)
        .bound_extent(blur.k, 1)
        .bound_extent(blur.worker, 1)
        .unroll(blur.h)
        .unroll(blur.j);
    blur.along_taps.compute_at(blur.along, along_k)
        .store_in(MemoryType::Register)
        .bound_extent(blur.v, 4)
        .bound_extent(blur.p, 2)
        .bound_extent(blur.worker, 1)
        .vectorize(blur.v)
        .unroll(blur.p)
        .unroll(blur.k);
    blur.source.compute_at(of_worker)
        .store_in(MemoryType::Register)
        .bound_extent(blur.v, 4)
        .bound_extent(blur.j, 2)
        .bound_extent(blur.k, blur.group.columns())
        .bound_extent(blur.worker, 1);
    blur.row.compute_at(blur.source, blur.j).store_in(MemoryType::Register).bound_extent(blur.j, 1).bound_extent(blur.worker, 1);
    blur.source.update(0).reorder(blur.v, blur.inside.x, blur.j).vectorize(blur.v).unroll(blur.j).unroll(blur.inside.x);
    blur.source.update(1)
        .reorder(blur.v, blur.j, blur.elsewhere.x)
        .unroll(blur.v)
        .unroll(blur.j)
        .unroll(blur.elsewhere.x);

    blur.taps.compute_at(blur.out, segment)
        .store_in(MemoryType::GPUShared)
        .bound(blur.v, 0, 4)
        .bound(blur.worker, 0, 32)
        .bound(blur.p, 0, 2)
        .bound(blur.k, 0, blur.group.steps)
        .gpu_threads(blur.worker)
        .vectorize(blur.v)
        .unroll(blur.p)
        .unroll(blur.k);
    blur.scale.compute_at(blur.out, segment).store_in(MemoryType::GPUShared).bound(blur.s, 0, 4).gpu_threads(blur.s);
    blur.most.compute_at(blur.scale, blur.s).store_in(MemoryType::Register);
    blur.most.update().unroll(blur.samples.x).unroll(blur.samples.y);
    gaussian_blur_gpu::rows_of_16_bytes(context.buffers[0], 4);
    gaussian_blur_gpu::rows_of_16_bytes(context.buffers[1], 4);
}

}  // namespace gaussian_blur_products

}  // namespace tilewright
