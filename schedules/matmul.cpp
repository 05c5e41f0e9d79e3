// The schedules of matmul, and the table of its variants.
#include "generators/algorithms/matmul/matmul.h"
#include "generators/algorithms/matmul/configuration.h"
#include "generators/algorithms/matmul/tiles.h"
#include "schedules/matmul/matmul_cpu.h"
#include "schedules/matmul/matmul_fragments.h"
#include "schedules/matmul/matmul_lanes.h"
#include "schedules/matmul/matmul_workers.h"
#include "schedules/schedule.h"
#include <numeric>

namespace tilewright {

namespace {

// Elements one after another, in the order of memory.
void reference(Matmul &, ScheduleContext &) {}

// One thread per element, which reads from global memory.
void direct(Matmul &matmul, ScheduleContext &context) {
    Var xi{"xi"}, yi{"yi"};
    matmul.out.gpu_tile(
        matmul.x, matmul.y, xi, yi, context["width"], context["height"], TailStrategy::GuardWithIf);
}

// Divides a stage over a tile between the threads of a thread block: side x side elements per thread.
void squares_over_threads(Matmul &m, Halide::Stage stage, int side) {
    const Var thread_x{"thread_x"}, thread_y{"thread_y"};
    stage.tile(m.x, m.y, thread_x, thread_y, m.x, m.y, side, side)
        .gpu_threads(thread_x, thread_y)
        .vectorize(m.x, std::gcd(side, 4))
        .unroll(m.x)
        .unroll(m.y);
}

// Copies a tile of a matrix to shared memory for each block of k, with all threads x threads threads.
// Neighbouring threads copy neighbouring elements of a row.
void copy_tile(Matmul &m, Func tile, const RVar &block, int columns, int rows, int threads) {
    const Var column = tile.args()[0], row = tile.args()[1], all{"all"}, iteration{"iteration"},
              thread_x{"thread_x"}, thread_y{"thread_y"};
    tile.compute_at(m.sum, block)
        .store_in(MemoryType::GPUShared)
        .bound_extent(column, columns)
        .bound_extent(row, rows)
        .fuse(column, row, all)
        .split(all, iteration, all, threads * threads, TailStrategy::GuardWithIf)
        .split(all, thread_y, thread_x, threads)
        .reorder(iteration, thread_x, thread_y)
        .gpu_threads(thread_x, thread_y)
        .unroll(iteration);
}

// A block of threads x threads threads computes a tile of out, side x side elements per thread, from tiles of
// A and B in shared memory, one block of `depth` along k after another. A block's part of a sum is in
// registers of its thread. The sums, which live across the blocks and their barriers, are in shared memory.
void tiles_in_shared(Matmul &m, int threads, int side, int depth) {
    const int tile = threads * side;
    const Var xo{"xo"}, yo{"yo"}, xi{"xi"}, yi{"yi"}, thread_x{"thread_x"}, thread_y{"thread_y"};
    const RVar block{"block"}, k{"k"};
    m.out.tile(m.x, m.y, xo, yo, xi, yi, tile, tile, TailStrategy::GuardWithIf)
        .tile(xi, yi, thread_x, thread_y, xi, yi, side, side)
        .gpu_blocks(xo, yo)
        .gpu_threads(thread_x, thread_y)
        .unroll(xi)
        .unroll(yi);
    m.sum.update().split(m.k.x, block, k, depth);
    Func part = m.sum.update().rfactor(block, Var("part"));
    m.sum.compute_at(m.out, xo)
        .store_in(MemoryType::GPUShared)
        .bound_extent(m.x, tile)
        .bound_extent(m.y, tile);
    squares_over_threads(m, m.sum, side);
    squares_over_threads(m, m.sum.update(), side);
    m.sum.update().reorder(m.x, m.y, thread_x, thread_y, block);
    const int wide = std::gcd(side, 4);
    part.compute_at(m.sum, thread_x).store_in(MemoryType::Register);
    part.vectorize(m.x, wide).unroll(m.x).unroll(m.y);
    part.update().reorder(m.x, m.y, k).vectorize(m.x, wide).unroll(m.x).unroll(m.y).unroll(k);
    copy_tile(m, m.a.in(), block, depth, tile, threads);
    copy_tile(m, m.b.in(), block, tile, depth, threads);
}

// The published kernel with shared memory: one thread per element of a tile.
void shared(Matmul &m, ScheduleContext &context) {
    tiles_in_shared(m, context["tile"], 1, context["depth"]);
}

// As `shared`, with a square of elements per thread: of what a thread reads from shared memory, it uses each
// word `side` times. The rows of A's tile are contiguous, so that a thread reads several at once; they are 4
// elements apart from a multiple of 32 banks, because the copy writes along k.
void registers(Matmul &m, ScheduleContext &context) {
    const int side = context["side"], tile = context["threads"] * side;
    tiles_in_shared(m, context["threads"], side, context["depth"]);
    Func a = m.a.in();
    a.reorder_storage(a.args()[1], a.args()[0]).align_storage(a.args()[1], tile + 4);
}

// Copies a tile of A and one of B to shared memory, with one thread per element.
void panels_in_shared(Panels &m, Func consumer, RVar block) {
    m.a.compute_at(consumer, block).store_in(MemoryType::GPUShared);
    m.a.reorder_storage(m.k, m.i, m.p, m.t)
        .reorder(m.k, m.i, m.p, m.t)
        .gpu_threads(m.k, m.i)
        .never_partition_all();
    m.b.compute_at(consumer, block)
        .store_in(MemoryType::GPUShared)
        .gpu_threads(m.j, m.k)
        .never_partition_all();
    m.part.compute_at(consumer, m.j).store_in(MemoryType::Register).update().unroll(m.inner.x);
}

// One thread block per tile and run of blocks of the depth, because products of few elements have no other
// parallel work. For each block, a tile of A and one of B are copied to shared memory. The sums are in shared
// memory too; within a block of the depth a thread sums in a register. A second kernel adds the sums of the
// runs. 528 parts fill an H200.
void runs(MatmulRuns &m, ScheduleContext &) {
    const RVar j = variable(m.domain, 0), i = variable(m.domain, 1), q = variable(m.domain, 2),
               p = variable(m.domain, 3);
    Var xi{"xi"}, yi{"yi"};
    m.out.gpu_tile(m.x, m.y, xi, yi, 32, 4, TailStrategy::GuardWithIf);
    m.out.update().gpu_tile(m.x, m.y, xi, yi, 32, 4, TailStrategy::GuardWithIf);
    m.summed.compute_root();
    m.summed.update().allow_race_conditions().gpu_blocks(q, p, m.s).gpu_threads(j, i);
    m.tile.compute_at(m.summed, q).store_in(MemoryType::GPUShared).gpu_threads(m.j, m.i);
    m.tile.update().reorder(m.j, m.i, m.q, m.p, m.block.x).gpu_threads(m.j, m.i);
    panels_in_shared(m, m.tile, m.block.x);
}

// A product by tiles of registers, whose panels are copied by grids that bound the depth. With few elements
// for the depth the tiles would leave most of a GPU idle, or be mostly padding (measured on an H200).
ScheduleVariant by_panels(ScheduleVariant variant) {
    return std::move(variant)
        .serves("k", {.most = 32 * 65535})
        .meant_for("shorter_side", {.least = 17})
        .meant_for("tiles", {.least = 24});
}

using matmul_fragments::clusters, matmul_fragments::fragments, matmul_fragments::rows,
    matmul_fragments::shares, matmul_fragments::tiles;
using matmul_lanes::lanes, matmul_lanes::slices;
const MatmulFragmentsConfiguration panels{.copies = FragmentDivision::Copies::panels},
    in_parts{.copies = FragmentDivision::Copies::parts}, in_rows{.copies = FragmentDivision::Copies::rows},
    in_boxes{.copies = FragmentDivision::Copies::boxes},
    in_tight_rows{.copies = FragmentDivision::Copies::tight_rows},
    in_shared_rows{.copies = FragmentDivision::Copies::shared_rows},
    turned{.copies = FragmentDivision::Copies::turned},
    in_shared_boxes{.copies = FragmentDivision::Copies::shared_boxes},
    in_halves{.copies = FragmentDivision::Copies::halves};

ScheduleVariants tuned_on_cpus() {
    // A vector along k, or along x, must have enough elements to be worth it. Measured on two cores of an AMD
    // EPYC (Zen 4, 2026-11-22): 10000 x 8 by 8 x 8 took 1.14 ms in vectors along k, and .22 ms without.
    const Range few{.most = 8};
    // Variants for few rows or few columns keep sums of all of these for a strip, whose memory is bounded
    // here.
    const Range in_scratch{.most = 1024};
    using namespace matmul_cpu;
    return family("tuned",
        {
            variant("tuned_few_rows", cpu, "f32 f64", few_rows, {{"strip", 1024, 256, 4096}})
                .serves("m", in_scratch)
                .meant_for("m", few)
                .meant_for("n", {.least = 9})
                .kept_for("products of up to 8 rows")
                .says("A task per strip of columns reads B once and sums up to 8 rows in the first-level "
                      "cache."),
            variant("tuned_few_columns", cpu, "f32 f64", few_columns, {{"vectors", 4, 1, 8}})
                .serves("n", in_scratch)
                .meant_for("n", few)
                .meant_for("k", {.least = 32})
                .avx2()
                .kept_for("products of up to 8 columns")
                .says("A row of A is multiplied by up to 8 transposed columns of B, in vectors along k."),
            variant("tuned_narrow", cpu, "f32 f64", small_rows)
                .serves("n", in_scratch)
                .meant_for("n", few)
                .avx2()
                .kept_for("products of up to 8 columns and a depth below 32")
                .says("One element after another, for up to 8 columns and a depth below 32."),
            // Its last tiles, which would pass the edges, are moved inside: there must be one.
            variant("tuned_small", cpu, "f32 f64", small_tiles, {{"rows", 8, 1, 8}, {"narrow_rows", 6, 1, 8}})
                .serves("m", {.least = 8, .most = 1024})
                .serves("n", {.least = 32, .most = 1024})
                .meant_for("m", {.most = 128})
                .meant_for("n", {.most = 128})
                .meant_for("k", {.most = 256})
                .says("Small matrices are read in place, and the sums of a tile stay in vector registers."),
            variant(
                "tuned_any", cpu, "f32 f64 f16 bf16", blocks, {{"depth", 512, 128, 640}, {"chunk", 6, 2, 24}})
                .says("Copied panels of A and B stay in the caches, and the sums of a tile in vector "
                      "registers."),
        });
}

// 16-bit floats on the tensor cores.
ScheduleVariants tuned_on_tensor_cores() {
    return family("tuned",
        {
            // On an H200, f16 64 / 128 / 256 x 4096 x 4096, ms (2026-11-30): .0136 / .0226 / .0397, the next
            // one .0182 / .0158 / .0279, and the one behind it .0193 / .0180 / .0213; by clusters of four
            // blocks 64 x 64 tiles take .0222 / .0317 / .0503.
            variant(
                "tuned_tensor_shares", cuda, "f16 bf16", fragments, in_shared_boxes, clusters(1, 64, 2, 6))
                .meant_for("shorter_side", {.most = 64})
                .meant_for("k", {.least = 1024})
                .says("As tuned_tensor_small_boxes, where two thread blocks share the depth of a tile."),
            variant("tuned_tensor_shares_tall", cuda, "f16 bf16", fragments, in_shared_boxes,
                clusters(2, 64, 2, 6))
                .meant_for("shorter_side", {.most = 128})
                .meant_for("k", {.least = 1024})
                .says("As tuned_tensor_shares, in 128 x 64 tiles."),
            variant("tuned_tensor_shares_128", cuda, "f16 bf16", fragments, in_shared_boxes,
                clusters(2, 128, 2, 4))
                .meant_for("shorter_side", {.most = 256})
                .meant_for("k", {.least = 1024})
                .says("As tuned_tensor_shares, in 128 x 128 tiles."),
            // On an H200, f16 512 / 1024 / 2048 by OpenCL with half of the depth per block, ms (2026-11-29):
            // .0123 / .0114 / .0542; with three blocks ahead .0127 / .0127 / .0517.
            variant("tuned_tensor_small_whole", gpu, "f16 bf16", fragments, in_rows, rows(1, 1, 64, 32, 8, 4))
                .meant_for("tiles", {.most = 1200})
                .says("Tensor cores read rows of both matrices as they are, in 64 x 64 tiles."),
            variant(
                "tuned_tensor_small_boxes", cuda, "f16 bf16", fragments, in_boxes, rows(1, 1, 64, 32, 8, 4))
                .meant_for("tiles", {.most = 1200})
                .says("As tuned_tensor_small_whole, by the tensor memory accelerator, for depths that 8 "
                      "divides."),
            variant("tuned_tensor_whole", cuda, "f16 bf16", fragments, in_boxes, rows(1, 2, 256, 32, 8, 2))
                .says("As tuned_tensor_small_boxes, in 128 x 256 tiles."),
            // Which width leaves fewest multiprocessors idle depends on the size. 224 columns were faster at
            // few sizes, by up to 5 % (docs/performance/gpu-variants.md).
            variant(
                "tuned_tensor_whole_192", cuda, "f16 bf16", fragments, in_boxes, rows(1, 2, 192, 32, 8, 3))
                .says("As tuned_tensor_whole, in 128 x 192 tiles."),
            variant(
                "tuned_tensor_whole_160", cuda, "f16 bf16", fragments, in_boxes, rows(1, 2, 160, 32, 8, 3))
                .says("As tuned_tensor_whole, in 128 x 160 tiles."),
            variant(
                "tuned_tensor_whole_128", cuda, "f16 bf16", fragments, in_boxes, rows(1, 2, 128, 32, 8, 4))
                .says("As tuned_tensor_whole, in 128 x 128 tiles."),
            // OpenCL has no boxes. f16 2048 on an H200 .0340 ms (2026-11-30), and .0363 in 128 x 128 tiles of
            // half of the depth per block, which fit 48 KB.
            variant(
                "tuned_tensor_whole", opencl, "f16 bf16", fragments, in_tight_rows, rows(1, 2, 256, 32, 8, 2))
                .says("As tuned_tensor_small_whole, in 128 x 256 tiles."),
            by_panels(variant("tuned_tensor_small", gpu, "f16 bf16", fragments, panels, tiles(1, 64, 64, 8)))
                .meant_for("tiles", {.most = 1200})
                .kept_for("sides below 1024 that 8 does not divide, and rows that begin between multiples of "
                          "16 bytes")
                .registers("out", 128)
                .says("Tensor cores sum products of 16-bit floats in f32, in 64 x 64 tiles, four per "
                      "multiprocessor."),
            by_panels(variant("tuned_tensor", gpu, "f16 bf16", fragments, panels, tiles(2, 128, 48, 16)))
                .says("Tensor cores sum products of 16-bit floats in f32, in 128 x 128 tiles."),
        });
}

ScheduleVariants tuned_on_gpus() {
    using matmul_workers::division, matmul_workers::workers;
    using enum Division::Copies;
    const MatmulWorkersConfiguration small_whole{.copies = none}, small{.copies = together},
        large{.copies = apart};
    // Panels of both matrices in one buffer stay below the most bytes of an array up to this depth.
    const Range one_buffer{.most = 65536};
    const MatmulRunsConfiguration tiles_of_16{.rows = 16, .columns = 16, .depth = 16};
    return family("tuned",
        {
            tuned_on_tensor_cores(),
            by_panels(variant("tuned_small_whole", gpu, "f32", workers, small_whole,
                          division({7, 1, 1, 8, 128, 16})))
                .meant_for("longer_side", {.most = 640})
                .meant_for("k", one_buffer)
                .kept_for("GPUs without the tensor cores of compute capability 9.0")
                .says("Whole tiles need no copies; eight groups of threads share the sums of one tile."),
            by_panels(variant("tuned_small", gpu, "f32", workers, small, division({7, 1, 1, 4, 64, 16})))
                .meant_for("longer_side", {.most = 1280})
                .meant_for("k", one_buffer)
                .kept_for("GPUs without the tensor cores of compute capability 9.0")
                .says("Zero-padded panels fit any size; four groups of threads share a tile's sums."),
            by_panels(variant("tuned_large", gpu, "f32", workers, large, division({25, 2, 2, 1, 24, 24})))
                .kept_for("GPUs without the tensor cores of compute capability 9.0")
                .says("A thread keeps 8 x 8 sums in registers over all of K, from padded panels."),
            by_panels(
                variant("tuned_large", gpu, "f16 bf16", workers, large, division({25, 2, 2, 1, 24, 24})))
                .kept_for("16-bit floats on GPUs without the tensor cores of compute capability 9.0")
                .says("As of f32: the panels are f32, which have the same numbers."),
            variant("tuned_any", gpu, "f32", runs, tiles_of_16, {{"parts", 528, 132, 2112}})
                .kept_for("products of few elements and a great depth")
                .says("Thread blocks share the sums of one tile along K, for products with few elements."),
            variant("tuned_any", gpu, "f64", registers, MatmulConfiguration{.zeros_beyond = true},
                {{"threads", 8, 4, 10}, {"side", 4, 1, 8}, {"depth", 16, 8, 32}})
                .says("As registers, with 4 x 4 sums per thread."),
        });
}

// Products on the tensor cores, for GPUs of compute capability 9.0.
ScheduleVariants on_tensor_cores() {
    const auto deep = [](int depth) { return Range{.least = (double)FragmentDivision::least_depth(depth)}; };
    return family("tensor",
        {
            // 128 / 64 / 32 x 4096 x 4096 on an H200, ms (2026-11-30): .0576 / .0346 / .0340; with tiles of
            // 128 rows .0527 / .0507 / .0496, and of 128 x 128 .0570 / .0515 / .0491.
            by_panels(variant("tensor_few_rows", cuda, "f32", fragments, turned, shares(1, 64, 64, 264)))
                .serves("k", deep(64))
                .meant_for("m", {.most = 256})
                .meant_for("n", {.least = 1000})
                .says("As tensor_few_columns for the transposed product: rows of B, and panels of A."),
            // 4096 x 4096 x 128 and 2048 x 2048 x 64: .0556 and .0147; with tiles of 128 x 128 .0534 and
            // .0197.
            by_panels(
                variant("tensor_few_columns", cuda, "f32", fragments, in_shared_rows, shares(1, 64, 64, 264)))
                .serves("k", deep(64))
                .meant_for("m", {.least = 1000})
                .meant_for("n", {.most = 256})
                .says("As tensor_small_whole, where thread blocks share the depth of the few tiles."),
            // 512 / 64 x 2048 x 2048 / 256 / 768 on an H200, ms (2026-11-30): .0111 / .0192 / .0061 / .0306;
            // 64 x 32 with four slices and blocks of 128, two ahead .0107 / .0300 / .0070 / .0363.
            variant("tensor_lanes", gpu, "f32", lanes, slices(32, 32, 8, 128, 1))
                .serves("k", deep(16))
                .meant_for("shorter_side", {.least = 17})
                .meant_for("tiles", {.most = 128})
                .says("Warps multiply rows as they are, and those of a block share the depth of its tile."),
            variant("tensor_shares", cuda, "f32", fragments, in_parts, shares(1, 64, 64, 264))
                .serves("k", deep(64))
                .meant_for("shorter_side", {.least = 17})
                .meant_for("tiles", {.most = 128})
                .says("As tensor_small without panels: blocks share the depth, where there are few tiles."),
            by_panels(variant("tensor_small_whole", gpu, "f32", fragments, in_rows, tiles(1, 64, 64, 4)))
                .serves("k", deep(64))
                .meant_for("longer_side", {.most = 1400})
                .says("As tensor_small, with rows of A as they are in place of a panel."),
            by_panels(variant("tensor_small", gpu, "f32", fragments, panels, tiles(1, 64, 64, 4)))
                .serves("k", deep(64))
                .meant_for("longer_side", {.most = 1400})
                .says("Tensor cores sum 3 products of TF32 per product, in 64 x 64 tiles."),
            by_panels(variant("tensor_tall", gpu, "f32", fragments, panels, tiles(2, 64, 32, 8)))
                .serves("k", deep(32))
                .meant_for("longer_side", {.most = 1600})
                .says("As tensor_any in 128 x 64 tiles, of which a last row or column leaves less idle."),
            by_panels(variant("tensor_halves", cuda, "f32", fragments, in_halves, rows(1, 2, 256, 32, 8, 2)))
                .serves("k", deep(32))
                .says("Tensor cores sum 3 products of f16 per product, of scaled numbers in two parts."),
            by_panels(variant("tensor_whole", gpu, "f32", fragments, in_rows, tiles(2, 128, 32, 16)))
                .serves("k", deep(32))
                .says("As tensor_any, with rows of A as they are in place of a panel."),
            by_panels(variant("tensor_any", gpu, "f32", fragments, panels, tiles(2, 128, 32, 16)))
                .serves("k", deep(32))
                .says("Tensor cores sum 3 products of TF32 per product, in 128 x 128 tiles."),
        });
}

}  // namespace

static const ScheduleVariants &variants() {
    const MatmulConfiguration with_zeros{.zeros_beyond = true};
    static const ScheduleVariants table = {
        variant("reference", cpu, "f32 f64 f16 bf16", reference)
            .says("One element is computed after another, without a schedule: every variant is compared with "
                  "this."),
        variant("direct", gpu, "f32", direct, {{"width", 16, 8, 64}, {"height", 16, 2, 32}})
            .says("One thread per element reads a row of A and a column of B from global memory."),
        tuned_on_cpus(),
        variant("shared", gpu, "f32", shared, with_zeros, {{"tile", 16, 8, 32}, {"depth", 16, 8, 64}})
            .says("A block copies 16 x 16 tiles of A and B to shared memory, so 16 threads use each load."),
        variant("registers", gpu, "f32", registers, with_zeros,
            {{"threads", 8, 4, 10}, {"side", 8, 1, 8}, {"depth", 16, 8, 32}})
            .says("As shared, but a thread has 8 x 8 sums, so it uses each word from shared memory 8 times."),
        tuned_on_gpus(),
        on_tensor_cores(),
        // The tiles that the plug-ins made.
        automatic<Matmul>("auto", cpu, "f32", "Mullapudi2016")
            .serves("m", {.least = 4})
            .serves("n", {.least = 64}),
        automatic<Matmul>("auto", gpu, "f32", "Anderson2021")
            .serves("m", {.least = 4})
            .serves("n", {.least = 64}),
    };
    return table;
}

static const Table table("matmul", variants);

}  // namespace tilewright
