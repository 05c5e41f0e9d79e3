#pragma once
// The schedules of recursive_gaussian on CPUs.
#include "Halide.h"
#include "generators/algorithms/recursive_gaussian/bands.h"
#include "generators/algorithms/recursive_gaussian/configuration.h"
#include "generators/algorithms/recursive_gaussian/line.h"
#include "generators/algorithms/recursive_gaussian/strips.h"
#include "schedules/schedule.h"
#include "schedules/transpose/turned_squares.h"
#include <algorithm>

namespace tilewright::recursive_gaussian_cpu {

inline const Var xi{"xi"}, yi{"yi"}, xo{"xo"}, yo{"yo"}, task{"task"}, band{"band"};

// Lines one after another: first all rows, then all columns.
inline void reference(RecursiveGaussian &blur, ScheduleContext &) {
    for (RecursiveLines lines : {blur.along_x, blur.along_y}) {
        lines.causal.compute_root();
        lines.anticausal.compute_root();
    }
}

// Both filters of lines. The lanes of vectors are samples of neighbouring lines.
inline void filter(RecursiveRuns &lines, ScheduleContext &context) {
    const int lanes = context.target.natural_vector_size<float>();
    for (int stage = 0; stage < 4; stage++) {
        Halide::Stage update = lines.filtered.update(stage);
        update.vectorize(lines.v, lanes, TailStrategy::RoundUp);
        if (stage % 2 == 1) {
            update.reorder(lines.v, lines.c, lines.n);
        }
    }
}

// Both filters of rows, a few rows per iteration of the loop `group` of `at`.
inline void filter_rows(RecursiveRows &rows, Func at, const Var &group, ScheduleContext &context) {
    rows.lines.filtered.compute_at(at, group).bound_extent(
        rows.lines.v, rows.shape.square * context["row_vectors"]);
    filter(rows.lines, context);
}

// Rows are transposed in registers when they are read: `chunk` elements per iteration of the causal filter's
// loop.
inline void transpose_in_chunks(RecursiveRows &rows, ScheduleContext &context) {
    const int lanes = context.target.natural_vector_size<float>();
    const RVar no{"no"}, ni{"ni"};
    Func filtered = rows.lines.filtered;
    filtered.update(1)
        .split(rows.lines.n, no, ni, context["chunk"] / rows.shape.run)
        .reorder(rows.lines.v, rows.lines.c, ni, no)
        .never_partition(no, ni);
    rows.transposed.compute_at(filtered, no)
        .reorder_storage(rows.v, rows.x)
        .split(rows.x, xo, xi, rows.squares_in.columns, TailStrategy::RoundUp)
        .split(rows.v, yo, yi, rows.shape.square, TailStrategy::RoundUp)
        .reorder(yi, xi, xo, yo)
        .vectorize(yi)
        .unroll(xi);
    turn_in_registers(rows.squares_in, rows.transposed, xo);
    const Var x = rows.padded.args()[0];
    rows.padded.compute_at(filtered, no).split(x, xo, xi, lanes, TailStrategy::RoundUp).vectorize(xi);
}

// The samples of filtered rows as `samples` has them, element x of row y: square by square, transposed in
// registers. With colours, those of a square's rows are computed as runs of pixels first, because the run
// that a sample is in depends on the number of channels.
inline void samples_in_squares(
    RecursiveRows &rows, Func samples, const Var &x, const Var &y, ScheduleContext &context) {
    const int lanes = context.target.natural_vector_size<float>(), side = rows.shape.square;
    const Var xs{"xs"}, ys{"ys"};
    samples.split(x, xs, x, side, TailStrategy::RoundUp)
        .split(y, ys, y, side, TailStrategy::RoundUp)
        .reorder(x, y, xs, ys)
        .vectorize(x)
        .unroll(y);
    turn_in_registers(rows.squares_out, samples, xs);
    if (context.configuration<RecursiveGaussianConfiguration>().colours) {
        rows.square.compute_at(samples, ys)
            .bound(rows.i, 0, rows.shape.run)
            .reorder_storage(rows.v, rows.i)
            .reorder(rows.v, rows.i)
            .vectorize(rows.v, lanes)
            .unroll(rows.i);
    }
}

// The filters of columns, a strip per iteration of the loop `loop` of `at`.
inline void filter_columns(
    RecursiveRuns &along_y, Func at, const Var &loop, ScheduleContext &context, int strip) {
    along_y.filtered.compute_at(at, loop).bound_extent(along_y.v, strip).bound_extent(along_y.c, 1);
    filter(along_y, context);
}

// Sample after sample of one line: a vector of lines would hold one of them.
inline void line(RecursiveGaussianLine &blur, ScheduleContext &) {
    blur.along.filtered.compute_root();
    blur.out.split(blur.x, xo, xi, blur.run, TailStrategy::GuardWithIf).unroll(xi);
}

// First groups of rows, then strips of columns are spread over the cores: `strips` of them per task, so that
// small images are left to one core. Neither loop over strips is partitioned: the code of a library is 44 %
// smaller for that (RGB u8 190 KB before), takes 28 to 43 % less time to make, and runs in .46 to 1.01 of the
// time with AVX-512, .60 to 1.02 with AVX2 and .91 to 1.07 without both (61 x 37 to 1024 x 1024, u8, u16 and
// f32, one thread, AMD EPYC, Zen 4, 2026-11-30). `bands` takes up to 2.3 of the time in this way.
inline void strips(RecursiveGaussianStrips &blur, ScheduleContext &context) {
    const int lanes = context.target.natural_vector_size<float>(), strip = blur.shape.strip;
    blur.out.split(blur.x, xo, xi, strip, TailStrategy::GuardWithIf)
        .split(blur.y, yo, yi, blur.shape.run, TailStrategy::GuardWithIf)
        .split(xo, task, xo, context["strips"], TailStrategy::GuardWithIf)
        .reorder(xi, yi, yo, xo, task)
        .vectorize(xi, lanes, TailStrategy::GuardWithIf)
        .unroll(yi)
        .parallel(task);
    filter_columns(blur.along_y, blur.out, xo, context, strip);
    const int rows_at_once = blur.shape.square * context["row_vectors"],
              strips_at_once = std::max(1, context["chunk"] / strip);
    const Var so{"so"}, si{"si"};
    blur.strips.compute_root()
        .bound(blur.x, 0, strip)
        .split(blur.y, yo, yi, rows_at_once, TailStrategy::RoundUp)
        .split(blur.s, so, si, strips_at_once, TailStrategy::RoundUp)
        .reorder(blur.x, yi, si, so, yo)
        .split(yo, task, yo, context["strips"], TailStrategy::GuardWithIf)
        .parallel(task);
    samples_in_squares(blur.rows, blur.strips, blur.x, yi, context);
    filter_rows(blur.rows, blur.strips, yo, context);
    transpose_in_chunks(blur.rows, context);
    blur.out.never_partition_all();
    blur.strips.never_partition_all();
    // Memory is allocated once for all strips of a task.
    blur.along_y.filtered.hoist_storage(blur.out, task);
    blur.rows.lines.filtered.hoist_storage(blur.strips, task);
}

// The states at the edges of bands, from the image's first reading: sums of `sum_vectors` vectors of columns
// at a time, which stay in the cache, then the scan along y. No loop is partitioned: the code of a library is
// 20 KB smaller for that, a fifth to a quarter of it, and takes .95 to 1.04 of the time (u8 1024 x 1024, u8
// and f32 641 x 479, RGB u8 641 x 479; one thread, AMD EPYC, Zen 4, 2026-11-23).
inline void states_of_bands(RecursiveGaussianBands &blur, ScheduleContext &context) {
    const int lanes = context.target.natural_vector_size<float>(), vectors = context["sum_vectors"];
    const Var vo{"vo"}, vi{"vi"}, chunk{"chunk"};
    const auto in_vectors = [&](Halide::Stage stage) {
        stage.split(blur.v, vo, vi, lanes, TailStrategy::GuardWithIf).vectorize(vi);
    };
    const auto sums = [&](Func tails) {
        tails.bound(blur.k, 0, 6);
        in_vectors(tails);
        in_vectors(tails.update());
        tails.update().reorder(vi, blur.k, vo, blur.r, blur.t).unroll(blur.k).unroll(vo, 2);
        tails.never_partition_all();
        tails.update().never_partition_all();
    };
    const RVar k = blur.all.x, band_of_tails = blur.all.y;
    in_vectors(blur.states.update(0));
    blur.states.update(0)
        .allow_race_conditions()
        .split(vo, chunk, vo, vectors, TailStrategy::GuardWithIf)
        .reorder(vi, vo, k, chunk, band_of_tails)
        .unroll(k)
        .parallel(band_of_tails);
    blur.tails.compute_at(blur.states, chunk);
    sums(blur.tails);
    for (int scan : {1, 2}) {
        const Halide::RDom &r = scan == 1 ? blur.scan : blur.steps;
        in_vectors(blur.states.update(scan));
        blur.states.update(scan)
            .split(vo, chunk, vo, vectors, TailStrategy::GuardWithIf)
            .reorder(vi, r.x, vo, r.y, chunk)
            .unroll(r.x)
            .parallel(chunk);
    }
    for (int update : {0, 1, 2}) {
        blur.states.update(update).never_partition_all();
    }
    blur.last.compute_root().bound(blur.k, 0, 3);
    in_vectors(blur.last);
    blur.last.split(vo, chunk, vo, vectors, TailStrategy::GuardWithIf)
        .reorder(vi, blur.k, vo, chunk)
        .unroll(blur.k)
        .parallel(chunk);
    blur.last.never_partition_all();
    blur.tails_of_last.compute_at(blur.last, chunk);
    sums(blur.tails_of_last);
}

// The states at the edges of bands first. Then bands are spread over the cores: the columns of a band are
// filtered strip by strip, and then its rows, a few at a time.
inline void bands(RecursiveGaussianBands &blur, ScheduleContext &context) {
    const int lanes = context.target.natural_vector_size<float>(), strip = blur.shape.strip,
              wide = lanes * 4 / blur.out.types()[0].bytes();
    states_of_bands(blur, context);
    blur.out.split(blur.y, band, blur.y, blur.numbers.tile, TailStrategy::GuardWithIf)
        .split(blur.y, yo, yi, blur.shape.square * context["row_vectors"])
        .split(blur.x, xo, xi, context["chunk"], TailStrategy::GuardWithIf)
        .reorder(xi, yi, xo, yo, band)
        .vectorize(xi, wide, TailStrategy::GuardWithIf)
        .parallel(band)
        .never_partition(band);
    blur.pixels.compute_at(blur.out, xo);
    samples_in_squares(blur.rows, blur.pixels, blur.x, blur.y, context);
    filter_rows(blur.rows, blur.out, yo, context);

    const Var strips{"strips"};
    blur.rows.transposed.compute_at(blur.out, band)
        .reorder_storage(blur.rows.v, blur.rows.x)
        .split(blur.rows.x, strips, xi, strip, TailStrategy::RoundUp)
        .split(xi, xo, xi, blur.rows.squares_in.columns)
        .split(blur.rows.v, yo, yi, blur.shape.square, TailStrategy::RoundUp)
        .reorder(yi, xi, xo, yo, strips)
        .vectorize(yi)
        .unroll(xi);
    turn_in_registers(blur.rows.squares_in, blur.rows.transposed, xo);
    filter_columns(blur.along_y, blur.rows.transposed, strips, context, strip);
    blur.padded.compute_at(blur.rows.transposed, strips)
        .vectorize(blur.padded.args()[0], wide, TailStrategy::RoundUp);
    blur.ends.compute_at(blur.rows.transposed, strips)
        .bound(blur.k, 0, 6)
        .unroll(blur.k)
        .vectorize(blur.v, lanes, TailStrategy::RoundUp);
    blur.along_y.filtered.hoist_storage(blur.out, band);
    blur.rows.lines.filtered.hoist_storage(blur.out, band);
}

}  // namespace tilewright::recursive_gaussian_cpu
