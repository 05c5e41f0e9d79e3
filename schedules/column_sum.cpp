// The schedules of column_sum, and the table of its rows.
#include "generators/algorithms/column_sum/column_sum.h"
#include "generators/algorithms/column_sum/configuration.h"
#include "generators/algorithms/column_sum/folded.h"
#include "generators/algorithms/column_sum/sliced.h"
#include "generators/algorithms/column_sum/words.h"
#include "schedules/schedule.h"

namespace tilewright {

namespace {

using Halide::Expr;
using Halide::Func;
using Halide::MemoryType;
using Halide::RVar;
using Halide::TailStrategy;
using Halide::Var;

Var xo{"xo"}, xi{"xi"}, xv{"xv"}, to{"to"}, ti{"ti"};

// Pixels one after another, in the order of memory.
void reference(ColumnSum &, ScheduleContext &) {}

// One thread per column, from top to bottom: neighbouring threads load neighbouring bytes.
void column_a_thread(ColumnSum &form, ScheduleContext &context) {
    form.out.gpu_tile(form.x, xi, context["threads"], TailStrategy::GuardWithIf);
    form.total.compute_at(form.out, xi).store_in(MemoryType::Register);
    form.total.update().unroll(form.y, context["unroll"], TailStrategy::GuardWithIf);
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
              task_of_groups = 256;
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
        .parallel(form.group, task_of_groups);
    form.total.update()
        .reorder(form.lane, form.every, form.group)
        .vectorize(form.lane)
        .parallel(form.group, task_of_groups);
    form.out.split(form.x, xo, xi, lanes, TailStrategy::GuardWithIf).vectorize(xi, std::min(lanes, wide));
    context.buffers[1].dim(0).set_min(0);
}

// The sums of slices: one thread per chunk of 16 bytes. The rows of a phase are split over thread blocks and,
// within a block, over groups, which are added in shared memory.
void slices_over_blocks(ColumnSumFolded &form, int lanes, bool several_groups) {
    Func slices = form.of_slice;
    slices.compute_root()
        .bound(form.word, 0, 4)
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
            .bound(form.word, 0, 4)
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
        .bound(form.word, 0, 4)
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

}  // namespace

static const ScheduleRows &rows() {
    const ColumnSumWordsConfiguration word{.words = 1}, aligned_word{.words = 1, .alignment = 4},
        four_words{.words = 4}, aligned_words{.words = 4, .alignment = 16},
        few_rows{.words = 1, .most_rows = 64};
    const ColumnSumFoldedConfiguration narrow{.most_row_bytes = 512};
    static const ScheduleRows table = {
        row("reference", cpu, "u8 u16 f32 u8f32 u16f32", reference).with("strict_float"),
        row("bytes1", gpu, "u8", column_a_thread, {{"threads", 128, 32, 1024}, {"unroll", 4, 1, 16}}),
        family("bytes4",
            {
                row("bytes4_aligned", gpu, "u8", words_a_thread, aligned_word,
                    {{"threads", 128, 32, 1024}, {"unroll", 4, 1, 16}}),
                row("bytes4_any", gpu, "u8", words_a_thread, word,
                    {{"threads", 128, 32, 1024}, {"unroll", 4, 1, 16}}),
            }),
        family("bytes16",
            {
                row("bytes16_aligned", gpu, "u8", words_a_thread, aligned_words,
                    {{"threads", 128, 32, 1024}, {"unroll", 4, 1, 16}}),
                row("bytes16_any", gpu, "u8", words_a_thread, four_words,
                    {{"threads", 128, 32, 1024}, {"unroll", 4, 1, 16}}),
            }),
        row("split", gpu, "u8", rows_over_blocks,
            {{"lanes", 64, 32, 256}, {"groups", 1}, {"unroll", 8, 1, 16}, {"columns", 128, 32, 256},
                {"terms", 1}}),
        family("tuned",
            {
                row("tuned_few_rows", gpu, "u8 u8f32", words_a_thread, few_rows,
                    {{"threads", 128, 32, 1024}, {"unroll", 4, 1, 16}}),
                row("tuned_narrow", gpu, "u8 u16 f32 u8f32 u16f32", rows_over_blocks, narrow,
                    {{"lanes", 64, 32, 256}, {"groups", 4, 1, 16}, {"unroll", 8, 1, 16},
                        {"columns", 8, 1, 64}, {"terms", 128, 1, 256}})
                    .with("strict_float"),
                row("tuned_any", gpu, "u8 u16 f32 u8f32 u16f32", rows_over_blocks,
                    {{"lanes", 64, 32, 256}, {"groups", 4, 1, 16}, {"unroll", 8, 1, 16},
                        {"columns", 32, 1, 64}, {"terms", 8, 1, 256}})
                    .with("strict_float"),
                row("tuned_wide", cpu, "u8 u16 f32 u8f32 u16f32", slices_in_cache,
                    {{"lanes", 64, 16, 64}, {"rows", 128, 16, 256}, {"slices", 16, 1, 64},
                        {"tile", 8192, 1024, 16384}, {"unroll", 8, 1, 16}})
                    .with("strict_float"),
                row("tuned_medium", cpu, "u8 u16 f32 u8f32 u16f32", slices_in_cache,
                    {{"lanes", 8, 4, 16}, {"rows", 128, 16, 256}, {"slices", 16, 1, 64}, {"tile", 64},
                        {"unroll", 8, 1, 16}})
                    .with("strict_float"),
                row("tuned_any", cpu, "u8 u16 f32 u8f32 u16f32", slices_in_cache,
                    {{"lanes", 1}, {"rows", 128, 16, 256}, {"slices", 16, 1, 64}, {"tile", 64},
                        {"unroll", 8, 1, 16}})
                    .with("strict_float"),
            }),
        automatic<ColumnSum>("auto", cpu, "u8 u16 f32", "Mullapudi2016"),
        automatic<ColumnSum>("auto", gpu, "u8", "Anderson2021"),
    };
    return table;
}

static const Table table("column_sum", rows);

}  // namespace tilewright
