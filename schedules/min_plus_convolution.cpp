// The schedules of min_plus_convolution, and the table of its rows. Those on CPUs:
// schedules/min_plus_convolution_cpu.h.
#include "generators/algorithms/min_plus_convolution/min_plus_convolution.h"
#include "generators/algorithms/min_plus_convolution/configuration.h"
#include "generators/algorithms/min_plus_convolution/plan.h"
#include "generators/algorithms/min_plus_convolution/pruned.h"
#include "generators/algorithms/min_plus_convolution/sieve.h"
#include "generators/algorithms/min_plus_convolution/tiles.h"
#include "schedules/min_plus_convolution_cpu.h"
#include "schedules/schedule.h"

namespace tilewright {

namespace {

using Halide::MemoryType;
using Halide::RVar;
using Halide::TailStrategy;
using Halide::Var;

Var block{"block"}, thread{"thread"};

// ------------------------------------------------------------------------------------------------------- GPU

// A loop with a stride of the whole grid: `blocks` blocks of `threads` threads, and a thread computes every
// (blocks x threads)-th output.
void grid_stride(MinPlusConvolution &m, Halide::Stage stage, int threads, int blocks) {
    Var round{"round"};
    stage.split(m.k, round, thread, threads * blocks, TailStrategy::GuardWithIf)
        .split(thread, block, thread, threads)
        .reorder(round, thread, block)
        .gpu_blocks(block)
        .gpu_threads(thread);
}

// The older published kernel: the least sums so far are in global memory, which a thread reads and writes. A
// kernel of its own makes them infinite first, and another one compares them with `before`.
void direct(MinPlusConvolution &m, ScheduleContext &context) {
    const int threads = context["threads"], blocks = context["blocks"];
    m.least.compute_root();
    m.least.update().reorder(m.i, m.k);
    for (const Halide::Stage &stage : {Halide::Stage(m.least), m.least.update(), Halide::Stage(m.out)}) {
        grid_stride(m, stage, threads, blocks);
    }
}

// The newer published kernel: one thread per output, whose least sum so far is in shared memory. Sums beyond
// the last output are computed too, because the threads of a block must be as many in all its stages; they
// read no element that is not there, and no one reads them.
void shared(MinPlusConvolution &m, ScheduleContext &context) {
    const int threads = context["threads"];
    m.out.gpu_tile(m.k, block, thread, threads, TailStrategy::GuardWithIf);
    m.least.compute_at(m.out, block)
        .store_in(MemoryType::GPUShared)
        .bound_extent(m.k, threads)
        .gpu_threads(m.k);
    m.least.update().reorder(m.i, m.k).gpu_threads(m.k);
}

// One thread per output, whose least sum so far is in a register.
void output_per_thread(MinPlusConvolution &m, ScheduleContext &context) {
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
void workers_are_threads(MinPlusTiles &m) {
    m.part.compute_root()
        .reorder_storage(m.t, m.x, m.q, m.u)
        .bound(m.x, 0, m.tile.outputs_per_worker)
        .bound(m.t, 0, m.tile.workers)
        .reorder(m.x, m.t, m.q, m.u)
        .unroll(m.x)
        .gpu_threads(m.t)
        .gpu_blocks(m.q, m.u);
}

// The least sums of a thread so far, one run of i after another: outputs_per_worker x run additions and
// comparisons without a branch.
void in_registers(MinPlusTiles &m) {
    m.of_chunk.compute_at(m.part, m.t)
        .unroll(m.x)
        .update()
        .reorder(m.x, m.r.x, m.r.y)
        .unroll(m.x)
        .unroll(m.r.x);
}

// Copies the windows of a and b that a part needs to shared memory, with all threads.
void windows_in_shared(MinPlusTiles &m) {
    Var iteration{"turn"}, lane{"lane"};
    m.a.compute_at(m.part, m.q)
        .store_in(MemoryType::GPUShared)
        .split(m.i, iteration, lane, m.tile.workers)
        .gpu_threads(lane);
    m.b.compute_at(m.part, m.q)
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
    workers_are_threads(m);
    in_registers(m);
    pad(m);
}

// One thread block per part, with its windows of a and b in shared memory: two kernels in all.
void staged(MinPlusTiles &m, ScheduleContext &) {
    combine(m);
    workers_are_threads(m);
    in_registers(m);
    windows_in_shared(m);
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

// The tunables of a tile (see MinPlusTile), and the number of runs of a part where the row says it.
std::vector<Tunable> tile(int outputs_per_worker, int workers, int run) {
    return {{"own", outputs_per_worker, 1, 16}, {"owners", workers, 32, 512}, {"run", run, 4, 32}};
}
std::vector<Tunable> tile(int outputs_per_worker, int workers, int run, int runs) {
    std::vector<Tunable> tunables = tile(outputs_per_worker, workers, run);
    tunables.push_back({"runs", runs, 1, 64});
    return tunables;
}

ScheduleRow exact(ScheduleRow row) {
    return std::move(row).with("strict_float");
}

ScheduleRows register_rows() {
    const std::string small_windows =
        "As registers_medium, with shorter parts, so that short vectors fill the device too.";
    const std::string medium_windows =
        "Windows of a and b are in shared memory, and the minima of 8 outputs per thread in registers.";
    const std::string from_caches =
        "A thread keeps the minima of 8 or 16 outputs in registers, and reads a and b from the caches.";
    const MinPlusTilesConfiguration small{.pairs_below = 4'000'000, .runs_by_row = true},
        medium{.pairs_below = 1'000'000'000, .runs_by_row = true}, any_size;
    return family("registers",
        {
            exact(row("registers_small", gpu, "f64", staged, small, tile(4, 64, 4, 8))).says(small_windows),
            exact(row("registers_small", gpu, "f32", staged, small, tile(8, 32, 8, 4))).says(small_windows),
            exact(row("registers_small", gpu, "i32", staged, small, tile(4, 32, 4, 16))).says(small_windows),
            exact(row("registers_medium", gpu, "f64 f32", staged, medium, tile(8, 128, 16, 16)))
                .says(medium_windows),
            exact(row("registers_medium", gpu, "i32", staged, medium, tile(8, 32, 8, 32)))
                .says(medium_windows),
            exact(row("registers_any", gpu, "f64", registers, any_size, tile(8, 128, 32))).says(from_caches),
            exact(row("registers_any", gpu, "f32 i32", registers, any_size, tile(16, 128, 32)))
                .says(from_caches),
        });
}

}  // namespace

// Neither infinities nor the order of roundings may be lost: all rows have strict_float.
static const ScheduleRows &rows() {
    using namespace min_plus_cpu;
    const std::string all = "f64 f32 i32";
    const MinPlusConvolutionConfiguration short_vectors{.most_walked = 16}, branch{.branch = true};
    const MinPlusPrunedConfiguration tile_of_512{.outputs_per_worker = 8, .workers = 64, .run = 8};
    const MinPlusSieveConfiguration sieve_of_512;
    const MinPlusShortConfiguration few_elements{.most_elements = 16};
    static const ScheduleRows table = {
        exact(row("reference", cpu, all, reference))
            .says("One output is computed after another, without a schedule: every row is compared with it."),
        family("tuned",
            {
                exact(row("tuned_short", cpu, all, short_vector, few_elements,
                          {{"vectors", 8, 1, 14}, {"task", 1024, 64, 65536}}))
                    .says("As tuned_any for a vector of a few elements, with the longer one read in place."),
                exact(row("tuned_any", cpu, all, strips,
                          {{"vectors", 12, 4, 14}, {"narrow_vectors", 6, 2, 6}, {"steps", 4, 1, 8}}))
                    .says(
                        "A task per strip of outputs keeps their minima in vector registers over all of i."),
            }),
        exact(automatic<MinPlusConvolution>("auto", cpu, all, "Mullapudi2016")),

        exact(
            row("direct", gpu, all, direct, branch, {{"threads", 512, 32, 1024}, {"blocks", 256, 14, 2048}}))
            .says("The least sums are in global memory, and a branch writes each sum that is less there."),
        exact(row("shared", gpu, all, shared, branch, {{"threads", 512, 32, 1024}}))
            .says("The least sums are in shared memory, one per thread, and go to global memory once."),
        exact(row("branchless", gpu, all, shared, {{"threads", 512, 32, 1024}}))
            .says("As shared, with a minimum in place of the branch, so that the threads of a warp stay "
                  "together."),
        register_rows(),
        family("pruned",
            {
                exact(row("pruned", cpu, all, sieve, sieve_of_512))
                    .says("Bounds leave out elements without a least sum; where that saves little, all pairs "
                          "are evaluated."),
                exact(row("pruned_always", cpu, all, groups, sieve_of_512))
                    .says("As pruned, but it leaves out elements also where that saves little."),
                exact(row("pruned", gpu, all, pruned, tile_of_512))
                    .says("Bounds leave out blocks without a least sum; where that saves little, all pairs "
                          "are evaluated."),
                exact(row("pruned_always", gpu, all, plan, tile_of_512, {{"tenths", 6, 1, 20}}))
                    .says("As pruned, but it leaves out blocks also where that saves little."),
            }),
        exact(row("tuned", gpu, all, output_per_thread, short_vectors, {{"threads", 128, 32, 1024}}))
            .says("Short vectors have one thread per output; others are left to registers or pruned."),
    };
    return table;
}

static const Table table("min_plus_convolution", rows);

}  // namespace tilewright
