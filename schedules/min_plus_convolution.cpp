// The schedules of min_plus_convolution, and the table of its variants. Those on CPUs, and those of forms on
// GPUs: schedules/min_plus_convolution/.
#include "generators/algorithms/min_plus_convolution/min_plus_convolution.h"
#include "generators/algorithms/min_plus_convolution/bounded.h"
#include "generators/algorithms/min_plus_convolution/configuration.h"
#include "generators/algorithms/min_plus_convolution/plan.h"
#include "generators/algorithms/min_plus_convolution/pruned.h"
#include "generators/algorithms/min_plus_convolution/sieve.h"
#include "generators/algorithms/min_plus_convolution/slices.h"
#include "generators/algorithms/min_plus_convolution/tiles.h"
#include "schedules/min_plus_convolution/min_plus_convolution_cpu.h"
#include "schedules/min_plus_convolution/min_plus_convolution_gpu.h"
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
// 100,000 f64 by CUDA, H200, 2026-12-01: .845 to .894 ms, where registers_any takes 1.13. It is not in
// `tuned`, because 30,000 take 1.15 to 1.45 times as long as registers_any, by the data.
ScheduleVariant bounded_variant() {
    return exact(variant("bounded", gpu, "f64", min_plus_gpu::bounded,
                     {{"own", 16, 8, 16}, {"owners", 128, 32, 128}, {"run", 16, 16, 32},
                         {"chunk", 256, 128, 1024}, {"lanes", 32, 8, 32}}))
        .says("Bounds in integers choose few sums of f64; where they leave many, all are computed.");
}

ScheduleVariants register_variants() {
    const std::string small_tiles = "As registers_any, with tiles of 32 outputs, so that short vectors fill "
                                    "the device.",
                      medium_tiles = "As registers_any, with tiles of 64 outputs.",
                      in_registers = "A thread keeps 8 or 16 minima in registers; a block computes all sums "
                                     "of its outputs.";
    return family("registers",
        {
            exact(variant("registers_small", gpu, "f64", min_plus_gpu::slices, sliced(8, 4, 16, 64)))
                .in("tuned")
                .meant_for("pairs", {.most = 3e8})
                .says(small_tiles),
            exact(variant("registers_small", gpu, "f32", min_plus_gpu::slices, sliced(8, 4, 16, 64)))
                .in("tuned")
                .meant_for("pairs", {.most = 1e8})
                .says(small_tiles),
            exact(variant("registers_medium", gpu, "f64", min_plus_gpu::slices, sliced(8, 8, 16, 32)))
                .in("tuned")
                .meant_for("pairs", {.most = 2e9})
                .says(medium_tiles),
            exact(variant("registers_medium", gpu, "f32 i32", min_plus_gpu::slices, sliced(16, 4, 16, 64)))
                .in("tuned")
                .meant_for("pairs", {.most = 2e9})
                .says(medium_tiles),
            exact(variant("registers_any", gpu, "f64", min_plus_gpu::slices, sliced(16, 8, 16, 32)))
                .in("tuned")
                .says(in_registers),
            exact(variant("registers_any", gpu, "f32", min_plus_gpu::slices, sliced(16, 8, 16, 64)))
                .in("tuned")
                .says(in_registers),
            exact(variant("registers_any", gpu, "i32", min_plus_gpu::slices, sliced(8, 16, 32, 32)))
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
    return family(
        "pruned", {
                      exact(variant("pruned", cpu, all, sieve, sieve_of_512))
                          .in("tuned")
                          .meant_for("pairs", {.least = 1e9})
                          .says(in_elements),
                      exact(variant("pruned_always", cpu, all, groups, sieve_of_512))
                          .says("As pruned, but it leaves out elements also where that saves little."),
                      exact(variant("pruned", gpu, "f64", min_plus_gpu::pruned, tile_of_512(75)))
                          .in("tuned")
                          .meant_for("pairs", {.least = 2e10})
                          .says(in_blocks),
                      exact(variant("pruned", gpu, "f32", min_plus_gpu::pruned, tile_of_512(50)))
                          .in("tuned")
                          .meant_for("pairs", {.least = 8e10})
                          .says(in_blocks),
                      exact(variant("pruned", gpu, "i32", min_plus_gpu::pruned, tile_of_512(45)))
                          .in("tuned")
                          .meant_for("pairs", {.least = 8e10})
                          .says(in_blocks),
                      exact(variant("pruned_always", gpu, all, min_plus_gpu::plan, tile_of_512(100),
                                {{"tenths", 6, 1, 20}}))
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
        bounded_variant(),
    };
    return table;
}

static const Table table("min_plus_convolution", variants);

}  // namespace tilewright
