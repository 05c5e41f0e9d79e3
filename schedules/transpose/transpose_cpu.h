#pragma once
// The schedules of transpose on a CPU.
#include "generators/algorithms/integers.h"
#include "generators/algorithms/transpose/squares.h"
#include "generators/algorithms/transpose/transpose.h"
#include "schedules/schedule.h"
#include "schedules/transpose/transposed_lanes.h"
#include "schedules/transpose/turned_squares.h"
#include <algorithm>

namespace tilewright::transpose_cpu {

inline const Var xi{"xi"}, yi{"yi"}, xo{"xo"}, yo{"yo"}, task{"task"};

// Spreads the `all` iterations of a loop over the cores. Tasks have the same number of them: with one task of
// many and another one of the rest, one core would wait for the other.
inline void spread(
    Halide::Stage stage, const RVar &loop, const Halide::Expr &all, const Halide::Expr &tasks) {
    const RVar of_task{"task"};
    stage.split(loop, of_task, loop, ceil_div(all, tasks), TailStrategy::GuardWithIf).parallel(of_task);
}

// Turns the squares of `turned` in registers. Rows of 32 bytes are there with AVX-512 VBMI alone, which
// shuffles the bytes of two such rows as one register.
inline void turn_block(TransposeSquares &t) {
    if (t.rectangles) {
        transpose_in_registers(*t.rectangles, t.turned, yo);
    } else {
        turn_in_registers(*t.squares, t.turned, yo, 32);
    }
}

// One block of the output after another, at least `blocks_per_task` of them per task. A block is made in a
// buffer that stays in the cache, square by square down the rows of the input, and is then written by whole
// cache lines. Colours are separated into planes before, and interleaved when they are written.
inline void blocks(TransposeSquares &t, ScheduleContext &context) {
    const int width = t.shape.width, height = t.shape.height, channels = t.shape.channels,
              line = 64 / t.in.type().bytes();
    const Var c = t.turned.args()[3];
    const RVar number{"number"};
    const Halide::Expr all = t.r[4].extent() * t.r[5].extent();
    Halide::Stage update = t.out.update();
    update.allow_race_conditions().fuse(t.r[4], t.r[5], number);
    spread(update, number, all, max(1, all / context["blocks_per_task"]));
    update.vectorize(t.r[1], std::min(line, width)).unroll(t.r[1]).unroll(t.r[0]);
    t.turned.compute_at(t.out, number)
        .bound_extent(t.i, width)
        .bound_extent(t.j, height)
        .bound_extent(t.first, 1)
        .bound(c, 0, channels)
        .tile(t.i, t.j, xo, yo, xi, yi, t.shape.rows, t.shape.columns)
        .reorder(xi, yi, yo, xo, c)
        .vectorize(xi)
        .unroll(yi);
    turn_block(t);
    if (channels > 1) {
        t.read.compute_at(t.out, number)
            .bound_extent(t.i, height)
            .bound_extent(t.j, width)
            .bound_extent(t.first, 1)
            .bound(t.c, 0, channels)
            .reorder(t.c, t.i, t.j)
            .vectorize(t.i, std::min(line, height))
            .unroll(t.c);
    }
    t.out.never_partition_all();
}

// Makes a block in registers. The squares beside each other in the output are stored before those below them
// are made: the registers do not hold a whole block.
inline void in_registers(TransposeSquares &t) {
    const RVar squares{"squares"}, row{"row"};
    t.out.update().split(t.r[2], squares, row, t.shape.columns).vectorize(t.r[1]).unroll(row).unroll(squares);
    t.turned.compute_at(t.out, squares)
        .store_in(MemoryType::Stack)
        .bound_extent(t.i, t.shape.width)
        .bound_extent(t.j, t.shape.columns)
        .bound_extent(t.first, 1)
        .bound(t.turned.args()[3], 0, 1)
        .tile(t.i, t.j, xo, yo, xi, yi, t.shape.rows, t.shape.columns)
        .reorder(xi, yi, yo, xo)
        .vectorize(xi)
        .unroll(yi)
        .unroll(yo)
        .unroll(xo);
    turn_block(t);
    t.out.never_partition_all();
}

// One small block of the output after another, along its rows: a block goes from the registers to its place,
// without a buffer between. Rows of blocks are spread over the cores, as many per task as have its bytes.
inline void squares_in_registers(TransposeSquares &t, ScheduleContext &context) {
    const int block_bytes = t.shape.width * t.shape.height * t.in.type().bytes();
    const Halide::Expr across = t.r[4].extent(), down = t.r[5].extent(),
                       rows_per_task = max(1, 1024 * context["task"] / block_bytes / across);
    Halide::Stage update = t.out.update();
    update.allow_race_conditions();
    spread(update, t.r[5], down, max(1, down / rows_per_task));
    in_registers(t);
}

// The same down columns of `down` blocks: so pieces of the input's rows are read that are long enough for the
// processor to fetch them ahead. Columns are spread over the cores.
inline void columns_in_registers(TransposeSquares &t, ScheduleContext &context) {
    const RVar column{"column"};
    const int of_task_elements = 1024 / t.in.type().bytes() * context["task"];
    const Halide::Expr all = t.r[4].extent() * t.r[5].extent();
    Halide::Stage update = t.out.update();
    update.allow_race_conditions().fuse(t.r[4], t.r[5], column);
    spread(update, column, all, clamp(t.elements / of_task_elements, 1, all));
    in_registers(t);
}

// One pixel after another within a task of width x height pixels of the output, for images that are too thin
// for blocks.
inline void thin(Transpose &t, ScheduleContext &context) {
    t.out.tile(t.x, t.y, xo, yo, xi, yi, context["width"], context["height"], TailStrategy::GuardWithIf)
        .fuse(xo, yo, task)
        .parallel(task);
    if (t.out.dimensions() == 3) {  // a pixel's words, before the next pixel
        const Var c = t.out.args()[2];
        t.out.reorder(c, xi, yi, task);
        if (context.type != "words") {
            t.out.bound(c, 0, 3).unroll(c);
        } else {
            const Halide::Expr words = context.buffers[1].dim(2).extent();
            for (int number : {3, 4, 6, 8}) {
                Halide::Stage special = t.out.specialize(words == number);
                number % 4 == 0 ? special.vectorize(c) : special.unroll(c);
            }
        }
    }
}

}  // namespace tilewright::transpose_cpu
