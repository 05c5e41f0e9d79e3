#pragma once
// The schedules of the steps between real values or their spectrum and a transform of complex numbers
// (generators/algorithms/fft2d/half.h), for the table of fft2d.
#include "generators/algorithms/fft2d/half.h"
#include "schedules/schedule.h"

namespace tilewright {

// The two parts of a number of f64 are stored together.
inline void numbers_together(FftHalf &f, const Halide::Var &innermost) {
    if (f.has_parts) {
        f.out.bound(f.part, 0, 2).reorder(f.part, innermost).unroll(f.part);
    }
}

// Neighbouring threads have neighbouring frequencies, and read those of the opposite ones backwards.
inline void half_by_threads(FftHalf &f, ScheduleContext &) {
    const Halide::Var thread{"thread"}, row{"row"}, block{"block"}, rows{"rows"};
    f.out.tile(f.x, f.y, block, rows, thread, row, 64, 4, TailStrategy::GuardWithIf)
        .gpu_blocks(block, rows)
        .gpu_threads(thread, row);
    numbers_together(f, thread);
}

// A core has some rows.
inline void half_in_vectors(FftHalf &f, ScheduleContext &) {
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

inline ScheduleVariants half_variants(const std::string &type) {
    using Step = FftHalfShape::Step;
    const FftHalfShape forward, back{.step = Step::half_back};
    const auto of_pairs = [&](const char *does, Step step, const char *sentence) {
        return variant(std::string("fused_") + does, gpu, type, half_by_threads, FftHalfShape{.step = step})
            .says(sentence);
    };
    return {variant("fused_half", gpu, type, half_by_threads, forward)
                .says("The spectrum of real values from that of half as many complex numbers, per thread."),
        variant("fused_half_back", gpu, type, half_by_threads, back)
            .says("Real values' spectrum made that of half as many complex numbers, one thread each."),
        variant("fused_half", cpu, type, half_in_vectors, forward)
            .says("The spectrum of real values from that of half as many complex numbers, by rows."),
        variant("fused_half_back", cpu, type, half_in_vectors, back)
            .says("Real values' spectrum made that of half as many complex numbers, by rows."),
        of_pairs(
            "pair_rows", Step::pair_rows, "Two rows of real values as one of complex numbers, per thread."),
        of_pairs("split_spectra", Step::split_spectra,
            "The spectra of two rows of real values from that of their pair, per thread."),
        of_pairs("pair_spectra", Step::pair_spectra,
            "The spectra of two rows of real values made that of their pair, per thread."),
        of_pairs(
            "split_rows", Step::split_rows, "A row of complex numbers as two of real values, per thread.")};
}

}  // namespace tilewright
