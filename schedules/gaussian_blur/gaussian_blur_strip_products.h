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

// The words of the taps that an entry multiplies.
inline void load_taps(const GaussianBlurStripProducts &blur, Halide::Func taps, const Halide::LoopLevel &level) {
    taps.compute_at(level)
        .store_in(Halide::MemoryType::Register)
        .bound_extent(blur.worker, 1)
        .bound_extent(blur.k, 1)
        .bound_extent(blur.v, 4)
        .vectorize(blur.v);
}

// The ring, of which a worker reads only its own words.
inline void ring_in_shared(
    GaussianBlurStripProducts &blur, const Halide::RVar &step, const Halide::RVar &segment) {
    blur.ring.compute_at(blur.out, step)
        .store_at(blur.out, segment)
        .store_in(Halide::MemoryType::GPUShared)
        .bound(blur.v, 0, 4)
        .bound(blur.p, 0, 2)
        .bound_extent(blur.worker, 32 * blur.group.warps)
        .fold_storage(blur.unit, 4)
        .reorder(blur.v, blur.p, blur.worker, blur.unit)
        .gpu_threads(blur.worker)
        .vectorize(blur.v)
        .unroll(blur.p);
    const Halide::LoopLevel worker(blur.ring, blur.worker);
    in_registers(blur, blur.columns, worker, {{blur.i, 2}, {blur.j, 4}});
    in_registers(blur, blur.source, worker, {{blur.r, 4}, {blur.i, 2}});
    blur.source.update()
        .reorder(blur.outside_row, blur.i)
        .unroll(blur.outside_row)
        .unroll(blur.i);
}

// The pass down columns. Two steps have room, so that one barrier per step suffices.
inline void pass_down(GaussianBlurStripProducts &blur, const Halide::RVar &step, const Halide::RVar &segment) {
    const Halide::Var lane("lane");
    blur.between.compute_at(blur.out, step)
        .store_at(blur.out, segment)
        .store_in(Halide::MemoryType::GPUShared)
        .bound(blur.n, 0, 2)
        .bound(blur.q, 0, 4)
        .bound(blur.g, 0, 8)
        .bound(blur.warp, 0, blur.group.warps)
        .bound(blur.h, 0, 2)
        .bound(blur.a, 0, 2)
        .align_storage(blur.q, 6)
        .fold_storage(blur.unit, 2)
        .reorder(blur.n, blur.h, blur.a, blur.q, blur.g, blur.warp)
        .fuse(blur.q, blur.g, lane)
        .fuse(lane, blur.warp, lane)
        .gpu_threads(lane)
        .vectorize(blur.n)
        .unroll(blur.h)
        .unroll(blur.a);
    const Halide::LoopLevel worker(blur.between, lane), half(blur.between, blur.a);
    in_registers(blur, blur.words, half, {{blur.n, 2}, {blur.h, 2}, {blur.a, 1}});
    in_registers(blur, blur.down, half, {{blur.j, 4}, {blur.a, 1}});
    const Halide::RVar entry(blur.of_down.x.name());
    blur.down.update().reorder(blur.j, entry, blur.a).unroll(blur.j).unroll(blur.a).unroll(entry);
    load_taps(blur, blur.down_taps, Halide::LoopLevel(blur.down, entry));
    in_registers(blur, blur.ring_words, worker, {{blur.p, 2}, {blur.k, blur.group.bands.steps()}});
    blur.ring_words.bound_extent(blur.v, 4).vectorize(blur.v);
}

// The pass along rows.
inline void pass_along(GaussianBlurStripProducts &blur, const Halide::LoopLevel &worker) {
    in_registers(blur, blur.value, worker, {{blur.h, 2}, {blur.b, 2}, {blur.a, 2}});
    in_registers(blur, blur.along, worker, {{blur.h, 2}, {blur.b, 2}, {blur.a, 2}});
    const Halide::RVar entry(blur.of_along.x.name());
    blur.along.update()
        .reorder(blur.h, entry, blur.b, blur.a)
        .unroll(blur.h)
        .unroll(blur.b)
        .unroll(blur.a)
        .unroll(entry);
    load_taps(blur, blur.along_taps, Halide::LoopLevel(blur.along, entry));
    in_registers(blur, blur.lines, Halide::LoopLevel(blur.along, blur.a),
        {{blur.h, 2}, {blur.i, 2 * blur.group.bands.steps()}, {blur.a, 1}});
}

inline void strips(GaussianBlurStripProducts &blur, ScheduleContext &context) {
    const auto place = [&](int n) { return Halide::RVar(blur.to[n].name()); };
    const Halide::RVar h = place(0), b = place(1), a = place(2), part = place(3), worker = place(4),
                       step = place(5), segment = place(6), block = place(7);
    undefined_on_gpu(blur.out);
    blur.out.update()
        .allow_race_conditions()
        .reorder(h, b, a, part, worker, step, segment, block)
        .gpu_blocks(segment, block)
        .gpu_threads(worker)
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
        .bound(blur.p, 0, 2)
        .bound(blur.worker, 0, 8 * blur.group.warps)
        .gpu_threads(blur.worker)
        .unroll(blur.p);
    context.load_ahead(blur.source);
    context.own_memory.push_back(blur.ring.name() + " " + blur.between.name());
}

inline ScheduleVariants strip_variants() {
    ScheduleVariants variants;
    const auto made = [&](int reach, int warps, int registers, int waves, const std::string &ending = "") {
        variants.push_back(variant("tuned_strips_" + std::to_string(reach) + ending, cuda, "u8", strips,
            GaussianBlurHalvesConfiguration{.reach = reach, .high = 8},
            {{"warps", warps, 5, 16}, {"waves", waves, 1, 64}})
                .serves("channels", {.least = 1, .most = 1})
                .registers("", registers)
                .says("One kernel with one barrier per step; the tensor cores multiply bytes by a band of "
                      "taps."));
    };
    for (const int reach : {32, 40}) {
        made(reach, 16, 128, 3);
        made(reach, 8, 128, 3, "_b");
        made(reach, 16, 128, 1, "_c");
        made(reach, 16, 128, 2, "_d");
        made(reach, 16, 128, 4, "_e");
        made(reach, 8, 128, 2, "_f");
    }
    return variants;
}

}  // namespace tilewright::gaussian_blur_products
