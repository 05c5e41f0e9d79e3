#pragma once
// The schedules of min_plus_convolution on CPUs.
#include "Halide.h"
#include "generators/algorithms/min_plus_convolution/sieve.h"
#include "generators/algorithms/min_plus_convolution/tiles.h"
#include "schedules/schedule.h"
#include <utility>

namespace tilewright::min_plus_cpu {

inline const Var block{"block"};

// Outputs one after another.
inline void reference(MinPlusConvolution &, ScheduleContext &) {}

// Strips of outputs, whose minima stay in vector registers over the whole range of i. A pair costs one
// addition and one minimum. A task is one strip; a call of few pairs is one task, because threads would cost
// more.
inline void strips(MinPlusStrips &m, ScheduleContext &context) {
    const int lanes = context.target.natural_vector_size(m.of_strip.type());
    const float few_pairs = 200'000;  // half of them take as long as waking a thread does
    Var task{"task"};
    m.out.split(m.k, block, m.k, m.width, TailStrategy::GuardWithIf)
        .vectorize(m.k, lanes)
        .split(block, task, block, Halide::select(m.pairs < few_pairs, 1 << 20, 1), TailStrategy::GuardWithIf)
        .parallel(task);
    m.of_strip.compute_at(m.out, block)
        .store_in(MemoryType::Stack)
        .bound_extent(m.x, m.width)
        .bound_extent(m.q, 1)
        .vectorize(m.x, lanes)
        .unroll(m.x);
    for (const auto &[number, r] : {std::pair{0, &m.outer}, {1, &m.inner}}) {
        m.of_strip.update(number)
            .reorder(m.x, r->x, r->y, r->z, m.q)
            .vectorize(m.x, lanes)
            .unroll(m.x)
            .unroll(r->x)
            .specialize(m.has_whole_run);
    }
    m.runs.compute_at(m.out, block).store_in(MemoryType::Stack).bound_extent(m.q, 1);
    m.ends.compute_root().bound(m.u, 0, 2 * m.margin()).bound(m.side, 0, 2).vectorize(m.u, lanes);
    m.ends.update().unscheduled();
}

// Strips of outputs as in `strips`, in tasks of `task` strips. A call that accumulates nothing has code of
// its own, which reads no vector for it.
inline void short_vector(MinPlusShort &m, ScheduleContext &context) {
    const int lanes = context.target.natural_vector_size(m.out.types()[0]),
              width = lanes * context["vectors"];
    Var task{"task"};
    m.out.split(m.k, block, m.k, width, TailStrategy::GuardWithIf)
        .vectorize(m.k, lanes)
        .split(block, task, block, context["task"], TailStrategy::GuardWithIf)
        .parallel(task)
        .never_partition(task)
        .specialize(context.buffers[2].dim(0).extent() == 1);
    m.least.compute_at(m.out, block)
        .store_in(MemoryType::Stack)
        .bound_extent(m.k, width)
        .vectorize(m.k, lanes)
        .unroll(m.k);
    m.least.update().reorder(m.k, m.i).vectorize(m.k, lanes).unroll(m.k);
}

// The padded vectors, and the least elements of blocks and windows, in memory.
inline void blocks_in_memory(MinPlusSieveBlocks &m, int lanes) {
    m.a.compute_root().vectorize(m.i, lanes, TailStrategy::RoundUp);
    m.b.compute_root().vectorize(m.j, lanes, TailStrategy::RoundUp);
    m.block_b.compute_root();
    m.low_b.compute_root().vectorize(m.j, lanes, TailStrategy::RoundUp);
    m.low_b.update().vectorize(m.j, lanes, TailStrategy::GuardWithIf).reorder(m.in_window, m.j);
}

// One task per tile. Its minima stay in the first-level cache, while one element after another is evaluated.
inline void groups(MinPlusGroups &m, ScheduleContext &context) {
    const int lanes = context.target.natural_vector_size(m.b.type());
    blocks_in_memory(m, lanes);
    m.low_of_group.compute_root();
    m.least_of_group.compute_root();
    m.sampled.compute_root();
    m.best.compute_root().vectorize(m.x, lanes).parallel(m.q);
    m.minima.compute_at(m.best, m.q).store_in(MemoryType::Stack).vectorize(m.x, lanes);
    m.minima.update().reorder(m.x, m.r, m.q).vectorize(m.x, lanes).unroll(m.x, 8);
    m.asked.compute_root().parallel(m.q);
    m.bound.compute_at(m.asked, m.q);
    m.of_lane.compute_at(m.asked, m.q).bound(m.lane, 0, m.lanes).vectorize(m.lane);
    m.of_lane.update().reorder(m.lane, m.steps, m.q).vectorize(m.lane);
}

// As `groups`. One condition leaves out a block, and another one leaves out an element.
inline void sieve(MinPlusSieve &m, ScheduleContext &context) {
    const int lanes = context.target.natural_vector_size(m.b.type());
    blocks_in_memory(m, lanes);
    m.low_a.compute_root();
    m.out.split(m.k, block, m.k, m.sizes.width, TailStrategy::GuardWithIf)
        .vectorize(m.k, lanes)
        .parallel(block);
    m.bound.compute_at(m.out, block);
    m.minima.compute_at(m.out, block)
        .store_in(MemoryType::Stack)
        .bound_extent(m.x, m.sizes.width)
        .vectorize(m.x, lanes);
    m.minima.update().reorder(m.x, m.r.x, m.r.y, m.q).vectorize(m.x, lanes).unroll(m.x, 8);
}

}  // namespace tilewright::min_plus_cpu
