#pragma once
// The schedules of the step between the spectrum of real values and a transform of complex numbers
// (generators/algorithms/fft2d/half.h), for the table of fft2d.
#include "generators/algorithms/fft2d/half.h"
#include "schedules/schedule.h"

namespace tilewright {

// The two parts of a number of f64 are stored together.
inline void numbers_together(FftHalf &f, const Halide::Var &innermost) {
    if (f.is_f64) {
        f.out.bound(f.part, 0, 2).reorder(f.part, innermost).unroll(f.part);
    }
}

// Neighbouring threads have neighbouring frequencies, and read those of the opposite ones backwards.
inline void half_by_threads(FftHalf &f, ScheduleContext &) {
    using Halide::TailStrategy;
    const Halide::Var thread{"thread"}, row{"row"}, block{"block"}, rows{"rows"};
    f.out.tile(f.x, f.y, block, rows, thread, row, 64, 4, TailStrategy::GuardWithIf)
        .gpu_blocks(block, rows)
        .gpu_threads(thread, row);
    numbers_together(f, thread);
}

// A core has some rows.
inline void half_in_vectors(FftHalf &f, ScheduleContext &) {
    using Halide::TailStrategy;
    const Halide::Var lane{"lane"}, block{"block"}, row{"row"};
    f.out.split(f.x, block, lane, 16, TailStrategy::GuardWithIf)
        .vectorize(lane)
        .split(f.y, f.y, row, 16, TailStrategy::GuardWithIf)
        .parallel(f.y);
    numbers_together(f, lane);
    if (f.has_update) {
        f.out.update().split(f.y, f.y, row, 64, TailStrategy::GuardWithIf).parallel(f.y);
    }
}

inline ScheduleVariants half_variants(const std::string &name, const std::string &type) {
    const FftHalfShape forward, back{.back = true};
    return {variant(name, gpu, type, half_by_threads, forward)
                .says("The spectrum of real values from that of half as many complex numbers, per thread."),
        variant(name + "_back", gpu, type, half_by_threads, back)
            .says("Real values' spectrum made that of half as many complex numbers, one thread each."),
        variant(name, cpu, type, half_in_vectors, forward)
            .says("The spectrum of real values from that of half as many complex numbers, by rows."),
        variant(name + "_back", cpu, type, half_in_vectors, back)
            .says("Real values' spectrum made that of half as many complex numbers, by rows.")};
}

}  // namespace tilewright
