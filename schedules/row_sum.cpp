// The schedules of row_sum, and the table of its rows.
#include "generators/algorithms/row_sum/row_sum.h"
#include "generators/algorithms/row_sum/chunks.h"
#include "generators/algorithms/row_sum/configuration.h"
#include "generators/algorithms/row_sum/sliced.h"
#include "generators/algorithms/row_sum/tree.h"
#include "schedules/schedule.h"

namespace tilewright {

namespace {

using Halide::Func;
using Halide::MemoryType;
using Halide::RVar;
using Halide::TailStrategy;
using Halide::Var;

Var yo{"yo"}, yi{"yi"}, one{"one"};

// Pixels one after another, in the order of memory.
void reference(RowSum &, ScheduleContext &) {}

// One thread per row, from left to right: the bytes that neighbouring threads load are a whole row apart.
void row_a_thread(RowSum &form, ScheduleContext &context) {
    form.out.gpu_tile(form.y, yi, context["threads"], TailStrategy::GuardWithIf);
    form.total.compute_at(form.out, yi).store_in(MemoryType::Register);
    form.total.update().unroll(form.x, context["unroll"], TailStrategy::GuardWithIf);
}

// One thread per part of a row. Atomics add the parts to the row's sum in global memory.
void parts_by_atomics(RowSumParts &form, ScheduleContext &context) {
    form.out.gpu_tile(form.y, yi, context["threads"], TailStrategy::GuardWithIf);
    RVar part = form.each, po{"po"}, pi{"pi"};
    form.out.update()
        .atomic()
        .split(part, po, pi, context["parts"], TailStrategy::GuardWithIf)
        .split(form.y, yo, yi, context["rows"], TailStrategy::GuardWithIf)
        .reorder(pi, yi, yo, po)
        .gpu_blocks(yo, po)
        .gpu_threads(pi, yi);
    form.of_part.compute_at(form.out, pi).store_in(MemoryType::Register);
}

// One thread block per row. Its threads add every lanes-th pixel each; then each level of a tree in shared
// memory halves the number of sums.
void row_a_block(RowSumTree &form, ScheduleContext &) {
    form.out.split(form.y, yo, yi, 1).gpu_blocks(yo).gpu_threads(yi);
    form.partial.compute_at(form.out, yo)
        .store_in(MemoryType::GPUShared)
        .gpu_threads(form.lane)
        .update()
        .gpu_threads(form.lane);
    for (Func &level : form.levels) {
        level.compute_at(form.out, yo).store_in(MemoryType::GPUShared).gpu_threads(form.lane);
    }
}

// One warp per row: the tree's levels stay in registers, and lanes read each other's values by shuffles.
// Every stage is computed at the warp's level with its lanes as the innermost loop; a stage inside another
// stage's lanes would give wrong sums.
void row_a_warp(RowSumTree &form, ScheduleContext &context) {
    form.out.split(form.y, yo, yi, context["rows"], TailStrategy::GuardWithIf)
        .split(yi, yi, one, 1)
        .gpu_blocks(yo)
        .gpu_threads(yi)
        .gpu_lanes(one)
        .never_partition_all();
    std::vector<Func> stages = form.levels;
    stages.insert(stages.begin(), form.partial);
    int entries = context["lanes"];
    for (Func &stage : stages) {
        stage.compute_at(form.out, yi)
            .store_in(MemoryType::Register)
            .bound_extent(form.lane, entries)
            .bound_extent(form.y, 1);
        stage.gpu_lanes(form.lane);
        entries /= 2;
    }
    form.partial.update().gpu_lanes(form.lane);
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

// Keeps the lanes of a slice in vector registers.
void lanes_in_vectors(RowSumSliced &form, ScheduleContext &context) {
    RVar go{"go"}, gi{"gi"};
    form.adding.bound(form.lane, 0, context["lanes"]).vectorize(form.lane);
    form.adding.update(0)
        .split(form.group, go, gi, context["unroll"], TailStrategy::GuardWithIf)
        .reorder(form.lane, gi, go)
        .vectorize(form.lane)
        .unroll(gi);
    form.adding.update(1).vectorize(form.lane);
    form.adding.update(2).vectorize(form.lane);
}

// Strips of rows are spread over the cores.
void strips_of_rows(RowSumSliced &form, ScheduleContext &context) {
    form.out.split(form.y, yo, yi, context["strip"], TailStrategy::GuardWithIf).parallel(yo);
    form.total.compute_at(form.out, yi);
    form.adding.compute_at(form.total, form.each);
    lanes_in_vectors(form, context);
    for (Func &level : form.levels) {
        level.compute_at(form.total, form.each).vectorize(form.lane);
    }
}

// Slices are spread over the cores, for images of few rows.
void slices_of_rows(RowSumSliced &form, ScheduleContext &context) {
    form.of_slice.compute_root().parallel(form.slice);
    form.adding.compute_at(form.of_slice, form.slice);
    lanes_in_vectors(form, context);
}

}  // namespace

static const ScheduleRows &rows() {
    const RowSumChunksConfiguration medium{.most_iterations = 16}, many_rows{.least_rows = 128},
        split{.splits = true};
    const RowSumSlicedConfiguration few_long_rows{.least_width = 65537, .most_rows = 63};
    static const ScheduleRows table = {
        row("reference", cpu, "u8 u16 f32 u8f32 u16f32", reference).with("strict_float"),
        row("serial", gpu, "u8", row_a_thread, {{"threads", 128, 32, 1024}, {"unroll", 4, 1, 16}}),
        row("atomic", gpu, "u8", parts_by_atomics,
            {{"pixels", 128, 16, 1024}, {"parts", 16, 1, 64}, {"rows", 8, 1, 64},
                {"threads", 128, 32, 1024}}),
        row("tree", gpu, "u8", row_a_block, {{"lanes", 512, 64, 1024}}),
        row("lanes", cuda, "u8", row_a_warp, {{"lanes", 32}, {"rows", 8, 1, 32}}),
        family("tuned",
            {
                row("tuned_short", gpu, "u8 u16 f32 u8f32 u16f32", short_row_a_thread,
                    {{"lanes", 1}, {"rows", 128, 32, 256}})
                    .with("strict_float"),
                row("tuned_medium", gpu, "u8 u16 f32 u8f32 u16f32", lanes_a_row, medium,
                    {{"lanes", 8}, {"rows", 32, 4, 64}})
                    .with("strict_float"),
                row("tuned_many_rows", gpu, "u8 u16 f32 u8f32 u16f32", lanes_a_row, many_rows,
                    {{"lanes", 64, 16, 128}, {"rows", 2, 1, 16}})
                    .with("strict_float"),
                row("tuned_any", gpu, "u8 u16 f32 u8f32 u16f32", pieces_over_blocks, split,
                    {{"lanes", 64, 16, 128}, {"terms", 128, 16, 256}, {"rows", 2, 1, 8}, {"turns", 8, 1, 32}})
                    .with("strict_float"),
                row("tuned_few_rows", cpu, "u8 u16 f32 u8f32 u16f32", slices_of_rows, few_long_rows,
                    {{"lanes", 64, 16, 64}, {"groups", 255, 16, 255}, {"unroll", 4, 1, 8}})
                    .with("strict_float"),
                row("tuned_wide", cpu, "u8 u16 f32 u8f32 u16f32", strips_of_rows,
                    {{"lanes", 64, 16, 64}, {"groups", 255, 16, 255}, {"unroll", 4, 1, 8},
                        {"strip", 64, 1, 512}})
                    .with("strict_float"),
                row("tuned_medium", cpu, "u8 u16 f32 u8f32 u16f32", strips_of_rows,
                    {{"lanes", 8, 4, 16}, {"groups", 16, 1, 255}, {"unroll", 1}, {"strip", 512, 64, 4096}})
                    .with("strict_float"),
                row("tuned_any", cpu, "u8 u16 f32 u8f32 u16f32", strips_of_rows,
                    {{"lanes", 1}, {"groups", 16, 1, 255}, {"unroll", 1}, {"strip", 512, 64, 4096}})
                    .with("strict_float"),
            }),
        automatic<RowSum>("auto", cpu, "u8 u16 f32", "Mullapudi2016"),
        automatic<RowSum>("auto", gpu, "u8", "Anderson2021"),
    };
    return table;
}

static const Table table("row_sum", rows);

}  // namespace tilewright
