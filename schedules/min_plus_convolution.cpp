// The schedules of min_plus_convolution, and the table of its rows.
#include "generators/algorithms/min_plus_convolution/min_plus_convolution.h"
#include "generators/algorithms/min_plus_convolution/plan.h"
#include "generators/algorithms/min_plus_convolution/pruned.h"
#include "generators/algorithms/min_plus_convolution/tiles.h"
#include "schedules/schedule.h"

namespace tilewright {

namespace {

using Halide::Func;
using Halide::MemoryType;
using Halide::RVar;
using Halide::TailStrategy;
using Halide::Var;

Var block{"block"}, thread{"thread"};

// ------------------------------------------------------------------------------------------------------- CPU

// Outputs one after another.
void reference(MinPlusConvolution &, ScheduleContext &) {}

// One task per strip of outputs, whose minima stay in vector registers over the whole range of i. A pair
// costs one addition, which reads b at any alignment, and one minimum.
void strips(MinPlusStrips &m, ScheduleContext &context) {
    const int lanes = context.target.natural_vector_size(m.b.type());
    m.out.split(m.k, block, m.k, m.width, TailStrategy::GuardWithIf).vectorize(m.k, lanes).parallel(block);
    m.of_strip.compute_at(m.out, block)
        .store_in(MemoryType::Stack)
        .bound_extent(m.x, m.width)
        .vectorize(m.x, lanes)
        .unroll(m.x);
    m.of_strip.update().reorder(m.x, m.r.x, m.r.y, m.q).vectorize(m.x, lanes).unroll(m.x).unroll(m.r.x);
    m.a.compute_root().vectorize(m.i, lanes, TailStrategy::RoundUp);
    m.b.compute_root().vectorize(m.j, lanes, TailStrategy::RoundUp);
}

// ------------------------------------------------------------------------------------------------------- GPU

// One thread per output, which reads from global memory.
void direct(MinPlusConvolution &m, ScheduleContext &context) {
    m.out.gpu_tile(m.k, block, thread, context["threads"], TailStrategy::GuardWithIf);
    m.least.compute_at(m.out, thread);
}

// Stores the padded vectors in global memory.
void pad(MinPlusVectors &m) {
    m.a.compute_root().gpu_tile(m.i, block, thread, 256);
    m.b.compute_root()
        .bound(m.rest, 0, m.tile.outputs_per_worker)
        .reorder(m.rest, m.quotient)
        .gpu_tile(m.quotient, block, thread, 64)
        .unroll(m.rest);
}

// The minimum of the parts: one thread per output, with eight loads in flight.
void combine(MinPlusTiles &m) {
    m.out.gpu_tile(m.k, block, thread, 64, TailStrategy::GuardWithIf);
    m.least.compute_at(m.out, thread).update().unroll(m.parts.x);
}

// One thread block per tile and part, and one thread per worker, whose outputs are in its registers.
void workers_are_threads(MinPlusTiles &m, Func stage) {
    stage.bound(m.x, 0, m.tile.outputs_per_worker)
        .bound(m.t, 0, m.tile.workers)
        .reorder(m.x, m.t, m.q, m.u)
        .unroll(m.x)
        .gpu_threads(m.t);
}

// The least sums of a thread so far, one run of i after another: outputs_per_worker x run additions and
// comparisons without a branch.
void in_registers(MinPlusTiles &m, Func consumer) {
    m.of_chunk.compute_at(consumer, m.t)
        .unroll(m.x)
        .update()
        .reorder(m.x, m.r.x, m.r.y)
        .unroll(m.x)
        .unroll(m.r.x);
}

// Copies the windows of a and b that a chunk needs to shared memory, with all threads, at the level `at`.
void windows_in_shared(MinPlusTiles &m, Halide::LoopLevel at) {
    Var iteration{"turn"}, lane{"lane"};
    m.a.compute_at(at)
        .store_in(MemoryType::GPUShared)
        .split(m.i, iteration, lane, m.tile.workers)
        .gpu_threads(lane);
    m.b.compute_at(at)
        .store_in(MemoryType::GPUShared)
        .bound(m.rest, 0, m.tile.outputs_per_worker)
        .reorder_storage(m.quotient, m.rest)
        .split(m.quotient, iteration, lane, m.tile.workers)
        .reorder(m.rest, iteration, lane)
        .gpu_threads(lane)
        .unroll(m.rest);
}

// a and b are padded in global memory first, and the windows come from the caches. The range of i is split
// over thread blocks until there are enough of them.
void registers(MinPlusTiles &m, ScheduleContext &) {
    combine(m);
    workers_are_threads(m, m.part.compute_root().reorder_storage(m.t, m.x, m.q, m.u));
    m.part.gpu_blocks(m.q, m.u);
    in_registers(m, m.part);
    pad(m);
}

// One thread block per chunk of i, with its windows of a and b in shared memory: two kernels in all.
void staged_once(MinPlusTiles &m, ScheduleContext &) {
    combine(m);
    workers_are_threads(m, m.part.compute_root().reorder_storage(m.t, m.x, m.q, m.u));
    m.part.gpu_blocks(m.q, m.u);
    in_registers(m, m.part);
    windows_in_shared(m, {m.part, m.q});
}

// A thread block computes one chunk after another, with its windows and the minima so far in shared memory.
void staged(MinPlusTiles &m, ScheduleContext &) {
    combine(m);
    workers_are_threads(m, m.part.compute_root().reorder_storage(m.t, m.x, m.q, m.u));
    m.part.gpu_blocks(m.q, m.u);
    m.of_chunks.compute_at(m.part, m.q)
        .store_in(MemoryType::GPUShared)
        .reorder_storage(m.t, m.x)
        .gpu_threads(m.t)
        .unroll(m.x);
    m.of_chunks.update().reorder(m.x, m.t, m.z).gpu_threads(m.t).unroll(m.x);
    in_registers(m, m.of_chunks);
    windows_in_shared(m, {m.of_chunks, m.z});
}

// ------------------------------------------------------------------------------------------ pruned, on a GPU

// One thread per value, which computes all updates of it; a thread block has `width` values along the first
// dimension. No thread computes a value beyond the last one, because some of these Funcs, and Funcs that they
// read, are outputs of the library.
void thread_per_value(Materialized &f, int width) {
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

// First one thread per worker of a tile, then one thread per tile.
void schedule(MinPlusBlocks &m, MinPlusGreatest &greatest) {
    thread_per_value(greatest.of_worker, m.tile.workers);
    thread_per_value(greatest.of_tile, 32);
}

// Bits: one thread per word. Counts: one thread per segment. Lists: one thread per word, which stores each of
// its bits at its position in the list; no two bits have the same position. Then the threads of a tile
// evaluate the blocks of the lists, with minima in registers.
void schedule(MinPlusBlocks &m, MinPlusPass &pass) {
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
void schedule(MinPlusBlocks &m, MinPlusCounts &counts) {
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
void plan(MinPlusPlan &m, ScheduleContext &) {
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
void pruned(MinPlusPruned &m, ScheduleContext &) {
    pad(m);
    schedule(m, m.pass_m);
    thread_per_value(m.pass_m.best, m.tile.workers);
    schedule(m, m.bound);
    schedule(m, m.pass_c);
    m.out.gpu_tile(m.k, block, thread, 128, TailStrategy::GuardWithIf);
    m.least.compute_at(m.out, thread);
}

// The tunables of a tile (see MinPlusTile). runs: the number of runs of a chunk; 0: the caller says how many.
// several: whether a part may have several chunks.
std::vector<Tunable> tile(int outputs_per_worker, int workers, int run, int runs, int several = 0) {
    return {{"own", outputs_per_worker, 1, 16}, {"owners", workers, 32, 512}, {"run", run, 4, 32},
        {"runs", runs, 0, 64}, {"several", several}};
}

}  // namespace

static const ScheduleRows &rows() {
    static const ScheduleRows table = {
        row("reference", cpu, "f64 f32 i32", reference).with("strict_float"),
        row("tuned", cpu, "f64 f32 i32", strips, {{"vectors", 12, 4, 24}, {"run", 4, 1, 8}})
            .with("strict_float"),
        automatic<MinPlusConvolution>("auto", cpu, "f64 f32 i32", "Mullapudi2016").with("strict_float"),

        row("direct", gpu, "f64", direct, {{"threads", 512, 32, 1024}}).with("strict_float"),
        row("shared", gpu, "f64", staged, tile(1, 256, 8, 32, 1)).with("strict_float"),
        family("registers",
            {
                row("registers_small", gpu, "f64", staged_once, tile(4, 64, 4, 8)).with("strict_float"),
                row("registers_small", gpu, "f32", staged_once, tile(8, 32, 8, 4)).with("strict_float"),
                row("registers_small", gpu, "i32", staged_once, tile(4, 32, 4, 16)).with("strict_float"),
                row("registers_medium", gpu, "f64 f32", staged_once, tile(8, 128, 16, 16))
                    .with("strict_float"),
                row("registers_medium", gpu, "i32", staged_once, tile(8, 32, 8, 32)).with("strict_float"),
                row("registers_any", gpu, "f64", registers, tile(8, 128, 32, 0)).with("strict_float"),
                row("registers_any", gpu, "f32 i32", registers, tile(16, 128, 32, 0)).with("strict_float"),
            }),
        family("pruned",
            {
                row("pruned", gpu, "f64 f32 i32", pruned, {{"own", 8}, {"owners", 64}, {"run", 8}})
                    .with("strict_float"),
                row("pruned_always", gpu, "f64 f32 i32", plan,
                    {{"own", 8}, {"owners", 64}, {"run", 8}, {"tenths", 6, 1, 20}})
                    .with("strict_float"),
            }),
        row("tuned", gpu, "f64 f32 i32", direct, {{"threads", 128, 32, 1024}}).with("strict_float"),
    };
    return table;
}

static const Table table("min_plus_convolution", rows);

}  // namespace tilewright
