// The schedules of column_sum, and the table of its variants.
#include "generators/algorithms/column_sum/column_sum.h"
#include "generators/algorithms/column_sum/configuration.h"
#include "generators/algorithms/column_sum/folded.h"
#include "generators/algorithms/column_sum/sliced.h"
#include "generators/algorithms/column_sum/words.h"
#include "schedules/schedule.h"
#include "schedules/shared_moves.h"

namespace tilewright {

namespace {

Var xo{"xo"}, xi{"xi"}, xv{"xv"}, to{"to"}, ti{"ti"};

// One column after another, from top to bottom: each pixel is in another row of memory than the one before.
void reference(ColumnSum &, ScheduleContext &) {}

// One thread per column, from top to bottom: neighbouring threads load neighbouring bytes.
void column_a_thread(ColumnSum &form, ScheduleContext &context) {
    form.out.gpu_tile(form.x, xi, context["threads"], TailStrategy::GuardWithIf).never_partition_all();
    form.total.compute_at(form.out, xi).store_in(MemoryType::Register);
    form.total.update().unroll(form.y, context["unroll"], TailStrategy::GuardWithIf);
}

// One thread per group of neighbouring columns, from top to bottom: one load brings a pixel of each of them,
// and each has its own sum in a register. Loads are wider than with one column per thread, and threads are
// fewer.
void columns_a_thread(ColumnSum &form, ScheduleContext &context) {
    const int columns = context.configuration<ColumnSumConfiguration>().columns;
    RVar yo{"yo"}, yi{"yi"};
    form.out.split(form.x, xo, xv, columns)
        .split(xo, xo, xi, context["threads"], TailStrategy::GuardWithIf)
        .gpu_blocks(xo)
        .gpu_threads(xi)
        .vectorize(xv)
        .never_partition_all();
    form.total.compute_at(form.out, xi).store_in(MemoryType::Register).vectorize(form.x);
    form.total.update()
        .split(form.y, yo, yi, context["unroll"], TailStrategy::GuardWithIf)
        .reorder(form.x, yi, yo)
        .vectorize(form.x)
        .unroll(yi);

    Halide::OutputImageParam image = context.buffers[0], sums = context.buffers[1];
    image.set_host_alignment(columns).dim(0).set_min(0);
    image.dim(1).set_min(0).set_stride(multiple_of(columns, image.dim(1).stride()));
    sums.dim(0).set_bounds(0, multiple_of(columns, sums.dim(0).extent()));
}

// One thread per group of words, from top to bottom, with one sum in registers per byte of the group. Loads
// are wider than with one column per thread, and threads are fewer.
void words_a_thread(ColumnSumWords &form, ScheduleContext &context) {
    const auto configuration = context.configuration<ColumnSumWordsConfiguration>();
    const int count = configuration.words;
    form.out.split(form.x, xo, xi, 4 * count * context["threads"], TailStrategy::GuardWithIf)
        .split(xi, xi, xv, 4 * count)
        .gpu_blocks(xo)
        .gpu_threads(xi)
        .unroll(xv)
        .never_partition_all();
    RVar yo{"yo"}, yi{"yi"};
    form.total.compute_at(form.out, xi).store_in(MemoryType::Register);
    form.total.bound(form.byte, 0, 4).bound(form.word, 0, count).unroll(form.byte).unroll(form.word);
    form.total.update()
        .split(form.y, yo, yi, context["unroll"], TailStrategy::GuardWithIf)
        .reorder(form.byte, form.word, yi, yo)
        .unroll(form.byte)
        .unroll(form.word)
        .unroll(yi);
    form.taken.compute_at(form.total, yi)
        .store_in(MemoryType::Register)
        .bound(form.word, 0, count)
        .vectorize(form.word);

    const int alignment = std::min(16, std::max(4, configuration.alignment));
    context.buffers[0].set_host_alignment(alignment).dim(0).set_min(0);
    context.buffers[1].dim(0).set_min(0);
}

// Bands of rows and tiles of columns are spread over the cores. The sums of a slice stay in the first-level
// cache while its rows are added. Several rows are added at a time, so that a sum is loaded and stored once
// for all of them.
void slices_in_cache(ColumnSumSliced &form, ScheduleContext &context) {
    const int lanes = context["lanes"], wide = context.target.natural_vector_size<uint32_t>(),
              task_of_groups = 1024;
    Var go{"go"}, gi{"gi"}, task{"task"};
    RVar ro{"ro"}, ri{"ri"};
    form.of_slice.compute_at(form.of_band, form.each).bound(form.lane, 0, lanes).vectorize(form.lane);
    form.of_slice.update(0)
        .split(form.row, ro, ri, context["unroll"], TailStrategy::GuardWithIf)
        .reorder(form.lane, ri, form.group, ro)
        .vectorize(form.lane)
        .unroll(ri);
    form.of_slice.update(1).vectorize(form.lane);

    form.of_band.compute_root().bound(form.lane, 0, lanes).vectorize(form.lane).parallel(form.band);
    form.of_band.update()
        .split(form.group, go, gi, context["tile"] / lanes, TailStrategy::GuardWithIf)
        .reorder(form.lane, gi, form.each, go, form.band)
        .fuse(go, form.band, task)
        .vectorize(form.lane)
        .parallel(task);

    form.total.compute_root()
        .bound(form.lane, 0, lanes)
        .vectorize(form.lane)
        .parallel(form.group, task_of_groups, TailStrategy::GuardWithIf);
    form.total.update()
        .reorder(form.lane, form.every, form.group)
        .vectorize(form.lane)
        .parallel(form.group, task_of_groups, TailStrategy::GuardWithIf);
    form.out.split(form.x, xo, xi, lanes, TailStrategy::GuardWithIf).vectorize(xi, std::min(lanes, wide));
    context.buffers[1].dim(0).set_min(0);
}

// A vector of columns after another, each from top to bottom: few rows are not worth sums in memory.
void vectors_of_columns(ColumnSum &form, ScheduleContext &context) {
    const int lanes = context["lanes"], task_of_vectors = 1024;
    Var task{"task"};
    form.out.split(form.x, xo, xi, lanes, TailStrategy::ShiftInwards)
        .vectorize(xi)
        .split(xo, task, xo, task_of_vectors, TailStrategy::GuardWithIf)
        .parallel(task);
    form.total.compute_at(form.out, xo).bound_extent(form.x, lanes).vectorize(form.x);
    form.total.update().reorder(form.x, form.y).vectorize(form.x);
}

// One column from top to bottom, with its sum in a register.
void column_in_register(ColumnSum &form, ScheduleContext &context) {
    form.total.compute_at(form.out, form.x)
        .update()
        .unroll(form.y, context["unroll"], TailStrategy::GuardWithIf);
}

// The sums of slices: one thread per chunk of 16 bytes. The rows of a phase are split over thread blocks and,
// within a block, over groups, which are added in shared memory.
void slices_over_blocks(ColumnSumFolded &form, int lanes, bool several_groups) {
    Func slices = form.of_slice;
    slices.compute_root()
        .bound(form.word, 0, form.chunk_words)
        .bound(form.part, 0, form.parts)
        .bound(form.chunk, 0, form.all_chunks)
        .split(form.chunk, to, ti, lanes)
        .reorder(form.word, form.part, ti, to, form.slice)
        .gpu_blocks(to, form.slice)
        .gpu_threads(ti)
        .vectorize(form.word)
        .unroll(form.part)
        .never_partition_all();
    Func in_threads = slices;
    Var thread = ti;
    if (several_groups) {
        form.of_group.compute_at(slices, to)
            .store_in(MemoryType::GPUShared)
            .bound(form.word, 0, form.chunk_words)
            .bound(form.part, 0, form.parts)
            .reorder_storage(form.word, form.chunk, form.part, form.group, form.slice)
            .reorder(form.word, form.part, form.chunk, form.group)
            .gpu_threads(form.chunk, form.group)
            .vectorize(form.word)
            .unroll(form.part);
        in_threads = form.of_group;
        thread = form.chunk;
    }
    form.adding.compute_at(in_threads, thread)
        .store_in(MemoryType::Register)
        .bound(form.word, 0, form.chunk_words)
        .bound(form.part, 0, form.parts)
        .vectorize(form.word)
        .unroll(form.part);
    form.adding.update()
        .reorder(form.word, form.part, form.row.x, form.row.y)
        .vectorize(form.word)
        .unroll(form.part)
        .unroll(form.row.x);
}

// Two kernels: the sums of slices, and then a few columns per thread block, whose threads share the sums of
// slices and phases.
void rows_over_blocks(ColumnSumFolded &form, ScheduleContext &context) {
    slices_over_blocks(form, context["lanes"], context["groups"] > 1);
    form.out.split(form.x, xo, xi, context["columns"], TailStrategy::GuardWithIf)
        .gpu_blocks(xo)
        .never_partition_all();
    form.out.gpu_threads(xi);
    if (context["terms"] == 1) {
        form.collecting.compute_at(form.out, xi);
    } else {
        std::vector<Func> stages = form.levels;
        stages.push_back(form.collected);
        for (Func &stage : stages) {  // neighbouring threads have neighbouring columns
            stage.compute_at(form.out, xo).store_in(MemoryType::GPUShared).reorder_storage(form.x, form.term);
            stage.reorder(form.x, form.term).gpu_threads(form.x, form.term);
        }
        form.collecting.compute_at(form.collected, form.x);
    }
    form.collecting.store_in(MemoryType::Register).update().unroll(form.each, 2, TailStrategy::GuardWithIf);

    context.buffers[0].set_host_alignment(16).dim(0).set_min(0);
    context.buffers[1].dim(0).set_min(0);
}

// A thread of four words takes so many registers that a block of more threads may not fit.
//
// `unroll` is how many loads a thread has on their way, where `ptxas` does not unroll once more, as it does
// with 4 loads of bytes. Few threads are left with 4 or 16 columns per thread, so 16 loads are worth a factor
// of 1.8 to 3 there (8192 x 8192, H200, CUDA and OpenCL, 2026-11-24). With one column per thread, more than 4
// make NVIDIA's OpenCL three times slower, and bytes16_any loses 4 to 13 % by 16 of them.
std::vector<Tunable> columns_of_threads(int most_threads, int unroll) {
    return {{"threads", 128, 32, most_threads}, {"unroll", unroll, 1, 16}};
}

// f32 by CUDA: 16 loads of a thread in flight take .0229 ms where 8 take .0263 (4096 x 4096, H200,
// 2026-11-23, found by `tilewright explore`); of u8 they gain 1 %.
//
// u8 by CUDA, 8192 x 8192 / 4000 x 3000 (2026-11-30): 32 lanes and eight groups .0222 / .0093, 64 and four
// .0244 / .0104, 32 and 16 .0232 / .0089; u16 64 and four .0378 / .0123, 32 and eight .0388 / .0118.
ScheduleVariant tuned_any_on(const char *types, Backends where, int unroll, int lanes = 64, int groups = 4) {
    return variant("tuned_any", where, types, rows_over_blocks,
        {{"lanes", lanes, 32, 128}, {"groups", groups, 1, 8}, {"unroll", unroll, 1, 16},
            {"columns", 32, 1, 64}, {"terms", 8, 1, 16}})
        .with("strict_float")
        .says("As split with two 16-bit sums per word and blocks of several groups: half the additions.");
}

// Few rows at a time keep the loads in the order of addresses, which counts where no cache holds the image
// (33 columns and 100000 rows of f32: 2 rows .63 ms, 8 rows .87; Zen 4, 2026-11-23).
//
// `task` on CPUs is in KiB of the image: 1.5 MiB take one core of an AMD EPYC (Zen 4, 2026-11-23) some 25 us,
// and two such tasks are worth waking a thread. A task has at least `slices` slices, so that its sums are few
// beside its pixels.
ScheduleVariants tuned_variants() {
    const ColumnSumWordsConfiguration one_word{.words = 1};
    return family("tuned",
        {
            variant("tuned_few_rows", opencl, "u8", words_a_thread, one_word, columns_of_threads(1024, 4))
                .meant_for("height", {.most = 64})
                .says("4-byte loads in one kernel: an image of few rows is not worth a second kernel."),
            variant("tuned_narrow", gpu, "u8 u16 f32 u8f32 u16f32", rows_over_blocks,
                {{"lanes", 64, 32, 128}, {"groups", 4, 1, 8}, {"unroll", 8, 1, 16}, {"columns", 8, 1, 8},
                    {"terms", 128, 1, 128}})
                .meant_for("row_bytes", {.most = 512})
                .with("strict_float")
                .says(
                    "As tuned_any, but 128 threads add the slices of a column, for rows of up to 512 bytes."),
            tuned_any_on("u8 u8f32", cuda, 8, 32, 8),
            tuned_any_on("u8 u8f32", opencl, 8),
            tuned_any_on("u16 u16f32", gpu, 8),
            tuned_any_on("f32", cuda, 16),
            tuned_any_on("f32", opencl, 8),
            tuned_any_on("f64 f16 bf16", gpu, 8),
            variant("tuned_column", cpu, "u8 u16 u8f32 u16f32", column_in_register, {{"unroll", 4, 1, 16}})
                .meant_for("width", {.most = 1})
                .avx2()
                .kept_for("images of one column")
                .says("One column from top to bottom, with its sum in a register."),
            variant(
                "tuned_few_rows", cpu, "u8 u16 f32 u8f32 u16f32", vectors_of_columns, {{"lanes", 64, 16, 64}})
                .meant_for("height", {.most = 8})
                .with("strict_float")
                .says("Vectors of columns, each from top to bottom, for images of up to 8 rows."),
            variant("tuned_wide", cpu, "u8 u16 f32 u8f32 u16f32 f64 f16 bf16", slices_in_cache,
                {{"lanes", 64, 16, 64}, {"rows", 128, 16, 256}, {"slices", 2, 1, 64},
                    {"tile", 8192, 1024, 16384}, {"task", 1536, 16, 16384}, {"unroll", 8, 1, 16}})
                .with("strict_float")
                .says(
                    "Vectors of columns over slices of rows; the 16-bit sums stay in the first-level cache."),
            variant("tuned_in_order", cpu, "u8 u16 f32 u8f32 u16f32", slices_in_cache,
                {{"lanes", 64, 16, 64}, {"rows", 128, 16, 256}, {"slices", 2, 1, 64},
                    {"tile", 8192, 1024, 16384}, {"task", 1536, 16, 16384}, {"unroll", 1, 1, 16}})
                .with("strict_float")
                .says("As tuned_wide with one row at a time, which reads memory in the order of addresses."),
            variant("tuned_medium", cpu, "u8 u16 f32 u8f32 u16f32", slices_in_cache,
                {{"lanes", 8, 4, 16}, {"rows", 128, 16, 256}, {"slices", 2, 1, 64}, {"tile", 64, 16, 1024},
                    {"task", 256, 16, 16384}, {"unroll", 2, 1, 16}})
                .with("strict_float")
                .says("As tuned_wide with short vectors, for images of 8 to 63 columns."),
            variant("tuned_any", cpu, "u8 u16 f32 u8f32 u16f32 f64 f16 bf16", slices_in_cache,
                {{"lanes", 1}, {"rows", 128, 16, 256}, {"slices", 2, 1, 64}, {"tile", 64, 16, 1024},
                    {"task", 256, 16, 16384}, {"unroll", 8, 1, 16}})
                .with("strict_float")
                .avx2()
                .says("As tuned_wide without vectors, for images of fewer than 8 columns."),
        });
}

}  // namespace

static const ScheduleVariants &variants() {
    const ColumnSumConfiguration four_columns{.columns = 4};
    const ColumnSumWordsConfiguration word{.words = 1}, four_words{.words = 4},
        aligned_words{.words = 4, .alignment = 16};
    static const ScheduleVariants table = {
        variant("reference", cpu, "u8 u16 f32 u8f32 u16f32 f64 f16 bf16", reference)
            .with("strict_float")
            .says("Adds one column after another, from top to bottom: the definition without a schedule."),
        variant("bytes1", gpu, "u8 u8f32", column_a_thread, columns_of_threads(1024, 4))
            .says("One thread per column: neighbouring threads load neighbouring bytes, so loads coalesce."),
        family("bytes4",
            {
                variant("bytes4_aligned", gpu, "u8 u8f32", columns_a_thread, four_columns,
                    columns_of_threads(1024, 16))
                    .says("One thread per 4 columns loads 4 bytes at once; widths and pitches are multiples "
                          "of 4."),
                variant("bytes4_any", gpu, "u8 u8f32", words_a_thread, word, columns_of_threads(1024, 16))
                    .says("As bytes4_aligned for any rows: shifts two aligned words into one, with twice the "
                          "loads."),
            }),
        family("bytes16",
            {
                variant("bytes16_aligned", gpu, "u8 u8f32", words_a_thread, aligned_words,
                    columns_of_threads(256, 16))
                    .says("One thread per 16 columns loads 16 bytes at once; widths and pitches are "
                          "multiples of "
                          "16."),
                variant(
                    "bytes16_any", gpu, "u8 u8f32", words_a_thread, four_words, columns_of_threads(256, 4))
                    .says("As bytes16_aligned for any rows: shifts each word together from two, with twice "
                          "the loads."),
            }),
        variant("split", gpu, "u8 u8f32", rows_over_blocks,
            {{"lanes", 64, 32, 256}, {"groups", 1, 1, 4}, {"unroll", 8, 1, 16}, {"columns", 128, 32, 256},
                {"terms", 1, 1, 4}})
            .says("16-byte loads with the rows split over blocks, so that every multiprocessor has work."),
        tuned_variants(),
        // The plug-ins move their last vector or block of sums inwards: there must be one.
        automatic<ColumnSum>("auto", cpu, "u8", "Mullapudi2016").serves("width", {.least = 64}),
        automatic<ColumnSum>("auto", gpu, "u8", "Anderson2021").serves("width", {.least = 64}),
    };
    // Those in f32 are made by the libraries of those in u32.
    static const ScheduleVariants shared = sharing("f32", table);
    return shared;
}

static const Table table("column_sum", variants);

}  // namespace tilewright
