#pragma once
// The schedules of passes over long lines on a CPU, for the tables of fft2d and fresnel.
#include "generators/algorithms/fft2d/lines.h"
#include "schedules/fft/fft_pass.h"
#include "schedules/shared_moves.h"
#include "schedules/transpose/turned_squares.h"
#include <algorithm>
#include <string>
#include <vector>

namespace tilewright {

// The lengths of lines that have two levels, and how many columns are transformed together: the fastest of
// 16, 32, 64 and 128 on one core of Zen 4 (32 KB of first cache, 1 MB of second cache), November 2026. So is
// the length whose rows are `prefetched`, 1024.
inline const std::vector<PassLines> &columns_of_two_levels() {
    static const std::vector<PassLines> lengths = {
        {{4, 4, 4, 4}, 32}, {{4, 4, 8, 4}, 32}, {{4, 8, 8, 4}, 64}, {{4, 8, 8, 8}, 64}, {{8, 8, 8, 8}, 64}};
    return lengths;
}
inline const std::vector<PassLines> &rows_of_two_levels() {
    static const std::vector<PassLines> lengths = [] {
        std::vector<PassLines> lines = columns_of_two_levels();
        lines.push_back({{8, 8, 16, 8}, 1});
        return lines;
    }();
    return lengths;
}

// Where the stages of one line are computed.
struct LinePlaces {
    Halide::Func line_of, third_of, fourth_of;
    // the loops of these Funcs: one line or block of lines; one vector of points k1, or one of them; one
    // butterfly of the last stage
    Halide::Var whole, third, fourth;
    Halide::Func storage_of;
    Halide::Var storage;  // the loop that allocates memory: once per task of a core
};

// The last stage's values stay in registers: what reads them is inside the same loops.
inline void last_stage_in_registers(
    FftLine &line, const LinePlaces &at, const Halide::Var &lanes, int width) {
    line.fourth.compute_at(at.fourth_of, at.fourth)
        .store_in(Halide::MemoryType::Stack)
        .bound_extent(line.m0, 1)
        .bound(line.m1, 0, line.radix[3])
        .bound_extent(lanes, width);
    line.fourth.update().vectorize(lanes, width);
    line.third.compute_at(at.third_of, at.third)
        .hoist_storage(at.storage_of, at.storage)
        .bound(line.m0, 0, line.radix[2])
        .bound(line.l1, 0, line.radix[3]);
    line.third.update().vectorize(lanes, width);
}

// One line along a row: vectors of n2, squares, vectors of k1. `chunk` becomes the loop over the vectors of
// n2. Left to the caller: for how many n2 the first stage is computed at a time, and for how many k1 the
// third.
inline void schedule_row(FftLine &line, const LinePlaces &at, const Halide::Var &chunk, int width) {
    Var n_in{"n_in"}, k_out{"k_out"}, k_in{"k_in"};
    last_stage_in_registers(line, at, line.k1, width);
    line.fourth.bound_extent(line.line, 1);
    line.third.bound_extent(line.line, 1);
    line.turned.compute_at(at.line_of, at.whole)
        .hoist_storage(at.storage_of, at.storage)
        .bound(line.k1, 0, line.points1)
        .bound(line.n2, 0, line.points2)
        .bound_extent(line.line, 1)
        .split(line.n2, chunk, n_in, width)
        .split(line.k1, k_out, k_in, width)
        .reorder(k_in, n_in, k_out, chunk, line.line)
        .vectorize(k_in)
        .unroll(n_in);
    turn_in_registers(*line.squares_re, line.turned, k_out);
    turn_in_registers(*line.squares_im, line.turned, k_out);
    line.second.compute_at(line.turned, chunk)
        .hoist_storage(at.storage_of, at.storage)
        .bound(line.j0, 0, line.radix[0])
        .bound(line.j1, 0, line.radix[1])
        .bound_extent(line.n2, width);
    line.second.update().vectorize(line.n2, width);
    line.first.hoist_storage(at.storage_of, at.storage)
        .bound(line.j0, 0, line.radix[0])
        .bound(line.i1, 0, line.radix[1])
        .bound_extent(line.line, 1);
}

// A core transforms one row after another. The first stage and the third one are computed for the whole row
// at once: so the first stage reads the row as radix[0] streams, each of them in the order of memory, the
// last stage writes radix[3] such streams, and the processor fetches their next lines by itself. `prefetched`
// 1: while a row is transformed, the next one is fetched into the cache, a piece at a time; all at once would
// not be faster than reading it.
inline void rows_in_two_levels(FftLines &f, ScheduleContext &context) {
    const int width = context.target.natural_vector_size<float>(), together = context["together"];
    Var chunk{"chunk"}, lane{"lane"}, task{"task"}, forward_chunk{"forward_chunk"}, back_chunk{"back_chunk"},
        n_out{"n_out"}, n_in{"n_in"};
    FftLine &last = f.back ? *f.back : *f.forward;
    f.out.bound(f.c, 0, 2)
        .bound(f.k1, 0, last.points1)
        .bound(f.m0, 0, last.radix[2])
        .bound(f.m1, 0, last.radix[3])
        .split(f.line, task, f.line, together)
        .split(f.k1, chunk, lane, width)
        .reorder({f.c, lane, f.m1, chunk, f.m0, f.line, task})
        .vectorize(lane)
        .unroll(f.c)
        .unroll(f.m1)
        .parallel(task);
    schedule_row(last, {f.out, f.out, f.out, f.line, f.line, chunk, f.out, task}, back_chunk, width);
    last.third.bound(last.k1, 0, last.points1);
    FftLine &first = *f.forward;
    if (f.back) {
        schedule_row(first,
            {f.out, f.back->turned, f.back->first, f.line, back_chunk, f.back->i1, f.out, task},
            forward_chunk, width);
        first.third.bound_extent(first.k1, width);
        f.back->first.compute_at(f.back->turned, back_chunk).bound_extent(f.back->n2, width);
        f.back->first.update().vectorize(f.back->n2, width);
    }
    first.first.compute_at(f.out, f.line).bound(first.n2, 0, first.points2);
    first.first.update().split(first.n2, n_out, n_in, width).reorder(n_in, n_out, first.i1).vectorize(n_in);
    if (context["prefetched"]) {
        f.out.prefetch(context.buffers.front(), f.m0, f.line);
    }
    Halide::OutputImageParam &output = context.buffers.back();
    output.dim(4).set_extent(multiple_of(together, output.dim(4).extent()));
}

// One block of columns: the lanes are columns.
inline void schedule_columns(
    FftLine &line, const LinePlaces &at, const Halide::Var &within, int together, int width) {
    const Halide::Var lane{"lane"};
    last_stage_in_registers(line, at, line.line, width);
    line.fourth.bound_extent(line.k1, 1);
    line.third.bound_extent(line.line, together);
    line.second.compute_at(at.line_of, at.whole)
        .hoist_storage(at.storage_of, at.storage)
        .bound(line.j0, 0, line.radix[0])
        .bound(line.j1, 0, line.radix[1])
        .bound(line.n2, 0, line.points2)
        .bound_extent(line.line, together);
    line.second.update().reorder(line.line, line.j0, line.n2).vectorize(line.line, width);
    line.first.compute_at(line.second, line.n2)
        .hoist_storage(at.storage_of, at.storage)
        .bound(line.j0, 0, line.radix[0])
        .bound(line.i1, 0, line.radix[1])
        .bound_extent(line.line, together);
    line.first.update().split(line.line, within, lane, width).reorder(lane, within, line.i1).vectorize(lane);
}

// A core transforms a block of neighbouring columns, whose first level stays in its second cache.
inline void columns_in_two_levels(FftLines &f, ScheduleContext &context) {
    const int width = context.target.natural_vector_size<float>(), together = context["together"];
    Var block{"block"}, within{"within"}, lane{"lane"}, task{"task"};
    FftLine &last = f.back ? *f.back : *f.forward;
    f.out.bound(f.c, 0, 2)
        .bound(f.k1, 0, last.points1)
        .bound(f.m0, 0, last.radix[2])
        .bound(f.m1, 0, last.radix[3])
        .split(f.line, block, within, together)
        .split(within, within, lane, width)
        .reorder({f.c, lane, f.m1, within, f.m0, f.k1, block})
        .vectorize(lane)
        .unroll(f.c)
        .unroll(f.m1)
        .split(block, task, block, std::max(1, 128 / together), Halide::TailStrategy::GuardWithIf)
        .parallel(task);
    const Var back_within{"back_within"}, forward_within{"forward_within"};
    schedule_columns(
        last, {f.out, f.out, f.out, block, f.k1, within, f.out, task}, back_within, together, width);
    if (f.back) {
        schedule_columns(*f.forward,
            {f.out, f.back->second, f.back->first, block, f.back->n2, back_within, f.out, task},
            forward_within, together, width);
    }
    for (Halide::OutputImageParam *buffer : {&context.buffers.front(), &context.buffers.back()}) {
        buffer->dim(1).set_extent(multiple_of(together, buffer->dim(1).extent()));
    }
}

// A variant whose lines have two levels. `radices`: two per level.
inline ScheduleVariant two_level_variant(
    const std::string &name, const std::vector<int> &radices, PassNumbers n) {
    FftPassShape shape(radices);
    shape.lines = n.lines;
    shape.chirp_first = n.chirp_first;
    shape.chirp_last = n.chirp_last;
    shape.convolve = n.convolve;
    const bool rows = n.lines == FftPassShape::Lines::along;
    const bool prefetched = shape.length() == 1024 && !n.convolve;
    std::string sentence = (rows ? "Rows of " : "Columns of ") + std::to_string(shape.length());
    sentence += rows ? " points in two levels, one row at a time" :
                       " points in two levels, " + std::to_string(n.together) + " at a time";
    sentence += n.convolve ? ", there and back" : n.chirp_first ? ", with phases" : "";
    if (rows) {
        return variant(name, cpu, "c64", rows_in_two_levels, shape,
            {{"together", n.together, 1, 64}, {"prefetched", prefetched, 0, 1}})
            .says(sentence + ": all stages in a core's cache.");
    }
    return variant(name, cpu, "c64", columns_in_two_levels, shape, {{"together", n.together, 16, 128}})
        .says(sentence + ": all stages in a core's cache.");
}

// Variants that have no code for machines without AVX2, where other passes do the same.
inline ScheduleVariants newer(ScheduleVariants variants) {
    for (ScheduleVariant &variant : variants) {
        variant = std::move(variant).newer();
    }
    return variants;
}

// A variant for each length: NAME_LENGTH. `numbers` says what a pass does, and how many rows of an image a
// task has, or how many columns are together; columns 1: as many as `lengths` says.
inline ScheduleVariants two_level_variants(
    const std::string &name, const PassNumbers &numbers, const std::vector<PassLines> &lengths) {
    ScheduleVariants variants;
    for (const PassLines &lines : lengths) {
        PassNumbers n = numbers;
        n.together = n.together == 1 ? lines.together : n.together;
        const int length = FftPassShape(lines.radices).length();
        variants.push_back(two_level_variant(name + "_" + std::to_string(length), lines.radices, n));
    }
    return variants;
}

}  // namespace tilewright
