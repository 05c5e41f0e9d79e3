#pragma once
// The variant of gaussian_blur that blurs copies of rows which are not aligned, and the schedule of its
// copies.
#include "generators/algorithms/gaussian_blur/realigned.h"
#include "schedules/gaussian_blur/gaussian_blur_two_kernels.h"

namespace tilewright::gaussian_blur_two_kernels {

// One thread per `elements` elements of a row, which are `width` apart: neighbouring threads have neighbours.
inline void realigned(GaussianBlurRealigned &rows, ScheduleContext &context) {
    const int width = context["width"], elements = context["elements"];
    const Var element{"element"};
    tiles(rows.out, rows.x, rows.y, elements * width, context["height"], TailStrategy::GuardWithIf);
    rows.out.split(xi, element, xi, width).reorder(element, xi, yi).unroll(element);
}

// By OpenCL, whose libraries take no part of a buffer, rows of a caller's are copied by the host.
inline ScheduleVariant realigned_variant() {
    return variant("tuned_realigned", cuda, "u8 u16 f32 f16 bf16", realigned,
        {{"width", 32, 16, 128}, {"height", 8, 1, 16}, {"elements", 8, 1, 16}})
        .kept_for("images of a caller's whose rows do not begin at multiples of 16 bytes")
        .says("Copies rows to memory where they are aligned, runs a variant for those, copies the result.");
}

}  // namespace tilewright::gaussian_blur_two_kernels
