#pragma once
// The schedule of gaussian_blur for u8 and u16 on tensor cores by warps that share nothing.
#include "generators/algorithms/gaussian_blur/products/halves.h"
#include "schedules/gaussian_blur/gaussian_blur_gpu.h"
#include "schedules/schedule.h"
#include <string>
#include <utility>
#include <vector>

namespace tilewright::gaussian_blur_products {

// Keeps what a worker computes of a Func in its registers: these dimensions have so many elements.
inline void in_registers(const GaussianBlurHalfProducts &blur, Halide::Func f, const Halide::LoopLevel &level,
    const std::vector<std::pair<Halide::Var, int>> &extents) {
    f.compute_at(level).store_in(Halide::MemoryType::Register).bound_extent(blur.worker, 1);
    for (const auto &[dimension, elements] : extents) {
        f.bound_extent(dimension, elements).unroll(dimension);
    }
}

// The sums of a pass. `loops`: of the sums, from the innermost on, which are within that over the entries.
inline void multiply_in_registers(const GaussianBlurHalfProducts &blur, GaussianBlurHalfProducts::Pass &pass,
    const Halide::LoopLevel &level, const std::vector<std::pair<Halide::Var, int>> &loops) {
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

// The pass down columns, and the ring, of which a worker reads only its own words.
inline void ring_in_shared(
    GaussianBlurHalfProducts &blur, const Halide::RVar &step, const Halide::RVar &segment) {
    using Halide::LoopLevel;
    const int units = blur.group.row_units(), bytes = blur.group.bytes(), steps = blur.group.bands.steps();
    blur.ring.compute_at(blur.out, step)
        .store_at(blur.out, segment)
        .store_in(Halide::MemoryType::GPUShared)
        .bound(blur.r, 0, 4)
        .bound(blur.p, 0, bytes)
        .bound(blur.a, 0, blur.group.halves)
        .bound_extent(blur.worker, 32 * blur.group.warps)
        .fold_storage(blur.unit, steps == 3 ? 4 : steps)
        .reorder(blur.r, blur.p, blur.a, blur.worker, blur.unit)
        .gpu_threads(blur.worker)
        .vectorize(blur.r)
        .unroll(blur.p)
        .unroll(blur.a);
    const LoopLevel worker(blur.ring, blur.worker), half(blur.ring, blur.a);
    in_registers(blur, blur.words, half, {{blur.r, 4}, {blur.p, bytes}, {blur.a, 1}});
    multiply_in_registers(blur, blur.down, half, {{blur.j, 4}, {blur.a, 1}});
    in_registers(blur, blur.columns, worker, {{blur.j, 4}, {blur.p, bytes}, {blur.u, units}});
    in_registers(blur, blur.source, worker, {{blur.r, 4}, {blur.u, units}});
    blur.source.bound_extent(blur.w, bytes).vectorize(blur.w);
    blur.source.update()
        .reorder(blur.w, blur.outside_row, blur.u)
        .unroll(blur.w)
        .unroll(blur.outside_row)
        .unroll(blur.u);
}

// The pass along rows.
inline void pass_along(GaussianBlurHalfProducts &blur, const Halide::LoopLevel &worker) {
    const int halves = blur.group.halves, bytes = blur.group.bytes();
    in_registers(blur, blur.value, worker, {{blur.w, bytes}, {blur.h, 2}, {blur.b, 2}, {blur.a, halves}});
    multiply_in_registers(blur, blur.along, worker, {{blur.h, 2}, {blur.b, 2}, {blur.a, halves}});
    in_registers(blur, blur.ring_words, worker,
        {{blur.p, bytes}, {blur.a, halves}, {blur.k, blur.group.bands.steps()}});
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
    blur.taps.compute_at(blur.out, segment)
        .store_in(Halide::MemoryType::GPUShared)
        .bound(blur.v, 0, 4)
        .bound(blur.worker, 0, 32)
        .bound(blur.p, 0, 2)
        .bound(blur.k, 0, (int)blur.group.bands.entries().size())
        .gpu_threads(blur.worker)
        .vectorize(blur.v)
        .unroll(blur.p)
        .unroll(blur.k);
    const int of_rows = blur.group.rows() * (blur.group.warps - 1) + 16 * blur.group.row_units();
    const Halide::Var of_row("of_row"), thread("of_thread");
    blur.rows.compute_at(blur.out, segment)
        .store_in(Halide::MemoryType::GPUShared)
        .bound_extent(blur.y, of_rows)
        .split(blur.y, of_row, thread, 16)
        .gpu_threads(thread)
        .unroll(of_row);
    if (context.configuration<GaussianBlurHalvesConfiguration>().ahead) {
        context.load_ahead(blur.source);
    }
    context.keep_in_own_memory(blur.ring);
    if (blur.group.bytes() > 1) {
        for (const Halide::OutputImageParam &buffer : context.buffers) {
            gaussian_blur_gpu::rows_of_16_bytes(buffer, 4);
        }
    }
}

inline ScheduleVariants half_variants() {
    ScheduleVariants variants;
    const auto made = [&](const char *type, int reach, int halves_of_strip, int warps, int registers,
                          int resident, const std::string &ending = "", bool ahead = true) {
        variants.push_back(
            variant("tuned_halves_" + std::to_string(reach) + ending, cuda, type, halves,
                GaussianBlurHalvesConfiguration{.reach = reach, .high = 8, .ahead = ahead},
                {{"halves", halves_of_strip, 1, 8}, {"warps", warps, 1, 16}, {"resident", resident, 1, 64}})
                .serves("channels", {.least = 1, .most = 1})
                .registers("", registers)
                .says("One kernel, whose warps share nothing; the tensor cores multiply bytes by a band of "
                      "taps."));
    };
    for (const int reach : {32, 40}) {
        made("u8", reach, 2, 4, 128, 16);
        made("u8", reach, 2, 4, 128, 32, "_b");
        made("u8", reach, 2, 4, 96, 20, "_c", false);
        made("u8", reach, 4, 4, 128, 16, "_d", false);
        made("u8", reach, 2, 4, 80, 24, "_e", false);
        made("u8", reach, 2, 8, 128, 16, "_f");
        made("u8", reach, 4, 4, 168, 12, "_g");
        made("u8", reach, 2, 4, 128, 16, "_h", false);
    }
    for (const int reach : {8, 16}) {
        made("u16", reach, 2, 4, 128, 16);
        made("u16", reach, 2, 4, 128, 32, "_b");
        made("u16", reach, 2, 4, 96, 20, "_c", false);
        made("u16", reach, 2, 4, 128, 16, "_d", false);
        made("u16", reach, 2, 4, 168, 12, "_e");
        made("u16", reach, 2, 8, 128, 16, "_f");
        made("u16", reach, 2, 4, 80, 24, "_g", false);
    }
    return variants;
}

}  // namespace tilewright::gaussian_blur_products
