#pragma once
// The schedule of gaussian_blur for f32 on tensor cores.
#include "generators/algorithms/gaussian_blur/products/floats.h"
#include "generators/algorithms/gaussian_blur/weights.h"
#include "schedules/gaussian_blur/gaussian_blur_gpu.h"
#include "schedules/gaussian_blur/worker_registers.h"
#include "schedules/schedule.h"
#include <string>
#include <utility>
#include <vector>

namespace tilewright::gaussian_blur_products {

// The sums of a pass. `taps` and `words` are what a step multiplies, which the worker loads before, 16 bytes
// at a time.
inline void multiply_in_registers(
    GaussianBlurFloatProducts &blur, Halide::Func sums, const Halide::RDom &of, Halide::LoopLevel level) {
    const Halide::RVar product(of[0].name()), step(of[1].name());
    in_registers(blur, sums, level, {{blur.j, 2}, {blur.t, 2}});
    sums.update()
        .reorder(blur.j, blur.t, product, step)
        .unroll(blur.j)
        .unroll(blur.t)
        .unroll(product)
        .unroll(step);
}
inline void load_vectors(GaussianBlurFloatProducts &blur, Halide::Func words, Halide::LoopLevel level,
    const Halide::Var &of_vector) {
    words.compute_at(level)
        .store_in(Halide::MemoryType::Register)
        .bound_extent(blur.worker, 1)
        .bound_extent(of_vector, 4)
        .vectorize(of_vector)
        .bound_extent(blur.p, 2)
        .unroll(blur.p);
}

// The pixels that a worker multiplies: it loads four at a time, or one by one at the sides of the image.
inline void load_pixels(GaussianBlurFloatProducts &blur, Halide::LoopLevel level) {
    blur.source.compute_at(level)
        .store_in(Halide::MemoryType::Register)
        .bound_extent(blur.v, 4)
        .bound_extent(blur.j, 2)
        .bound_extent(blur.k, blur.group.columns())
        .bound_extent(blur.worker, 1);
    blur.source.update(0)
        .reorder(blur.v, blur.inside.x, blur.j)
        .vectorize(blur.v)
        .unroll(blur.inside.x)
        .unroll(blur.j);
    blur.source.update(1)
        .reorder(blur.v, blur.j, blur.elsewhere.x)
        .unroll(blur.v)
        .unroll(blur.j)
        .unroll(blur.elsewhere.x);
    in_registers(blur, blur.row, Halide::LoopLevel(blur.source, blur.j), {{blur.j, 1}});
}

// The pass along rows. A worker reads only its own words of the ring, which is in shared memory because its
// index varies (keep_in_own_memory).
inline void ring_in_shared(
    GaussianBlurFloatProducts &blur, const Halide::RVar &step, const Halide::RVar &segment) {
    blur.ring.compute_at(blur.out, step)
        .store_at(blur.out, segment)
        .store_in(Halide::MemoryType::GPUShared)
        .bound(blur.r, 0, 4)
        .bound(blur.p, 0, 2)
        .bound(blur.t, 0, 2)
        .bound_extent(blur.worker, 32 * blur.group.warps)
        .fold_storage(blur.unit, blur.group.steps)
        .reorder(blur.r, blur.p, blur.t, blur.worker, blur.unit)
        .gpu_threads(blur.worker)
        .vectorize(blur.r)
        .unroll(blur.p)
        .unroll(blur.t);
    const Halide::LoopLevel worker(blur.ring, blur.worker);
    in_registers(blur, blur.mids, worker, {{blur.r, 4}, {blur.p, 2}, {blur.t, 2}});
    multiply_in_registers(blur, blur.along, blur.of_along, worker);
    const Halide::LoopLevel of_step(blur.along, Halide::RVar(blur.of_along[1].name()));
    in_registers(blur, blur.pieces, of_step, {{blur.h, 2}, {blur.j, 2}});
    load_vectors(blur, blur.along_taps, of_step, blur.v);
    blur.along_taps.unroll(blur.k);
    load_pixels(blur, worker);
}

// The pass down columns, and the sums of single taps where its results are not finite.
inline void pass_down(GaussianBlurFloatProducts &blur, const Halide::LoopLevel &worker) {
    in_registers(blur, blur.value, worker, {{blur.h, 2}, {blur.e, 2}, {blur.j, 2}, {blur.t, 2}});
    multiply_in_registers(blur, blur.down, blur.of_down, worker);
    const Halide::LoopLevel of_step(blur.down, Halide::RVar(blur.of_down[1].name()));
    load_vectors(blur, blur.ring_words, of_step, blur.r);
    blur.ring_words.bound_extent(blur.t, 2).unroll(blur.t);
    load_vectors(blur, blur.down_taps, of_step, blur.v);

    in_registers(blur, blur.lost, worker, {});
    const std::vector<Extent> few = {{blur.h, 2}, {blur.e, 2}, {blur.j, 1}, {blur.t, 1}};
    in_registers(blur, blur.plain_sum, Halide::LoopLevel(blur.value, blur.j), few);
    in_registers(blur, blur.column_sum, Halide::LoopLevel(blur.plain_sum, blur.of_row.x), few);
    const auto four_at_once = [&](Halide::Func sums, const Halide::RVar &tap) {
        sums.update().reorder(blur.h, blur.e, blur.j, blur.t, tap).unroll(blur.h).unroll(blur.e);
    };
    four_at_once(blur.plain_sum, blur.of_row.x);
    four_at_once(blur.column_sum, blur.of_column.x);
}

// What the warps of a thread block share: the taps, and the scale.
inline void constants_in_shared(GaussianBlurFloatProducts &blur, const Halide::RVar &segment) {
    taps_in_shared(blur, segment, blur.group.steps);
    // Four numbers, so that what follows in shared memory begins at a multiple of 16 bytes.
    blur.scale.compute_at(blur.out, segment)
        .store_in(Halide::MemoryType::GPUShared)
        .bound(blur.s, 0, 4)
        .gpu_threads(blur.s);
    blur.most.compute_at(blur.scale, blur.s).store_in(Halide::MemoryType::Register);
    blur.most.update().unroll(blur.samples.x).unroll(blur.samples.y);
}

inline void floats(GaussianBlurFloatProducts &blur, ScheduleContext &context) {
    const auto place = [&](int n) { return Halide::RVar(blur.to[n].name()); };
    const Halide::RVar h = place(0), e = place(1), j = place(2), t = place(3), worker = place(4),
                       step = place(5), segment = place(6), block = place(7);
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
    pass_down(blur, Halide::LoopLevel(blur.out, worker));
    ring_in_shared(blur, step, segment);
    constants_in_shared(blur, segment);
    context.load_ahead(blur.source);
    context.keep_in_own_memory(blur.ring);
    for (const Halide::OutputImageParam &buffer : context.buffers) {
        gaussian_blur_gpu::rows_of_16_bytes(buffer, 4);
    }
}

// f32 in one kernel on the tensor cores, by the longest radius that the window has. 8192 x 8192 on an H200
// (2026-11-29, ms), blocks of 1 / 2 / 4 / 8 warps: sigma 7.5 .267 / .270 / .271 / .373 (8 with 128
// registers), sigma 10 .427 / - / .329 / -; with 128 registers and 4 warps .310 and .426. `resident`: the
// warps that a multiprocessor runs at once, all of which are one wave: the registers allow 12, and from
// radius 41 on 8 and, with the memory of the rings, 7.
inline ScheduleVariants float_variants() {
    ScheduleVariants variants;
    const auto made = [](int steps, int warps, int resident) {
        return variant("tuned_floats_" + std::to_string(8 * (steps - 1)), gpu, "f32", floats,
            GaussianBlurProductsConfiguration{.steps = steps},
            {{"warps", warps, 1, 12}, {"resident", resident, 1, 64}})
            .serves("channels", {.least = 1, .most = 1})
            .says("One kernel; the tensor cores multiply pairs of 16-bit floats by a band of taps.");
    };
    for (const int steps : FloatFragments::of_variants) {
        // Of blocks of one warp each has the taps in its own memory, of which 11 fit where there are 6 steps.
        const int warps = steps > 9                ? 7 :
                          steps == 4 || steps == 5 ? 1 :
                                                     4,
                  resident = steps > 9 ? 7 :
                             steps > 6 ? 8 :
                                         12;
        auto one = made(steps, warps, resident)
                       .kept_for(steps < 5 ? "images of more than 2 million pixels, radii of 13 to 24" :
                                             "NVIDIA's OpenCL, by which it was not timed yet");
        variants.push_back(steps > 6 ? std::move(one).registers("", 255) : std::move(one).registers("", 168));
    }
    return variants;
}

}  // namespace tilewright::gaussian_blur_products
