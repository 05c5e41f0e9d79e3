#pragma once
// The schedules of the forms of min_plus_convolution on GPUs.
#include "generators/algorithms/integers.h"
#include "generators/algorithms/min_plus_convolution/bounded.h"
#include "generators/algorithms/min_plus_convolution/plan.h"
#include "generators/algorithms/min_plus_convolution/pruned.h"
#include "generators/algorithms/min_plus_convolution/slices.h"
#include "schedules/schedule.h"
#include <vector>

namespace tilewright::min_plus_gpu {

inline const Var block{"block"}, thread{"thread"};

// Stores the padded vectors in global memory.
inline void pad(MinPlusVectors &m) {
    m.a.compute_root().gpu_tile(m.i, block, thread, 256);
    m.b.compute_root()
        .bound(m.rest, 0, m.tile.outputs_per_worker)
        .reorder(m.rest, m.quotient)
        .gpu_tile(m.quotient, block, thread, 64)
        .unroll(m.rest);
}

// One thread block per tile, and one thread per worker. A thread keeps its least sums in registers over all
// rounds, in the way that matmul_workers::workers() explains. together: the threads of a block begin each
// round at the same time.
inline void tile_per_block(MinPlusSlices &m, ScheduleContext &context, bool together) {
    const RVar entry(m.place[0].name()), worker(m.place[1].name()), once(m.place[2].name()),
        tile(m.place[3].name());
    m.out.gpu_single_thread();
    m.out.update().allow_race_conditions().gpu_blocks(tile).gpu_threads(worker).unroll(entry);
    m.shared.compute_at(m.out, once)
        .store_in(MemoryType::GPUShared)
        .bound_extent(m.x, m.tile.outputs_per_worker)
        .reorder_storage(m.w, m.x)
        .gpu_threads(m.w)
        .unroll(m.x);
    m.least.store_at(m.out, tile).compute_at(m.out, once).store_in(MemoryType::Stack);
    context.fold_per_thread(m.least, m.w);
    m.least.fold_storage(m.q, 1);  // a block has one tile
    m.least.bound_extent(m.x, m.tile.outputs_per_worker).gpu_threads(m.w).unroll(m.x);
    Halide::Stage rounds = m.least.update();
    together ? rounds.reorder(m.x, m.r.x, m.w, m.r.y) : rounds.reorder(m.x, m.r.x, m.r.y, m.w);
    rounds.gpu_threads(m.w).unroll(m.x).unroll(m.r.x);
}

// In each round, all threads copy the windows of a and b that the round needs to shared memory.
inline void slices(MinPlusSlices &m, ScheduleContext &context) {
    Var all{"all"}, iteration{"turn"}, lane{"lane"};
    tile_per_block(m, context, true);
    // Shared memory has 32 banks of 4 bytes. Neighbouring threads copy neighbouring elements to different
    // banks, and read from different banks where their runs of a are neighbours.
    const int lanes = 128 / m.numbers.type.bytes(), own = m.tile.outputs_per_worker,
              quotients = m.slices * m.tile.run / own + m.tile.workers + 1;
    m.terms.compute_at(m.least, m.r.y)
        .store_in(MemoryType::GPUShared)
        .bound(m.step, 0, m.tile.run)
        .align_storage(m.step, m.tile.run + lanes / 8)
        .fuse(m.step, m.run, all)
        .split(all, iteration, lane, m.workers, TailStrategy::GuardWithIf)
        .reorder(iteration, lane)
        .unroll(iteration)
        .gpu_threads(lane);
    m.b.compute_at(m.least, m.r.y)
        .store_in(MemoryType::GPUShared)
        .bound(m.rest, 0, own)
        .reorder_storage(m.quotient, m.rest)
        .align_storage(m.quotient, round_up(quotients, lanes) + lanes / own)
        .reorder(m.rest, m.quotient)
        .fuse(m.rest, m.quotient, all)
        .split(all, iteration, lane, m.workers, TailStrategy::GuardWithIf)
        .reorder(iteration, lane)
        .unroll(iteration)
        .gpu_threads(lane);
}

// One thread per value, which computes all updates of it; a thread block has `width` values along the first
// dimension. No thread computes a value beyond the last one, because some of these Funcs, and Funcs that they
// read, are outputs of the library.
inline void thread_per_value(Materialized &f, int width) {
    const std::vector<Var> args = f.values.args();
    f.values.compute_root()
        .split(args[0], block, thread, width, TailStrategy::GuardWithIf)
        .gpu_threads(thread)
        .gpu_blocks(block);
    for (size_t i = 1; i < args.size(); i++) {
        f.values.gpu_blocks(args[i]);
    }
    f.steps.compute_at(f.values, thread);
}

// One thread per worker of a tile and chunk; then one thread per output.
inline void schedule(MinPlusChunks &m) {
    const MinPlusTile &tile = m.vectors.tile;
    m.part.compute_root()
        .reorder_storage(m.t, m.x, m.q, m.u)
        .bound(m.x, 0, tile.outputs_per_worker)
        .bound(m.t, 0, tile.workers)
        .reorder(m.x, m.t, m.q, m.u)
        .gpu_blocks(m.q, m.u)
        .gpu_threads(m.t)
        .unroll(m.x);
    m.least.compute_at(m.part, m.t).unroll(m.x).update().reorder(m.x, m.r.x, m.r.y).unroll(m.x).unroll(m.r.x);
    m.found.compute_root()
        .bound(m.t, 0, tile.workers)
        .bound(m.x, 0, tile.outputs_per_worker)
        .gpu_threads(m.t)
        .gpu_blocks(m.x, m.q);
    m.lowest.compute_at(m.found, m.t).update().unroll(m.parts.x);
    m.asking.compute_at(m.found, m.t);
}

// The bounds, kernel by kernel, and then the tiles of all pairs as slices() has them.
inline void bounded(MinPlusBounded &form, ScheduleContext &context) {
    MinPlusBounds &m = form.bounds;
    pad(m.rounded);
    for (MinPlusExtremes *extremes : {&m.of_a, &m.of_b}) {
        thread_per_value(extremes->of_lane, 32);
        extremes->of_lane.steps.update()
            .reorder(extremes->r.x, extremes->lane, extremes->r.y)
            .unroll(extremes->r.x);
    }
    m.scale.compute_root().gpu_tile(m.z, block, thread, 1);
    m.totals.compute_at(m.scale, thread).update().unroll(m.all_groups, 8);
    m.grouped.compute_at(m.scale, block).store_in(MemoryType::GPUShared).gpu_threads(m.group);
    m.grouped.update().reorder(m.lanes_of_group, m.group).gpu_threads(m.group).unroll(m.lanes_of_group, 8);

    schedule(m.sample);
    schedule(m.chunks);
    m.allowed.compute_root().gpu_tile(m.z, block, thread, 1);
    m.all_wants.compute_at(m.allowed, thread);
    m.wants.compute_at(m.allowed, block).store_in(MemoryType::GPUShared).gpu_threads(m.t);
    m.wants.update().reorder(m.of_worker.x, m.of_worker.y, m.t).gpu_threads(m.t).unroll(m.of_worker.x);
    m.rounds.compute_root().gpu_tile(m.d, block, thread, 32, TailStrategy::GuardWithIf);
    m.wanted.compute_at(m.rounds, thread).update().unroll(m.of_tile, 8);

    m.exact.compute_root().gpu_tile(m.k, block, thread, 8, TailStrategy::GuardWithIf);
    m.exact_steps.compute_at(m.exact, thread);
    m.shared.compute_at(m.exact, block)
        .store_in(MemoryType::GPUShared)
        .bound(m.lane, 0, m.lanes)
        .bound_extent(m.k, 8)
        .align_storage(m.lane, m.lanes + 1)
        .gpu_threads(m.lane, m.k);
    m.of_lane.compute_at(m.shared, m.lane).update().reorder(m.pair.x, m.lane, m.k, m.pair.y).unroll(m.pair.x);
    // Most tiles have no round. Loops end early by numbers of the host alone, so that copies in each round
    // would be made for nothing: windows are read from padded vectors instead.
    pad(form.all);
    tile_per_block(form.all, context, false);
}

// First one thread per worker of a tile, then one thread per tile.
inline void schedule(MinPlusBlocks &m, MinPlusGreatest &greatest) {
    thread_per_value(greatest.of_worker, m.tile.workers);
    thread_per_value(greatest.of_tile, 32);
}

// Bits: one thread per word. Counts: one thread per segment. Lists: one thread per word, which stores each of
// its bits at its position in the list; no two bits have the same position. Then the threads of a tile
// evaluate the blocks of the lists, with minima in registers.
inline void schedule(MinPlusBlocks &m, MinPlusPass &pass) {
    const RVar bit(pass.listed.x.name()), word(pass.listed.y.name());
    thread_per_value(pass.bits, 128);
    pass.count.compute_root().gpu_tile(m.s, block, thread, 64, TailStrategy::GuardWithIf).gpu_blocks(m.q);
    pass.list.compute_root();
    pass.list.update()
        .allow_race_conditions()
        .reorder(bit, word, m.s, m.q)
        .split(m.s, block, thread, 16, TailStrategy::GuardWithIf)
        .gpu_threads(word, thread)
        .gpu_blocks(block, m.q);
    pass.part.compute_root()
        .reorder_storage(m.t, m.x, m.q, m.u)
        .bound(m.x, 0, m.tile.outputs_per_worker)
        .bound(m.t, 0, m.tile.workers)
        .reorder(m.x, m.t, m.q, m.u)
        .gpu_blocks(m.q, m.u)
        .gpu_threads(m.t)
        .unroll(m.x);
    pass.least.compute_at(pass.part, m.t)
        .unroll(m.x)
        .update()
        .reorder(m.x, pass.r.x, pass.r.y, pass.r.z)
        .unroll(m.x)
        .unroll(pass.r.x);
}

// One thread per lane, which counts in its words, with the counts of half of the levels in registers.
inline void schedule(MinPlusBlocks &m, MinPlusCounts &counts) {
    Var half{"half"}, in_half{"in_half"};
    counts.of_lane.compute_root()
        .bound(m.level, 0, m.levels)
        .split(m.level, half, in_half, m.levels / 2)
        .reorder(in_half, m.lane, half, m.q)
        .unroll(in_half)
        .gpu_blocks(half, m.q)
        .gpu_threads(m.lane);
    counts.steps.compute_at(counts.of_lane, m.lane)
        .unroll(m.level)
        .update()
        .reorder(m.level, counts.r.x, counts.r.y, m.lane, m.q)
        .unroll(m.level);
    thread_per_value(counts.total, m.levels);
}

// One kernel for each step, over all tiles. The values that the second half needs stay in global memory.
inline void plan(MinPlusPlan &m, ScheduleContext &) {
    pad(m);
    for (int greatest : {0, 1}) {
        thread_per_value(m.blocks_a[greatest], 64);
        thread_per_value(m.blocks_b[greatest], 64);
        thread_per_value(m.windows[greatest], 64);
    }
    thread_per_value(m.spread_of_lane, m.lanes);
    thread_per_value(m.spread, 32);
    schedule(m, m.below);
    thread_per_value(m.pick, 32);
    schedule(m, m.pass);
    thread_per_value(m.pass.best, m.tile.workers);
    schedule(m, m.bound);
    schedule(m, m.above);
    thread_per_value(m.middle, 32);
    m.limits.split(m.q, block, thread, 32, TailStrategy::GuardWithIf)
        .reorder(m.level, thread, block)
        .gpu_blocks(block)
        .gpu_threads(thread);
    thread_per_value(m.asked_of_lane, m.lanes);
    thread_per_value(m.asked, 1);
}

// As `plan`. The minimum of the last pass is computed in the kernel of the output.
inline void pruned(MinPlusPruned &m, ScheduleContext &) {
    pad(m);
    schedule(m, m.pass_m);
    thread_per_value(m.pass_m.best, m.tile.workers);
    schedule(m, m.bound);
    schedule(m, m.pass_c);
    m.out.gpu_tile(m.k, block, thread, 128, TailStrategy::GuardWithIf);
    m.least.compute_at(m.out, thread);
}

}  // namespace tilewright::min_plus_gpu
