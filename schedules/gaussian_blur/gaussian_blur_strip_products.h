#pragma once
// The schedule of gaussian_blur for u8 on tensor cores with one barrier per step.
#include "generators/algorithms/gaussian_blur/products/strips.h"
#include "schedules/gaussian_blur/gaussian_blur_gpu.h"
#include "schedules/schedule.h"
#include <string>
#include <utility>
#include <vector>

namespace tilewright::gaussian_blur_products {

// Keeps what a worker computes of a Func in its registers: these dimensions have so many elements.
inline void in_registers(const GaussianBlurStripProducts &blur, Halide::Func f, const Halide::LoopLevel &level,
    const std::vector<std::pair<Halide::Var, int>> &extents) {
    f.compute_at(level).store_in(Halide::MemoryType::Register).bound_extent(blur.worker, 1);
    for (const auto &[dimension, elements] : extents) {
        f.bound_extent(dimension, elements).unroll(dimension);
    }
}

// The sums of a pass. `loops`: of the sums, from the innermost on, which are within that over the entries.
inline void multiply_in_registers(const GaussianBlurStripProducts &blur, GaussianBlurStripProducts::Pass &pass,
    const Halide::LoopLevel &level, const std::vector<std::pair<Halide::Var, int>> &loops) {
    Halide::Func sums = pass.sums;
    in_registers(blur, sums, level, loops);
    for (int update = 0; update < sums.num_update_definitions(); update++) {
        for (const auto &[dimension, elements] : loops) {
            sums.update(update).unroll(dimension);
        }
    }
    for (GaussianBlurStripProducts::Pass::Step &step : pass.steps) {
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

// The ring, of which a worker reads only its own words.
inline void ring_in_shared(
    GaussianBlurStripProducts &blur, const Halide::RVar &step, const Halide::RVar &segment) {
    const int bytes = blur.group.bytes(), steps = blur.group.bands.steps();
    blur.ring.compute_at(blur.out, step)
        .store_at(blur.out, segment)
        .store_in(Halide::MemoryType::GPUShared)
        .bound(blur.v, 0, 4)
        .bound(blur.t, 0, 2)
        .bound(blur.p, 0, bytes)
        .bound_extent(blur.worker, 32 * blur.group.warps)
        .fold_storage(blur.unit, steps == 3 ? 4 : steps)
        .reorder(blur.v, blur.t, blur.p, blur.worker, blur.unit)
        .gpu_threads(blur.worker)
        .vectorize(blur.v)
        .unroll(blur.t)
        .unroll(blur.p);
    const Halide::LoopLevel worker(blur.ring, blur.worker);
    in_registers(blur, blur.columns, worker, {{blur.i, 2}, {blur.j, 4}, {blur.p, bytes}});
    in_registers(blur, blur.source, worker, {{blur.w, bytes}, {blur.r, 4}, {blur.i, 2}});
    blur.source.update()
        .reorder(blur.w, blur.outside_row, blur.i)
        .unroll(blur.w)
        .unroll(blur.outside_row)
        .unroll(blur.i);
}

// The pass down columns. Two steps have room, so that one barrier per step suffices.
inline void pass_down(GaussianBlurStripProducts &blur, const Halide::RVar &step, const Halide::RVar &segment) {
    const int bytes = blur.group.bytes();
    const Halide::Var lane("lane");
    blur.between.compute_at(blur.out, step)
        .store_at(blur.out, segment)
        .store_in(Halide::MemoryType::GPUShared)
        .bound(blur.n, 0, 2)
        .bound(blur.q, 0, 4)
        .bound(blur.g, 0, 8)
        .bound(blur.warp, 0, blur.group.warps)
        .bound(blur.h, 0, 2)
        .bound(blur.p, 0, bytes)
        .bound(blur.a, 0, 2)
        .align_storage(blur.q, 6)
        .fold_storage(blur.unit, 2)
        .reorder(blur.n, blur.h, blur.p, blur.a, blur.q, blur.g, blur.warp)
        .fuse(blur.q, blur.g, lane)
        .fuse(lane, blur.warp, lane)
        .gpu_threads(lane)
        .vectorize(blur.n)
        .unroll(blur.h)
        .unroll(blur.p)
        .unroll(blur.a);
    const Halide::LoopLevel worker(blur.between, lane), half(blur.between, blur.a);
    in_registers(blur, blur.words, half, {{blur.n, 2}, {blur.h, 2}, {blur.p, bytes}, {blur.a, 1}});
    multiply_in_registers(blur, blur.down, half, {{blur.j, 4}, {blur.a, 1}});
    in_registers(blur, blur.ring_words, worker,
        {{blur.t, 2}, {blur.p, bytes}, {blur.k, blur.group.bands.steps()}});
    blur.ring_words.bound_extent(blur.v, 4).vectorize(blur.v);
}

// The pass along rows.
inline void pass_along(GaussianBlurStripProducts &blur, const Halide::LoopLevel &worker) {
    const int bytes = blur.group.bytes();
    in_registers(blur, blur.value, worker, {{blur.w, bytes}, {blur.h, 2}, {blur.b, 2}, {blur.a, 2}});
    multiply_in_registers(blur, blur.along, worker, {{blur.h, 2}, {blur.b, 2}, {blur.a, 2}});
    in_registers(blur, blur.lines, worker,
        {{blur.h, 2}, {blur.i, 2 * blur.group.bands.steps()}, {blur.p, bytes}, {blur.a, 2}});
}

inline void strips(GaussianBlurStripProducts &blur, ScheduleContext &context) {
    const auto place = [&](int n) { return Halide::RVar(blur.to[n].name()); };
    const Halide::RVar of_word = place(0), h = place(1), b = place(2), a = place(3), part = place(4),
                       worker = place(5), step = place(6), segment = place(7), block = place(8);
    undefined_on_gpu(blur.out);
    blur.out.update()
        .allow_race_conditions()
        .reorder(of_word, h, b, a, part, worker, step, segment, block)
        .gpu_blocks(segment, block)
        .gpu_threads(worker)
        .vectorize(of_word)
        .unroll(h)
        .unroll(b)
        .unroll(a)
        .unroll(part);
    blur.out.never_partition_all();
    pass_along(blur, Halide::LoopLevel(blur.out, worker));
    pass_down(blur, step, segment);
    ring_in_shared(blur, step, segment);
    const Halide::Var word("word"), turn("turn");
    blur.taps.compute_at(blur.out, segment)
        .store_in(Halide::MemoryType::GPUShared)
        .bound(blur.v, 0, 4)
        .bound(blur.worker, 0, 32)
        .bound(blur.p, 0, 2)
        .bound(blur.k, 0, (int)blur.group.bands.entries().size())
        .fuse(blur.worker, blur.k, word)
        .fuse(word, blur.p, word)
        .split(word, turn, word, 32 * blur.group.warps, Halide::TailStrategy::GuardWithIf)
        .gpu_threads(word)
        .vectorize(blur.v);
    blur.places.compute_at(blur.out, segment)
        .store_in(Halide::MemoryType::GPUShared)
        .bound(blur.t, 0, 2)
        .bound(blur.worker, 0, 8 * blur.group.warps * blur.group.bytes())
        .gpu_threads(blur.worker)
        .unroll(blur.t);
    context.load_ahead(blur.source);
    if (blur.group.bytes() > 1) {
        for (const Halide::OutputImageParam &buffer : context.buffers) {
            gaussian_blur_gpu::rows_of_16_bytes(buffer, 4);
        }
    }
    context.own_memory.push_back(blur.ring.name() + " " + blur.between.name());
}

inline ScheduleVariants strip_variants() {
    ScheduleVariants variants;
    const auto made = [&](const char *type, int reach, int warps, int registers, int resident, int waves,
                          const std::string &ending = "") {
        variants.push_back(variant("tuned_strips_" + std::to_string(reach) + ending, cuda, type, strips,
            GaussianBlurHalvesConfiguration{.reach = reach, .high = 8},
            {{"warps", warps, 5, 16}, {"resident", resident, 1, 64}, {"waves", waves, 1, 64}})
                .serves("channels", {.least = 1, .most = 1})
                .registers("", registers)
                .says("One kernel with one barrier per step; the tensor cores multiply bytes by a band of "
                      "taps."));
    };
    for (const int reach : {32, 40}) {
        made("u8", reach, 16, 128, 16, 3);
        made("u8", reach, 8, 128, 16, 3, "_b");
        made("u8", reach, 16, 128, 16, 1, "_c");
        made("u8", reach, 16, 128, 16, 2, "_d");
        made("u8", reach, 16, 128, 16, 4, "_e");
        made("u8", reach, 8, 128, 16, 2, "_f");
    }
    for (const int reach : {8, 16}) {
        made("u16", reach, 8, 128, 16, 3);
        made("u16", reach, 16, 128, 16, 3, "_b");
        made("u16", reach, 12, 168, 12, 3, "_c");
        made("u16", reach, 8, 128, 16, 2, "_d");
    }
    return variants;
}

}  // namespace tilewright::gaussian_blur_products
