// The schedules of min_plus_convolution, and the table of its variants. Those on CPUs:
// schedules/min_plus_convolution/min_plus_convolution_cpu.h.
#include "generators/algorithms/min_plus_convolution/min_plus_convolution.h"
#include "generators/algorithms/min_plus_convolution/configuration.h"
#include "generators/algorithms/min_plus_convolution/plan.h"
#include "generators/algorithms/min_plus_convolution/pruned.h"
#include "generators/algorithms/min_plus_convolution/sieve.h"
#include "generators/algorithms/min_plus_convolution/slices.h"
#include "generators/algorithms/min_plus_convolution/tiles.h"
#include "schedules/min_plus_convolution/min_plus_convolution_cpu.h"
#include "schedules/schedule.h"

namespace tilewright {

namespace {

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

// One thread block per tile, and one thread per worker. In each round, all threads copy the windows of a and
// b that the round needs to shared memory. A thread keeps its least sums in registers over all rounds, in the
// way that matmul_workers::workers() explains.
void slices(MinPlusSlices &m, ScheduleContext &context) {
    Var all{"all"}, iteration{"turn"}, lane{"lane"};
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
    m.least.update().reorder(m.x, m.r.x, m.w, m.r.y).gpu_threads(m.w).unroll(m.x).unroll(m.r.x);
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

// The tunables of a tile and its slices (see MinPlusTile and MinPlusSlices).
std::vector<Tunable> sliced(int outputs_per_worker, int workers, int run, int slices) {
    return {{"own", outputs_per_worker, 4, 16}, {"owners", workers, 4, 32}, {"run", run, 16, 32},
        {"slices", slices, 8, 64}};
}

ScheduleVariant exact(ScheduleVariant variant) {
    return std::move(variant).with("strict_float");
}

// Times on an H200 (2026-11-23, ms, outputs as many as elements of each vector) by which the rows were chosen
// among 18 settings; `parts` are the rows before, which kept a result per part of the range of i in memory:
//                             1000    5000   20000  100000          parts, same sizes
//     f64  small             .0086   .0102   .0675   1.189
//          medium            .0088   .0145   .0764   1.113
//          any               .0085   .0235   .0973   1.114    .0105   .0168   .0706   1.115
//     f32  small             .0084   .0072   .0371    .590
//          medium            .0084   .0083   .0354    .482
//          any               .0085   .0116   .0407    .477    .0096   .0139   .0419    .481
//     i32  small             .0084   .0081   .0329    .505
//          medium            .0084   .0082   .0303    .414
//          any               .0084   .0100   .0341    .396    .0098   .0105   .0334    .423
ScheduleVariants register_variants() {
    const std::string small_tiles = "As registers_any, with tiles of 32 outputs, so that short vectors fill "
                                    "the device.",
                      medium_tiles = "As registers_any, with tiles of 64 outputs.",
                      in_registers = "A thread keeps 8 or 16 minima in registers; a block computes all sums "
                                     "of its outputs.";
    return family(
        "registers", {
                         exact(variant("registers_small", gpu, "f64", slices, sliced(8, 4, 16, 64)))
                             .in("tuned")
                             .meant_for("pairs", {.most = 3e8})
                             .says(small_tiles),
                         exact(variant("registers_small", gpu, "f32", slices, sliced(8, 4, 16, 64)))
                             .in("tuned")
                             .meant_for("pairs", {.most = 1e8})
                             .says(small_tiles),
                         exact(variant("registers_medium", gpu, "f64", slices, sliced(8, 8, 16, 32)))
                             .in("tuned")
                             .meant_for("pairs", {.most = 2e9})
                             .says(medium_tiles),
                         exact(variant("registers_medium", gpu, "f32 i32", slices, sliced(16, 4, 16, 64)))
                             .in("tuned")
                             .meant_for("pairs", {.most = 2e9})
                             .says(medium_tiles),
                         exact(variant("registers_any", gpu, "f64", slices, sliced(16, 8, 16, 32)))
                             .in("tuned")
                             .says(in_registers),
                         exact(variant("registers_any", gpu, "f32", slices, sliced(16, 8, 16, 64)))
                             .in("tuned")
                             .says(in_registers),
                         exact(variant("registers_any", gpu, "i32", slices, sliced(8, 16, 32, 32)))
                             .in("tuned")
                             .says(in_registers),
                     });
}

// Rows that leave out sums, by the values. `tuned` takes `pruned` from so many pairs on; there the first half
// takes less than a tenth of the time of all pairs (on a GPU an estimate from the times of its kernels). On
// GPUs, that number of pairs and how much may be evaluated were measured on an H200.
ScheduleVariants pruned_variants() {
    using namespace min_plus_cpu;
    const std::string all = "f64 f32 i32",
                      in_elements = "Bounds leave out elements without a least sum; where that saves little, "
                                    "all pairs are evaluated.",
                      in_blocks = "Bounds leave out blocks without a least sum; where that saves little, all "
                                  "pairs are evaluated.";
    const MinPlusSieveConfiguration sieve_of_512;
    const auto tile_of_512 = [](int most_percent) {
        return MinPlusPrunedConfiguration{
            .outputs_per_worker = 8, .workers = 64, .run = 8, .most_percent = most_percent};
    };
    return family("pruned",
        {
            exact(variant("pruned", cpu, all, sieve, sieve_of_512))
                .in("tuned")
                .meant_for("pairs", {.least = 1e9})
                .says(in_elements),
            exact(variant("pruned_always", cpu, all, groups, sieve_of_512))
                .says("As pruned, but it leaves out elements also where that saves little."),
            exact(variant("pruned", gpu, "f64", pruned, tile_of_512(75)))
                .in("tuned")
                .meant_for("pairs", {.least = 2e10})
                .says(in_blocks),
            exact(variant("pruned", gpu, "f32", pruned, tile_of_512(50)))
                .in("tuned")
                .meant_for("pairs", {.least = 8e10})
                .says(in_blocks),
            exact(variant("pruned", gpu, "i32", pruned, tile_of_512(45)))
                .in("tuned")
                .meant_for("pairs", {.least = 8e10})
                .says(in_blocks),
            exact(variant("pruned_always", gpu, all, plan, tile_of_512(100), {{"tenths", 6, 1, 20}}))
                .says("As pruned, but it leaves out blocks also where that saves little."),
        });
}

}  // namespace

// Neither infinities nor the order of roundings may be lost: all rows have strict_float.
static const ScheduleVariants &variants() {
    using namespace min_plus_cpu;
    const std::string all = "f64 f32 i32";
    const MinPlusConvolutionConfiguration branch{.branch = true};
    const Range few_elements{.most = 16};
    const char *of_few = "a vector of at most 16 elements";
    static const ScheduleVariants table = {
        exact(variant("reference", cpu, all, reference))
            .says("One output is computed after another, without a schedule: every variant is compared with "
                  "it."),
        family("tuned",
            {
                exact(variant("tuned_short", cpu, all, short_vector,
                          {{"vectors", 8, 1, 14}, {"task", 1024, 64, 65536}}))
                    .serves("n", few_elements)
                    .kept_for(of_few)
                    .says("As tuned_any for a vector of a few elements, with the longer one read in place."),
                exact(variant("tuned_short", gpu, all, output_per_thread, {{"threads", 128, 32, 1024}}))
                    .meant_for("n", few_elements)
                    .kept_for(of_few)
                    .says("One thread per output walks over the shorter vector."),
            }),
        pruned_variants(),
        family("tuned", {exact(variant("tuned_any", cpu, all, strips,
                                   {{"vectors", 12, 4, 14}, {"narrow_vectors", 6, 2, 6}, {"steps", 4, 1, 8}}))
                                .says("A task per strip of outputs keeps their minima in vector registers "
                                      "over all of i.")}),
        exact(automatic<MinPlusConvolution>("auto", cpu, "f32", "Mullapudi2016"))
            .serves("length", {.least = 16}),  // a vector, of the plug-in's making

        // Of the published kernels, which are of doubles. `tuned` takes branchless too, of all types, on CPUs
        // by OpenCL.
        exact(variant("direct", gpu, "f64", direct, branch,
                  {{"threads", 512, 32, 1024}, {"blocks", 256, 14, 2048}}))
            .says("The least sums are in global memory, and a branch writes each sum that is less there."),
        exact(variant("shared", gpu, "f64", shared, branch, {{"threads", 512, 32, 1024}}))
            .says("The least sums are in shared memory, one per thread, and go to global memory once."),
        exact(variant("branchless", gpu, all, shared, {{"threads", 512, 32, 1024}}))
            .says("As shared, with a minimum in place of the branch, so that the threads of a warp stay "
                  "together."),
        register_variants(),
    };
    return table;
}

static const Table table("min_plus_convolution", variants);

}  // namespace tilewright
