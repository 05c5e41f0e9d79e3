// The schedules of invert, and the table of its variants.
#include "generators/algorithms/invert/invert.h"
#include "generators/algorithms/image_configuration.h"
#include "generators/algorithms/integers.h"
#include "schedules/schedule.h"
#include "schedules/shared_moves.h"

namespace tilewright {

namespace {

Var xo{"xo"}, yo{"yo"}, xi{"xi"}, yi{"yi"}, block{"block"}, task{"task"};

// Pixels one after another, in the order of memory.
void reference(Invert &, ScheduleContext &) {}

// One vector of pixels after another. Rows are spread over the cores, as many per task as have its bytes. The
// last vector of a row moves inwards, so that all of them are whole; a row shorter than a vector has shorter
// ones, or one pixel after another.
void vectors(Invert &invert, ScheduleContext &context) {
    const int widest = 2 * context.target.natural_vector_size(invert.out.type());
    if (context.is_stage) {
        invert.out.vectorize(invert.x, widest, TailStrategy::GuardWithIf)
            .parallel(invert.y, 16, TailStrategy::GuardWithIf);
        return;
    }
    const Halide::Expr width = context.buffers[0].width(), height = context.buffers[0].height(),
                       tasks = max(1, height / max(1, 1024 * context["task"] / max(1, width))),
                       rows = ceil_div(height, tasks);
    invert.out.split(invert.y, task, invert.y, rows, TailStrategy::GuardWithIf).parallel(task);
    for (int lanes = widest; lanes >= 8; lanes /= 2) {
        invert.out.specialize(width >= lanes).vectorize(invert.x, lanes, TailStrategy::ShiftInwards);
    }
    invert.out.unroll(invert.y, 8, TailStrategy::GuardWithIf);
}

// One thread per vector of 16 bytes. Rows begin at multiples of 16 bytes.
void aligned_vectors(Invert &invert, ScheduleContext &context) {
    const int bytes = context.configuration<ImageConfiguration>().alignment;
    for (const Halide::OutputImageParam &buffer : context.buffers) {
        aligned_rows(buffer, bytes);
    }
    invert.out.vectorize(invert.x, bytes / invert.out.type().bytes(), TailStrategy::GuardWithIf);
    tiles_over_blocks(invert.out, invert.x, invert.y, block, xi, yi, context["width"], context["height"],
        TailStrategy::GuardWithIf);
}

// One thread per `pixels` pixels of a row, which are `width` apart: neighbouring threads have neighbours.
void pixels(Invert &invert, ScheduleContext &context) {
    const int width = context["width"], count = context["pixels"];
    const Var pixel{"pixel"};
    invert.out
        .tile(invert.x, invert.y, xo, yo, xi, yi, count * width, context["height"], TailStrategy::GuardWithIf)
        .split(xi, pixel, xi, width)
        .reorder(pixel, xi, yi)
        .unroll(pixel)
        .fuse(xo, yo, block)
        .gpu_blocks(block)
        .gpu_threads(xi, yi);
}

}  // namespace

static const ScheduleVariants &variants() {
    static const ScheduleVariants table = {
        variant("reference", cpu, "u8 u16", reference)
            .says("Pixels one after another, in the order of memory: the result to compare with."),
        family("tuned",
            {
                variant("tuned", cpu, "u8 u16", vectors, {{"task", 1024, 16, 16384}})
                    .says("One vector of pixels after another, with the rows spread over the cores."),
                variant("tuned_aligned", gpu, "u8 u16", aligned_vectors, ImageConfiguration{.alignment = 16},
                    {{"width", 32, 16, 128}, {"height", 8, 1, 16}})
                    .says("One thread per 16 bytes, for rows that begin at multiples of 16 bytes."),
                variant("tuned_any", gpu, "u8 u16", pixels,
                    {{"width", 32, 16, 128}, {"height", 8, 1, 16}, {"pixels", 8, 1, 16}})
                    .says("One thread per 8 pixels, of which neighbouring threads have neighbours."),
            }),
        automatic<Invert>("auto", cpu, "u8", "Mullapudi2016"),
        automatic<Invert>("auto", gpu, "u8", "Anderson2021"),
    };
    return table;
}

static const Table table("invert", variants);

}  // namespace tilewright
