// The schedules of row_sum, and the table of its variants. Those on CPUs: schedules/row_sum/row_sum_cpu.h.
#include "generators/algorithms/row_sum/row_sum.h"
#include "generators/algorithms/row_sum/chunks.h"
#include "generators/algorithms/row_sum/configuration.h"
#include "schedules/row_sum/row_sum_cpu.h"
#include "schedules/schedule.h"

namespace tilewright {

namespace {

Var yo{"yo"}, yi{"yi"}, one{"one"};

// Pixels one after another, in the order of memory.
void reference(RowSum &, ScheduleContext &) {}

// One thread per row, from left to right: the bytes that neighbouring threads load are a whole row apart.
void row_a_thread(RowSum &form, ScheduleContext &context) {
    form.out.gpu_tile(form.y, yi, context["threads"], TailStrategy::GuardWithIf).never_partition_all();
    form.total.compute_at(form.out, yi).store_in(MemoryType::Register);
    form.total.update().unroll(form.x, context["unroll"], TailStrategy::GuardWithIf);
}

// One thread per part of a row: neighbouring threads have neighbouring rows, and each adds the sum of its
// part to the row's sum in global memory, by an atomic addition.
void parts_by_atomics(RowSum &form, ScheduleContext &context) {
    const int threads = context["threads"];
    Func total = form.total;
    Var of{"of"};
    RVar part{"part"}, pixel{"pixel"}, block{"block"};
    total.compute_root().gpu_tile(form.y, yi, threads, TailStrategy::GuardWithIf);
    Halide::Stage adding = total.update();
    adding.split(form.x, part, pixel, context["pixels"], TailStrategy::GuardWithIf);
    Func of_part = adding.rfactor(part, of);
    adding.atomic()
        .split(form.y, yo, yi, threads, TailStrategy::GuardWithIf)
        .reorder(yi, yo, part)
        .fuse(yo, part, block)
        .gpu_blocks(block)
        .gpu_threads(yi);
    of_part.compute_at(total, yi).store_in(MemoryType::Register);
    if (!context.configuration<RowSumConfiguration>().in_output) {
        form.out.gpu_tile(form.y, yi, threads, TailStrategy::GuardWithIf);
    }
}

// Splits a row's sum into a tree. The first level has `lanes` partial sums, to which every lanes-th pixel
// belongs; each further level has half as many, and `total` adds the sums of the last one.
std::vector<Func> tree_of_sums(RowSum &form, int lanes, int pixels, const Var &lane) {
    Halide::Stage adding = form.total.update();
    std::vector<Func> levels;
    RVar rest = form.x;
    for (int entries = lanes; levels.empty() || entries > 1; entries /= 2) {
        const std::string suffix = std::to_string(entries);
        RVar term{"term" + suffix}, entry{"entry" + suffix};
        adding.split(rest, term, entry, entries, TailStrategy::GuardWithIf);
        levels.push_back(adding.rfactor(entry, lane));
        if (levels.size() > 1) {
            levels.back().update().unroll(term);
        } else {
            levels.back().update().unroll(term, pixels, TailStrategy::GuardWithIf);
        }
        rest = entry;
    }
    return levels;
}

// One thread block per row. Its threads add every lanes-th pixel each, in a register; then each level of a
// tree in shared memory halves the number of sums.
void row_a_block(RowSum &form, ScheduleContext &context) {
    const Var lane{"lane"};
    form.out.split(form.y, yo, yi, 1).gpu_blocks(yo).gpu_threads(yi);
    for (Func &level : tree_of_sums(form, context["lanes"], context["pixels"], lane)) {
        level.in().compute_at(form.out, yo).store_in(MemoryType::GPUShared).gpu_threads(lane);
        level.compute_at(level.in(), lane).store_in(MemoryType::Register);
    }
    form.total.compute_at(form.out, yi).store_in(MemoryType::Register);
}

// One warp per row and block: the tree's levels stay in registers, and lanes read each other's values by
// shuffles. A block has no second row: rows beyond the image's last one would have to be guarded, and
// Halide's bounds of the levels do not see that guard. Every level is computed at the warp's level with its
// lanes as the innermost loop; a level inside another level's lanes would give wrong sums.
void row_a_warp(RowSum &form, ScheduleContext &context) {
    const Var lane{"lane"};
    int entries = context["lanes"];
    std::vector<Func> levels = tree_of_sums(form, entries, context["pixels"], lane);
    form.out.split(form.y, yo, yi, 1)
        .split(yi, yi, one, 1)
        .gpu_blocks(yo)
        .gpu_threads(yi)
        .gpu_lanes(one)
        .never_partition_all();
    for (Func &level : levels) {
        level.compute_at(form.out, yi)
            .store_in(MemoryType::Register)
            .bound_extent(lane, entries)
            .bound_extent(form.y, 1)
            .gpu_lanes(lane);
        level.update().gpu_lanes(lane);
        entries /= 2;
    }
    form.total.compute_at(form.out, one).store_in(MemoryType::Register);
}

// Computes the levels of a tree in shared memory, inside the loop over thread blocks. Rows are on the second
// axis of threads in every stage; otherwise the sizes of the stages would multiply.
void tree_in_shared(
    std::vector<Func> stages, Func consumer, const Var &block, const Var &lane, const Var &second) {
    for (Func &stage : stages) {
        stage.compute_at(consumer, block).store_in(MemoryType::GPUShared).gpu_threads(lane, second);
    }
}

// The levels of a tree and the partial sums that it begins with.
std::vector<Func> with(std::vector<Func> stages, const Func &partial) {
    stages.push_back(partial);
    return stages;
}

// Adds the chunks of a lane in registers: 8, 4, 2 and 1 at a time, with all loads of a step before its
// additions.
void chunks_in_registers(RowSumChunks &form, Func consumer, const Var &lane) {
    form.adding.compute_at(consumer, lane).store_in(MemoryType::Register);
    for (size_t i = 0; i < form.steps.size(); i++) {
        const bool many = !is_const_one(form.steps[i].y.extent());
        form.adding.update((int)i).unroll(form.steps[i].x);
        form.taken[i]
            .compute_at(form.adding, form.steps[i].z)
            .store_in(MemoryType::Register)
            .bound(form.word, 0, 4)
            .vectorize(form.word);
        if (many) {
            form.adding.update((int)i).unroll(form.steps[i].y);
            form.taken[i].unroll(form.iteration);
        }
    }
}

void aligned_words(ScheduleContext &context) {
    context.buffers[0].set_host_alignment(16).dim(0).set_min(0);
    context.buffers[1].dim(0).set_min(0);
}

// A few rows per thread block, and several lanes per row. The sums of the lanes are added in shared memory.
void lanes_a_row(RowSumChunks &form, ScheduleContext &context) {
    form.out.split(form.y, yo, yi, context["rows"], TailStrategy::GuardWithIf)
        .split(yi, yi, one, 1)
        .gpu_blocks(yo)
        .gpu_threads(one, yi)
        .never_partition_all();
    tree_in_shared(with(form.levels, form.partial), form.out, yo, form.lane, form.y);
    chunks_in_registers(form, form.partial, form.lane);
    aligned_words(context);
}

// One thread per row, for rows that are too short for several lanes.
void short_row_a_thread(RowSumChunks &form, ScheduleContext &context) {
    form.out.split(form.y, yo, yi, context["rows"], TailStrategy::GuardWithIf)
        .gpu_blocks(yo)
        .gpu_threads(yi)
        .never_partition_all();
    chunks_in_registers(form, form.out, yi);
    aligned_words(context);
}

// First kernel: the pieces of rows are spread over thread blocks. Rows are on the first axis of the grid,
// because the second one ends at 65535. Second kernel: one thread block per row, in which a tree adds the
// row's pieces.
void pieces_over_blocks(RowSumChunks &form, ScheduleContext &context) {
    Var zo{"zo"}, zi{"zi"};
    form.of_piece.compute_root()
        .split(form.piece, zo, zi, context["rows"], TailStrategy::RoundUp)
        .split(zi, zi, one, 1)
        .reorder(one, zi, form.y, zo)
        .gpu_blocks(form.y, zo)
        .gpu_threads(one, zi)
        .never_partition_all();
    tree_in_shared(with(form.levels, form.partial), form.of_piece, form.y, form.lane, form.piece);
    chunks_in_registers(form, form.partial, form.lane);

    form.out.split(form.y, yo, yi, 1)
        .split(yi, yi, one, 1)
        .gpu_blocks(yo)
        .gpu_threads(one, yi)
        .never_partition_all();
    tree_in_shared(with(form.piece_levels, form.collected), form.out, yo, form.term, form.y);
    form.collecting.compute_at(form.collected, form.term).store_in(MemoryType::Register);
    aligned_words(context);
}

using row_sum_cpu::halves_in_vectors, row_sum_cpu::pixels_of_rows, row_sum_cpu::slices_of_rows,
    row_sum_cpu::strips_of_octets, row_sum_cpu::strips_of_rows;

// A row of halves.
ScheduleVariant halves(const std::string &name, const char *types, int lanes) {
    return variant(name, cpu, types, halves_in_vectors, {{"lanes", lanes}, {"strip", 8192, 64, 65536}})
        .with("strict_float")
        .says("The first and the last vector of a row, for rows of one or two vectors.");
}

// f32 by CUDA: one row per block takes .0185 ms where two take .0193 (4096 x 4096, H200, 2026-11-23, found by
// `tilewright explore`).
ScheduleVariant many_variants_on(const char *types, Backends where, int rows) {
    return variant(
        "tuned_many_rows", where, types, lanes_a_row, {{"lanes", 64, 16, 256}, {"rows", rows, 1, 8}})
        .meant_for("height", {.least = 128})
        .with("strict_float")
        .says("16-byte loads with 64 threads per row: whole lines are read, by several loads at once.");
}

// u8 and u16, 8192 x 8192, by CUDA on an H200 (2026-11-30), ms: 128 lanes and one row .0183 and .0340, 256
// and one .0185 and .0337, 128 and two .0187 and .0381, 64 and two .0191 and .0361.
ScheduleVariant long_rows() {
    return variant(
        "tuned_long_rows", cuda, "u8 u16", lanes_a_row, {{"lanes", 128, 16, 256}, {"rows", 1, 1, 8}})
        .meant_for("width", {.least = 2000})
        .meant_for("height", {.least = 128})
        .says("As tuned_many_rows, with 128 threads per row and one row per block.");
}

ScheduleVariant medium_variants_on(const char *types, Backends where) {
    return variant("tuned_medium", where, types, lanes_a_row, {{"lanes", 8, 8, 16}, {"rows", 32, 4, 64}})
        .meant_for("iterations", {.most = 16})
        .with("strict_float")
        .says("16-byte loads with 8 threads per row and 32 rows per block, for rows of up to 2 KB.");
}

// `task` on CPUs is in KiB of the image: 1.5 MiB take one core of an AMD EPYC (Zen 4, 2026-11-23) some 25 us,
// and two such tasks are worth waking a thread. Where there are two or more, pieces of 256 KiB are read
// faster by many cores (16 of a Xeon, Sapphire Rapids, 2026-11-28: u8 8192 x 8192 .553 -> .277 ms).
const Tunable task{"task", 1536, 16, 16384}, pieces{"pieces", 6, 1, 16}, strip{"strip", 4096, 64, 65536},
    long_strip{"strip", 8192, 64, 65536};

// f32 is added in one vector at a time, and u8 (tuned_bytes) in vectors of 32 bytes: 8192 x 8192 takes .93 to
// .95 of the time of vectors twice as long (AMD EPYC, Zen 4, 2026-11-23). Data in the cache takes as long.
ScheduleVariant wide_variants(const char *types, int lanes, int unroll, double least_width) {
    return variant("tuned_wide", cpu, types, strips_of_rows,
        {{"lanes", lanes, 16, 64}, {"groups", 255, 16, 255}, {"unroll", unroll, 1, 8}, task, pieces, strip})
        .meant_for("width", {.least = least_width})
        .with("strict_float")
        .says("Spreads strips of rows over the cores, and adds a row in vectors of 16-bit sums.");
}

ScheduleVariants tuned_variants() {
    const char *all = "u8 u16 f32 u8f32 u16f32", *any = "u8 u16 f32 u8f32 u16f32 f64 f16 bf16";
    return family("tuned",
        {
            variant("tuned_short", gpu, all, short_row_a_thread, {{"lanes", 1}, {"rows", 128, 32, 256}})
                .meant_for("iterations", {.most = 32})
                .with("strict_float")
                .says("16-byte loads with one thread per row, for rows too short for several threads."),
            medium_variants_on("u16 u16f32", gpu),
            medium_variants_on("u8 f32 u8f32", opencl),
            long_rows(),
            many_variants_on("u8 u8f32", gpu, 2),
            many_variants_on("u16 u16f32", gpu, 2),
            many_variants_on("f32", cuda, 1),
            many_variants_on("f32", opencl, 2),
            many_variants_on("f16 bf16", cuda, 1),
            variant("tuned_rows", gpu, "f64", row_a_block, {{"lanes", 256, 64, 1024}, {"pixels", 4, 1, 16}})
                .says("As tree, for f64."),
            variant("tuned_any", gpu, "u8 u16 f32 u8f32 u16f32 f16 bf16", pieces_over_blocks,
                RowSumChunksConfiguration{.splits = true},
                {{"lanes", 64, 16, 128}, {"terms", 128, 16, 256}, {"rows", 2, 1, 8}, {"turns", 8, 1, 32}})
                .with("strict_float")
                .kept_for("few rows of millions of pixels")
                .says("Splits each row over blocks, and a second kernel adds its pieces: for few or very "
                      "long rows."),
            variant("tuned_few_rows", cpu, all, slices_of_rows,
                {{"lanes", 64, 16, 64}, {"groups", 255, 16, 255}, {"unroll", 4, 1, 8}})
                .meant_for("width", {.least = 65537})
                .meant_for("height", {.most = 63})
                .with("strict_float")
                .kept_for("fewer rows than the CPU has cores")
                .says("Spreads the slices of few long rows over the cores, in vectors of 16-bit sums."),
            variant("tuned_bytes", cpu, "u8 u8f32", strips_of_octets,
                {{"lanes", 32, 16, 256}, {"unroll", 4, 1, 8}, task, pieces, strip})
                .says("Strips of rows over the cores; one instruction adds the bytes of each octet."),
            wide_variants("u16 u16f32", 32, 8, 48),
            wide_variants("f32", 16, 1, 48),
            wide_variants("f64 f16 bf16", 16, 1, 16),
            halves("tuned_halves_32", "u16 f32 u16f32", 32),
            halves("tuned_halves_16", all, 16).kept_for("rows of 16 to 31 pixels"),
            halves("tuned_halves_8", all, 8).kept_for("rows of 8 to 15 pixels"),
            variant("tuned_any", cpu, any, pixels_of_rows, {long_strip})
                .with("strict_float")
                .says("Strips of rows over the cores, pixel by pixel, for rows too short for vectors."),
        });
}

}  // namespace

static const ScheduleVariants &variants() {
    // Sums of bytes are whole numbers; f32 holds them exactly, in whatever order they are added, while they
    // are below 2^24, as 255 * 65793 is.
    const Range exact_floats{.most = 65793};
    const RowSumConfiguration in_own_memory{.in_output = false}, in_output{.in_output = true};
    const std::vector<Tunable> parts_of_rows = {{"pixels", 128, 16, 1024}, {"threads", 128, 32, 1024}};
    static const ScheduleVariants table = {
        variant("reference", cpu, "u8 u16 f32 u8f32 u16f32 f64 f16 bf16", reference)
            .with("strict_float")
            .says("Adds one row after another, from left to right: the definition without a schedule."),
        variant("serial", gpu, "u8 u8f32", row_a_thread, {{"threads", 128, 32, 1024}, {"unroll", 4, 1, 16}})
            .says("One thread per row: the bytes that a warp loads are whole rows apart and do not "
                  "coalesce."),
        family("atomic",
            {
                variant("atomic_floats", gpu, "u8f32", parts_by_atomics, in_output, parts_of_rows)
                    .serves("width", exact_floats)
                    .says("One thread per 128 pixels of a row adds their sum by an f32 atomic: exact below "
                          "2^24."),
                variant("atomic_any", gpu, "u8", parts_by_atomics, in_output, parts_of_rows)
                    .says("One thread per 128 pixels of a row adds their sum by an atomic: more threads than "
                          "serial has."),
                variant("atomic_any", gpu, "u8f32", parts_by_atomics, in_own_memory, parts_of_rows)
                    .says("Adds u32 by atomics as for u8 sums, and converts in a kernel of its own: rows of "
                          "any length."),
            }),
        variant("tree", gpu, "u8 u8f32", row_a_block, {{"lanes", 512, 64, 1024}, {"pixels", 4, 1, 16}})
            .says("One block per row: threads load neighbouring bytes, and a tree in shared memory adds "
                  "their sums."),
        variant("lanes", cuda, "u8 u8f32", row_a_warp, {{"lanes", 32}, {"pixels", 8, 1, 16}})
            .says("One warp per row: its tree goes through shuffles of registers, without any barrier."),
        tuned_variants(),
        // The plug-ins move their last vector or block of sums inwards: there must be one.
        automatic<RowSum>("auto", cpu, "u8", "Mullapudi2016").serves("height", {.least = 64}),
        automatic<RowSum>("auto", gpu, "u8", "Anderson2021").serves("height", {.least = 64}),
    };
    // Those in f32 are made by the libraries of those in u32.
    static const ScheduleVariants shared = sharing("f32", table);
    return shared;
}

static const Table table("row_sum", variants);

}  // namespace tilewright
