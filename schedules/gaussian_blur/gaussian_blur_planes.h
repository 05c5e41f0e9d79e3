#pragma once
// The variant of gaussian_blur that blurs the channels of an image as planes, and the schedule of its copies.
#include "generators/algorithms/gaussian_blur/planes.h"
#include "generators/algorithms/integers.h"
#include "schedules/schedule.h"
#include "schedules/shared_moves.h"

namespace tilewright::gaussian_blur_planes {

// Neighbouring threads write neighbouring elements, whichever order the output has; what they read is a few
// lines of memory, which the first-level cache keeps for all channels. A thread has `elements` pixels, which
// are `width` apart.
inline void copies(GaussianBlurPlanes &planes, ScheduleContext &context) {
    const Var x = planes.x, y = planes.y, c = planes.c, pixel{"pixel"}, element{"element"}, row{"row"},
              block{"block"};
    const int width = context["width"], elements = context["elements"];
    const Halide::OutputImageParam in = context.buffers[0], out = context.buffers[1];
    for (Halide::OutputImageParam buffer : {in, out}) {
        for (const int dimension : {0, 1, 2}) {
            buffer.dim(dimension).set_min(0);
        }
        buffer.dim(0).set_stride(Expr());
    }
    planes.out.split(x, x, pixel, elements * width, TailStrategy::GuardWithIf)
        .split(pixel, element, pixel, width)
        .split(y, y, row, context["height"], TailStrategy::GuardWithIf)
        .fuse(x, y, block)
        .gpu_blocks(block)
        .unroll(element)
        .never_partition_all();
    planes.out.specialize(out.dim(2).stride() == 1)
        .reorder(element, c, pixel, row, block)
        .gpu_threads(c, pixel, row);
    planes.out.reorder(element, c, pixel, row, block).gpu_threads(pixel, row);
}

// By OpenCL, whose libraries take no part of a buffer, planes would be arrays of their own.
inline ScheduleVariant planes_variant() {
    return variant("tuned_planes", cuda, "u8 u16 f32 f64 f16 bf16", copies,
        {{"width", 64, 16, 128}, {"height", 2, 1, 16}, {"elements", 4, 1, 16}})
        .serves("channels", {.least = 2})
        .says("Copies each channel to a plane, runs a variant for one channel, copies the results back.");
}

}  // namespace tilewright::gaussian_blur_planes
