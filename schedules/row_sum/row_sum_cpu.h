#pragma once
// The schedules of row_sum on a CPU.
#include "generators/algorithms/integers.h"
#include "generators/algorithms/row_sum/halves.h"
#include "generators/algorithms/row_sum/octets.h"
#include "generators/algorithms/row_sum/row_sum.h"
#include "generators/algorithms/row_sum/sliced.h"
#include "schedules/schedule.h"

namespace tilewright::row_sum_cpu {

inline const Var yo{"yo"}, yi{"yi"};

// Keeps the lanes of a slice in vector registers.
inline void lanes_in_vectors(RowSumSliced &form, ScheduleContext &context) {
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

// Spreads strips of rows over the cores: each has the bytes of a task or more, but no more than `strip` rows,
// because a short row takes longer per byte. Where there are several tasks, each is divided into `pieces`.
template<typename Form>
void in_strips(Form &form, ScheduleContext &context) {
    const int task_bytes = 1024 * context["task"], most = context["strip"];
    Halide::Expr strip = clamp(task_bytes / form.row_bytes, 1, most);
    if (!context.is_stage) {
        const Halide::Expr height = context.buffers[0].height();
        const Halide::Expr tasks = height / max(1, task_bytes / form.row_bytes);
        strip = min(ceil_div(height, select(tasks > 1, tasks * context["pieces"], 1)), most);
    }
    form.out.split(form.y, yo, yi, strip, TailStrategy::GuardWithIf).parallel(yo);
}

// Strips of rows are spread over the cores. A row is added in vectors.
inline void strips_of_rows(RowSumSliced &form, ScheduleContext &context) {
    in_strips(form, context);
    form.total.compute_at(form.out, yi);
    form.adding.compute_at(form.total, form.each);
    lanes_in_vectors(form, context);
    for (Func &level : form.levels) {
        level.compute_at(form.total, form.each).vectorize(form.lane);
    }
}

// Strips of rows are spread over the cores. A row is added in vectors of octets.
inline void strips_of_octets(RowSumOctets &form, ScheduleContext &context) {
    RVar go{"go"}, gi{"gi"};
    in_strips(form, context);
    form.adding.compute_at(form.out, yi).bound(form.octet, 0, form.octets).vectorize(form.octet);
    form.adding.update(0)
        .split(form.pixel.y, go, gi, context["unroll"], TailStrategy::GuardWithIf)
        .reorder(form.pixel.x, form.octet, gi, go)
        .atomic()
        .vectorize(form.pixel.x)
        .vectorize(form.octet)
        .unroll(gi);
    form.adding.update(1).reorder(form.rest, form.octet).atomic().vectorize(form.rest).vectorize(form.octet);
    for (Func &level : form.levels) {
        level.compute_at(form.out, yi).vectorize(form.octet);
    }
}

// Slices are spread over the cores, for images of few rows.
inline void slices_of_rows(RowSumSliced &form, ScheduleContext &context) {
    form.of_slice.compute_root().parallel(form.slice);
    form.adding.compute_at(form.of_slice, form.slice);
    lanes_in_vectors(form, context);
}

// Strips of rows are spread over the cores. The two vectors of a row are added in registers.
inline void halves_in_vectors(RowSumHalves &form, ScheduleContext &context) {
    form.out.split(form.y, yo, yi, context["strip"], TailStrategy::GuardWithIf).parallel(yo);
    form.both.compute_at(form.out, yi).bound(form.lane, 0, context["lanes"]).vectorize(form.lane);
    for (Func &level : form.levels) {
        level.compute_at(form.out, yi).vectorize(form.lane);
    }
}

// Strips of rows are spread over the cores, and a row is added pixel by pixel.
inline void pixels_of_rows(RowSum &form, ScheduleContext &context) {
    form.out.split(form.y, yo, yi, context["strip"], TailStrategy::GuardWithIf).parallel(yo);
}

}  // namespace tilewright::row_sum_cpu
