// The schedules of transpose, and the table of its variants. The documented steps:
// schedules/transpose/transpose_steps.h.
#include "generators/algorithms/transpose/transpose.h"
#include "generators/algorithms/transpose/blocks.h"
#include "generators/algorithms/transpose/configuration.h"
#include "generators/algorithms/transpose/flat.h"
#include "generators/algorithms/transpose/patch.h"
#include "generators/algorithms/transpose/squares.h"
#include "generators/algorithms/transpose/words.h"
#include "schedules/schedule.h"
#include "schedules/shared_moves.h"
#include "schedules/transpose/transpose_blocks.h"
#include "schedules/transpose/transpose_cpu.h"
#include "schedules/transpose/transpose_steps.h"

namespace tilewright {

namespace {

Var xo{"xo"}, yo{"yo"}, yv{"yv"}, block{"block"}, lane{"lane"}, row_of_lanes{"row_of_lanes"}, step{"step"};

// ------------------------------------------------------------------------------------------------------- CPU

// Pixels one after another, in the order of memory.
void reference(Transpose &, ScheduleContext &) {}

// ------------------------------------------------------------------------------------------------------- GPU

// Each thread block transposes `across` x (`down` * `patches`) patches through shared memory. First, a thread
// transposes `patches` patches in registers, and neighbouring threads read neighbouring patches of the
// input's rows. Then neighbouring threads write along the output's rows. Each access moves a whole row of a
// patch (4, 8 or 16 bytes). The odd pitch of the shared rows keeps both halves free of bank conflicts.
void patches_in_shared(TransposePatches &t, ScheduleContext &context) {
    const int across = context["across"], down = context["down"], high = down * context["patches"],
              bytes = t.bytes;
    const bool one_vector = bytes % 3 != 0;  // a row of a patch is one vector
    Var qi{"qi"}, pi{"pi"}, word{"word"};

    // Blocks that would cross the right or the bottom edge move inwards. Where blocks then overlap, they
    // write the same values.
    t.out.split(t.p, xo, pi, high, TailStrategy::ShiftInwards)
        .split(t.q, yo, qi, across, TailStrategy::ShiftInwards)
        .split(qi, yv, row_of_lanes, across * down / high);
    if (one_vector) {
        t.out.split(pi, step, lane, high)
            .vectorize(t.j)
            .reorder(t.j, step, t.r, yv, lane, row_of_lanes, xo, yo);
    } else {
        t.out.reorder(t.j, pi)
            .fuse(t.j, pi, word)
            .split(word, step, lane, high)
            .reorder(step, t.r, yv, lane, row_of_lanes, xo, yo);
    }
    t.out.fuse(lane, row_of_lanes, lane)
        .split(lane, row_of_lanes, lane, across)  // the thread block has the shape that the first half needs
        .gpu_blocks(xo, yo)
        .gpu_threads(lane, row_of_lanes)
        .unroll(step)
        .unroll(t.r)
        .unroll(yv);

    t.transposed.compute_at(t.out, xo)
        .store_in(MemoryType::GPUShared)
        .reorder_storage(t.j, t.p, t.q, t.r)
        .align_storage(t.p, high + 1)
        .split(t.p, t.p, step, context["patches"])
        .reorder(t.j, t.r, step, t.q, t.p)
        .gpu_threads(t.q, t.p)
        .unroll(t.r)
        .unroll(step);
    if (one_vector) {
        t.transposed.vectorize(t.j);
    } else {
        t.transposed.unroll(t.j);
    }
    Func words = t.in.in(t.transposed);
    words.compute_at(t.transposed, t.q).unroll(words.args()[2]).unroll(words.args()[3]);
    if (one_vector) {
        words.vectorize(words.args()[0]);
    } else {
        words.unroll(words.args()[0]);
    }
    for (Halide::OutputImageParam &buffer : context.buffers) {
        if (one_vector) {
            buffer.set_host_alignment(4 * bytes);
            buffer.dim(2).set_stride(multiple_of(bytes, buffer.dim(2).stride()));
            buffer.dim(3).set_stride(multiple_of(bytes, buffer.dim(3).stride()));
        }
    }
}

// Each thread block transposes a tile through shared memory (schedules/transpose/transpose_blocks.h), whose
// rows are `pad` pixels longer.
void tiles_in_shared(TransposeBlocks &t, ScheduleContext &context) {
    undefined_on_gpu(t.out);
    tile_in_shared(t, context["pad"]);
    t.out.never_partition_all();
}

// Each thread block transposes a tile through shared memory, whose pitch puts the words that neighbouring
// threads read into different banks. Neighbouring threads read words along the input's rows, and then write
// along the output's.
void words_in_shared(TransposeWords &t, ScheduleContext &context) {
    const Var step_of_words{"step_of_words"};
    const int side = t.tiles.side, down = t.tiles.down;
    undefined_on_gpu(t.out);
    t.out.update()
        .allow_race_conditions()
        .gpu_blocks(t.r[4], t.r[5], t.r[6])
        .gpu_threads(t.r[2], t.r[3])
        .unroll(t.r[0]);
    t.tile.compute_at(t.out, t.r[4])
        .store_in(MemoryType::GPUShared)
        .align_storage(t.i, (side + 1) * t.words)
        .split(t.i, step_of_words, t.i, side)
        .split(t.j, step, t.j, down)
        .reorder(step, step_of_words, t.i, t.j)
        .gpu_threads(t.i, t.j)
        .unroll(step)
        .never_partition_all();
    from_origin(context.buffers);
    t.out.never_partition_all();
}

// Each thread block transposes a block of patches through shared memory. It reads and writes aligned words,
// and shifts them together in between. A second kernel writes the bytes at the ends of the rows.
void any_alignment(TransposeFlat &t, ScheduleContext &context) {
    const auto &s = t.shape;
    const int down = context["down"];
    undefined_on_gpu(t.out);
    undefined_on_gpu(t.edges);
    t.out.update()
        .allow_race_conditions()
        .gpu_blocks(t.words[4], t.words[5], t.words[6])
        .gpu_threads(t.words[2], t.words[3])
        .unroll(t.words[0])
        .unroll(t.words[1]);
    t.transposed.compute_at(t.out, t.words[4])
        .store_in(MemoryType::GPUShared)
        .bound(t.j, 0, t.bytes)
        .reorder_storage(t.j, t.p, t.q, t.r)
        .align_storage(t.p, s.groups | 1)
        .split(t.p, t.p, step, s.groups / down)
        .reorder(t.j, t.r, step, t.q, t.p)
        .fuse(t.q, t.p, block)
        .split(block, row_of_lanes, lane, 32, TailStrategy::GuardWithIf)
        .gpu_threads(lane, row_of_lanes)
        .unroll(t.j)
        .unroll(t.r)
        .unroll(step);
    t.raw.bound_extent(t.k, t.bytes + 1)
        .bound_extent(t.q, 1)
        .bound_extent(t.y, 4 * (s.groups / down))
        .compute_at(t.transposed, lane)
        .store_in(MemoryType::Register)
        .unroll(t.k)
        .unroll(t.y)
        .unroll(t.q);

    RVar outer{"outer"}, inner{"inner"};
    t.edges.update()
        .allow_race_conditions()
        .split(t.ends.y, outer, inner, 128, TailStrategy::GuardWithIf)
        .reorder(t.ends.x, inner, outer)
        .gpu_blocks(outer)
        .gpu_threads(inner)
        .unroll(t.ends.x);

    context.buffers[0].set_host_alignment(4).dim(0).set_min(0);
    context.buffers[1].set_host_alignment(4).dim(0).set_min(0);
    context.buffers[2].dim(0).set_min(0);
    t.out.never_partition_all();
    t.edges.never_partition_all();
}

// What several variants say.
constexpr const char *
    in_blocks = "Blocks of squares that are turned in registers, written by lines, over all cores.",
   *by_rows = "Squares go from registers to their places, along rows of the output, for data in the cache.",
   *by_columns = "Squares go from registers to their places, in columns along rows of the input.",
   *small = "As tuned_blocks, in small blocks, which cover images in the cache better.",
   *whole = "As for f32, where one instruction shuffles the bytes of two 64-byte vectors (AVX-512 VBMI).",
   *whole_colours =
       "As tuned_small, with an instruction that shuffles bytes of two 64-byte vectors (AVX-512 VBMI).",
   *narrow = "As tuned_blocks, in blocks of 16 x 16, for images too narrow for larger ones.",
   *longer_pitch = "As shared, with a longer pitch, so that a column's pixels are in different banks.",
   *on_diagonals = "As padded, with blocks along diagonals, so that writes spread over the memory.",
   *in_patches = "Patches of 4 x 4 pixels are turned in registers and pass through shared memory as vectors.",
   *by_words = "Any alignment: aligned words are shifted into patches, turned, and shifted back.",
   *by_tiles = "Any size: tiles in shared memory, whose output rows begin at aligned addresses.";

// Blocks of width x height pixels, `blocks_per_task` of them per task. Blocks that are long in the direction
// of the input's rows read whole pages: u8 8192 x 8192 on one core, 64 x 64: 31.0, 64 x 256: 15.9, 64 x
// 1024: 14.4 ms (AMD Zen 4, AVX-512, 2026-11-22). Small images stay in the cache, and small blocks cover them
// better. Columns of blocks read long pieces without a buffer: f32 8192 x 8192 34.5 ms of CPU time, in blocks
// of 64 x 256 53.5, of 16 x 1024 40 to 53 (2026-11-23, other programs ran). Bytes whose blocks write whole
// lines of 64 bytes take 10 ms so (tuned_blocks 15.6; lines of 32 or 128 bytes, and columns of 64 blocks, 20
// to 25). Within lanes of 16 bytes (tuned_lanes) u8 640 x 480 takes 16.5 us with AVX2 and 13.8 with AVX-512,
// in squares of 16 x 16 24.6, in rectangles by AVX-512 VBMI 22.4; along rows of the output, in blocks of
// 32 x 32, 17.2 (Intel Xeon, Emerald Rapids, 2026-11-23). On an AMD EPYC it was not measured, so that the
// rows by VBMI come first.
ScheduleVariants in_registers_on_cpu() {
    const TransposeSquaresConfiguration in_registers{.in_registers = true}, in_columns{.in_columns = true},
        columns_of_bytes{.in_columns = true, .rows = 32}, wide_columns{.in_columns = true, .rows = 16},
        bytes_in_registers{.in_registers = true, .rows = 32}, in_rectangles{.in_registers = true, .rows = 16};
    const Tunable task{"task", 1024, 16, 16384};
    const auto columns = [&](const char *name, Backends where, const char *type,
                             const TransposeSquaresConfiguration &squares, const Tunable &width, int height,
                             const Tunable &down, const char *sentence) {
        return variant(name, where, type, transpose_cpu::columns_in_registers, squares,
            {width, {"height", height}, down, task})
            .says(sentence);
    };
    const auto registers = [&](Backends where, const char *type, const TransposeSquaresConfiguration &squares,
                               int width, int height, const char *sentence) {
        return variant("tuned_registers", where, type, transpose_cpu::squares_in_registers, squares,
            {{"width", width}, {"height", height}, task})
            .says(sentence);
    };
    const Tunable tall{"down", 64, 16, 256}, low{"down", 32, 16, 256}, lowest{"down", 32, 8, 64};
    return {
        columns("tuned_columns", cpu, "f32", in_columns, {"width", 16}, 16, tall, by_columns)
            .meant_for("kib", {.least = 12288}),
        columns("tuned_columns", cpu, "u64", in_columns, {"width", 8}, 8, tall, by_columns)
            .meant_for("kib", {.least = 12288}),
        columns("tuned_columns", vnni, "u8", columns_of_bytes, {"width", 64, 32, 128}, 32, low, whole)
            .meant_for("kib", {.least = 4096}),
        columns("tuned_columns", vnni, "u16", wide_columns, {"width", 32}, 32, low, whole)
            .meant_for("kib", {.least = 12288}),
        registers(cpu, "f32", in_registers, 16, 16, by_rows),
        registers(cpu, "u64", in_registers, 8, 8, by_rows),
        registers(vnni, "u8", bytes_in_registers, 32, 32, whole),
        registers(vnni, "u16", in_rectangles, 16, 32, whole),
        columns("tuned_lanes", cpu, "u8", in_columns, {"width", 64}, 32, lowest, by_columns),
        columns("tuned_lanes", cpu, "u16", in_columns, {"width", 32}, 16, lowest, by_columns),
    };
}

// The rows above, and those whose squares are in memory.
ScheduleVariants tuned_on_cpu() {
    const TransposeSquaresConfiguration colours{.lanes = 2}, colours_in_rectangles{.rows = 16};
    const Range from_64_kib{.least = 64};
    const auto tunables = [](int width, int height, int blocks_per_task) {
        return std::vector<Tunable>{{"width", width, width, 4 * width},
            {"height", height, std::min(height, 256), 1024}, {"blocks_per_task", blocks_per_task, 1, 1024}};
    };
    return family("tuned",
        {
            in_registers_on_cpu(),
            variant("tuned_blocks", cpu, "rgb8", transpose_cpu::blocks, tunables(64, 64, 64))
                .meant_for("kib", {.least = 4096})
                .says(in_blocks),
            variant("tuned_rectangles", vnni, "rgb8", transpose_cpu::blocks, colours_in_rectangles,
                tunables(32, 64, 128))
                .meant_for("kib", from_64_kib)
                .says(whole_colours),
            variant("tuned_rectangles", vnni, "rgb16", transpose_cpu::blocks, colours_in_rectangles,
                tunables(32, 32, 128))
                .meant_for("kib", from_64_kib)
                .says(whole_colours),
            variant("tuned_small", cpu, "u8 u64", transpose_cpu::blocks, tunables(64, 64, 128)).says(small),
            variant("tuned_small", cpu, "rgb8 rgb16", transpose_cpu::blocks, colours, tunables(32, 32, 256))
                .meant_for("kib", from_64_kib)
                .says(small),
            variant("tuned_strips", cpu, "u8 u16 f32", transpose_cpu::blocks, tunables(16, 16, 1024))
                .says(narrow),
            variant("tuned_any", cpu, "u8 u16 f32 u64 rgb8 rgb16", transpose_cpu::thin,
                {{"width", 1024}, {"height", 64}})
                .avx2()
                .says("Pixels one by one in parallel strips, for images that are too thin for blocks."),
            variant("tuned_any", cpu, "words", transpose_cpu::thin,
                {{"width", 32, 8, 1024}, {"height", 32, 8, 1024}})
                .avx2()
                .says("Pixels of 12 bytes or more one by one, in parallel blocks that stay in the cache."),
        });
}

// The documented steps, from the slow one to the fast one.
ScheduleVariants steps() {
    const TransposeConfiguration whole_vectors{.whole_vectors = true};
    const std::vector<Tunable> pixels = {{"width", 16, 8, 32}, {"height", 16, 8, 32}},
                               tile = {{"tile", 16, 8, 64}, {"across", 16, 8, 32}, {"down", 16, 4, 32}},
                               patches = {{"across", 16, 4, 32}, {"down", 16, 4, 32}};
    const auto padded = [&](int pad) {
        std::vector<Tunable> tunables = tile;
        tunables.push_back({"pad", pad, 0, 16});
        return tunables;
    };
    const auto squares_of = [](std::vector<Tunable> tunables) {
        tunables.push_back({"square", 32, 8, 64});
        return tunables;
    };
    const auto in_diagonals = [&](int pad) { return squares_of(padded(pad)); };
    return {
        variant("direct", gpu, "u8 f32", transpose_steps::direct, pixels)
            .says("One thread per pixel: reads coalesce, writes are one output row apart."),
        variant("direct_mirrored", gpu, "u8 f32", transpose_steps::direct_mirrored, pixels)
            .says("One thread per pixel: writes coalesce, reads are one input row apart."),
        variant("shared", gpu, "u8 f32", transpose_steps::shared, tile)
            .says("A tile passes through shared memory, so that reads and writes both coalesce."),
        variant("padded", gpu, "u8", transpose_steps::padded, padded(4)).says(longer_pitch),
        variant("padded", gpu, "f32", transpose_steps::padded, padded(1)).says(longer_pitch),
        variant("diagonal", gpu, "u8", transpose_steps::diagonal, in_diagonals(4)).says(on_diagonals),
        variant("diagonal", gpu, "f32", transpose_steps::diagonal, in_diagonals(1)).says(on_diagonals),
        variant("diagonal_unpadded", gpu, "u8 f32", transpose_steps::diagonal_unpadded, squares_of(tile))
            .says("As shared, with blocks along diagonals, so that writes spread over the memory."),
        family("vector4",
            {
                variant("vector4_aligned", gpu, "u8 f32", transpose_steps::vector4_aligned, whole_vectors,
                    patches)
                    .says("One thread turns 4 x 4 pixels in registers, and moves 4 pixels per access."),
                variant("vector4_any", gpu, "u8 f32", transpose_steps::vector4_any, patches)
                    .says("One thread moves 4 x 4 pixels one by one, which any size and alignment allows."),
            }),
    };
}

ScheduleVariants tuned_on_gpu() {
    const TransposePatchesConfiguration whole_patches{};
    const TransposeFlatConfiguration flat{};
    return family("tuned",
        {
            variant("tuned_aligned", gpu, "u8", patches_in_shared, whole_patches,
                {{"across", 32, 16, 32}, {"down", 8, 4, 16}, {"patches", 4, 1, 4}})
                .says(in_patches),
            variant("tuned_aligned", gpu, "u16", patches_in_shared, whole_patches,
                {{"across", 32, 16, 32}, {"down", 8, 4, 16}, {"patches", 4, 1, 4}})
                .says(in_patches),
            variant("tuned_aligned", gpu, "f32", patches_in_shared, whole_patches,
                {{"across", 16, 16, 32}, {"down", 16, 4, 16}, {"patches", 1, 1, 4}})
                .says(in_patches),
            variant("tuned_aligned", cuda, "rgb8", patches_in_shared,
                TransposePatchesConfiguration{.permute = true},
                {{"across", 32, 16, 32}, {"down", 8, 4, 16}, {"patches", 2, 1, 4}})
                .says(in_patches),
            variant("tuned_aligned", opencl, "rgb8", patches_in_shared, whole_patches,
                {{"across", 32, 16, 32}, {"down", 8, 4, 16}, {"patches", 2, 1, 4}})
                .says(in_patches),
            variant("tuned_aligned", gpu, "rgb16", patches_in_shared, whole_patches,
                {{"across", 16, 16, 32}, {"down", 16, 4, 16}, {"patches", 1, 1, 4}})
                .says(in_patches),
            variant("tuned_any", cuda, "u8", any_alignment, flat,
                {{"groups", 33}, {"down", 11}, {"patches", 32}, {"rows", 8}, {"words", 1}})
                .says(by_words),
            variant("tuned_any", opencl, "u8", any_alignment, flat,
                {{"groups", 32}, {"down", 16}, {"patches", 32}, {"rows", 16}, {"words", 1}})
                .says(by_words),
            variant("tuned_any", gpu, "rgb8", any_alignment, flat,
                {{"groups", 32}, {"down", 16}, {"patches", 16}, {"rows", 8}, {"words", 3}})
                .says(by_words),
            variant("tuned_any", gpu, "rgb16", any_alignment, flat,
                {{"groups", 16}, {"down", 8}, {"patches", 16}, {"rows", 8}, {"words", 3}})
                .says(by_words),
            // By OpenCL blocks of these have 256 threads, the most that some GPUs take.
            variant("tuned_any", cuda, "u64", tiles_in_shared, TransposeBlocksConfiguration{.aligned = 4},
                {{"width", 64}, {"height", 64}, {"across", 32}, {"down", 16}, {"pad", 1}})
                .says(by_tiles),
            variant("tuned_any", opencl, "u64", tiles_in_shared, TransposeBlocksConfiguration{.aligned = 4},
                {{"width", 64}, {"height", 64}, {"across", 32}, {"down", 8}, {"pad", 1}})
                .says(by_tiles),
            variant("tuned_any", cuda, "u16", tiles_in_shared, TransposeBlocksConfiguration{.aligned = 16},
                {{"width", 128}, {"height", 64}, {"across", 32}, {"down", 16}, {"pad", 2}})
                .says(by_tiles),
            variant("tuned_any", opencl, "u16", tiles_in_shared, TransposeBlocksConfiguration{.aligned = 16},
                {{"width", 128}, {"height", 64}, {"across", 32}, {"down", 8}, {"pad", 2}})
                .says(by_tiles),
            variant("tuned_any", cuda, "f32", tiles_in_shared, TransposeBlocksConfiguration{.aligned = 8},
                {{"width", 128}, {"height", 64}, {"across", 32}, {"down", 16}, {"pad", 1}})
                .says(by_tiles),
            variant("tuned_any", opencl, "f32", tiles_in_shared, TransposeBlocksConfiguration{.aligned = 8},
                {{"width", 128}, {"height", 64}, {"across", 32}, {"down", 8}, {"pad", 1}})
                .says(by_tiles),
            variant("tuned_any", gpu, "words", words_in_shared, {{"side", 32}, {"down", 8}})
                .says("Tiles in shared memory, word by word, so that reads and writes coalesce."),
        });
}

}  // namespace

static const ScheduleVariants &variants() {
    static const ScheduleVariants table = {
        variant("reference", cpu, "u8 u16 f32 u64 rgb8 rgb16 words", reference)
            .says("Pixels one after another, in the order of memory: the result to compare with."),
        automatic<Transpose>("auto", cpu, "u8", "Mullapudi2016"),
        automatic<Transpose>("auto", gpu, "u8", "Anderson2021"),
        tuned_on_cpu(),
        steps(),
        tuned_on_gpu(),
    };
    return table;
}

static const Table table("transpose", variants);

}  // namespace tilewright
