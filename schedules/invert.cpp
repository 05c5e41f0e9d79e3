// The schedules of invert, and the table of its rows.
#include "generators/algorithms/invert/invert.h"
#include "generators/algorithms/integers.h"
#include "schedules/moves.h"
#include "schedules/schedule.h"

namespace tilewright {

namespace {

using Halide::TailStrategy;
using Halide::Var;

Var xi{"xi"}, yi{"yi"}, block{"block"}, task{"task"};

// Pixels one after another, in the order of memory.
void reference(Invert &, ScheduleContext &) {}

// One vector of pixels after another. Rows are spread over the cores, as many per task as have its bytes.
// One column is read and written pixel by pixel, because most of a vector would be empty.
void vectors(Invert &invert, ScheduleContext &context) {
    if (context.is_stage) {
        invert.out.vectorize(invert.x, context["lanes"], TailStrategy::GuardWithIf)
            .parallel(invert.y, 16, TailStrategy::GuardWithIf);
        return;
    }
    const Halide::Expr width = context.buffers[0].width(), height = context.buffers[0].height(),
                       tasks = max(1, height / max(1, 1024 * context["task"] / max(1, width))),
                       rows = ceil_div(height, tasks);
    invert.out.split(invert.y, task, invert.y, rows, TailStrategy::GuardWithIf).parallel(task);
    invert.out.specialize(width == 1).unroll(invert.y, 8, TailStrategy::GuardWithIf);
    invert.out.vectorize(invert.x, context["lanes"], TailStrategy::GuardWithIf);
}

// One thread per pixel.
void direct(Invert &invert, ScheduleContext &context) {
    tiles_over_blocks(invert.out, invert.x, invert.y, block, xi, yi, context["width"], context["height"],
        TailStrategy::GuardWithIf);
}

}  // namespace

static const ScheduleRows &rows() {
    static const ScheduleRows table = {
        row("reference", cpu, "u8 u16", reference)
            .says("Pixels one after another, in the order of memory: the result to compare with."),
        row("tuned", cpu, "u8 u16", vectors, {{"lanes", 64, 16, 64}, {"task", 1024, 16, 16384}})
            .says("One vector of pixels after another, with the rows spread over the cores."),
        row("tuned", gpu, "u8 u16", direct, {{"width", 32, 16, 128}, {"height", 8, 1, 16}})
            .says("One thread per pixel: neighbouring threads read and write neighbouring pixels."),
        automatic<Invert>("auto", cpu, "u8", "Mullapudi2016"),
        automatic<Invert>("auto", gpu, "u8", "Anderson2021"),
    };
    return table;
}

static const Table table("invert", rows);

}  // namespace tilewright
