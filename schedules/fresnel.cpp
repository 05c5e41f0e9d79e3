#include "generators/algorithms/fresnel/fresnel.h"
#include "schedules/fft2d_transpose.h"
#include "schedules/fft_pass.h"
#include "schedules/moves.h"

namespace tilewright {

namespace {

using Halide::TailStrategy;
using Halide::Var;

// A row of the image after another, then a column after another; of each, one step after another.
void reference(Fresnel &f, Site &) {
    for (Fft2d *fft : {&f.forward, &f.back}) {
        fft->along.compute_at(fft->rows, fft->y);
        fft->rows.compute_root();
        fft->down.compute_at(fft->columns, fft->x);
        fft->columns.compute_root();
    }
}

// A sample a thread.
template<typename Form>
void samples(Form &form, Site &site) {
    Var xi{"xi"}, yi{"yi"}, block{"block"};
    tiles_over_blocks(form.out, form.x, form.y, block, xi, yi, site["width"], site["height"], TailStrategy::GuardWithIf);
}

// Rows over the cores, one sample after another.
void rows_of_samples(FresnelTimes &times, Site &) {
    times.out.parallel(times.y);
}

// Whole lines, with the phases of `transform` before and after.
template<Pass::Lines lines>
PassNumbers chirped(int together) {
    return {.lines = lines, .chirp_first = true, .chirp_last = true, .together = together};
}

// Whole lines there and back, with the response of `convolution` between; columns may have one each, as `angular_spectrum` has them.
template<Pass::Lines lines>
PassNumbers convolved(int together) {
    return {.lines = lines, .numbered = lines == Pass::Lines::across ? Pass::Numbered::by_line : Pass::Numbered::none, .convolve = true,
            .together = together};
}

// Columns in parts (generators/algorithms/fft2d/pass.h), 32 together. `transform` has its first phase in the first part, and the other in the second one;
// `convolution` goes there and back in the second part, and its last part is the inverse of the first.
PassNumbers columns_in_parts(int together) {
    return {.lines = Pass::Lines::across, .numbered = Pass::Numbered::by_batch, .together = together};
}
PassNumbers first_part(int together) {
    PassNumbers numbers = columns_in_parts(together);
    numbers.chirp_first = true;
    return numbers;
}
PassNumbers second_part(int together) {
    PassNumbers numbers = columns_in_parts(together);
    numbers.twiddled = numbers.chirp_last = true;
    return numbers;
}
PassNumbers convolved_part(int together) {
    PassNumbers numbers = columns_in_parts(together);
    numbers.twiddled = numbers.convolve = true;
    return numbers;
}
PassNumbers last_part(int together) {
    PassNumbers numbers = columns_in_parts(together);
    numbers.twiddled = true;
    return numbers;
}

// Lengths that a block takes there and back.
const std::vector<PassLines> convolved_rows = {
    {{4, 4}, 16}, {{4, 8}, 16}, {{8, 8}, 16}, {{8, 16}, 16}, {{16, 16}, 8}, {{8, 8, 8}, 4}, {{8, 8, 16}, 2},
    {{8, 16, 16}, 1}, {{16, 16, 16}, 1, 1, gpu, 64}, {{16, 16, 32}, 1, 1, cuda, 128}};
const std::vector<PassLines> convolved_columns = {
    {{4, 4}, 16}, {{4, 8}, 16}, {{8, 8}, 16}, {{8, 16}, 16}, {{16, 16}, 16}, {{8, 8, 8}, 8}, {{8, 8, 16}, 4},
    {{16, 16, 8}, 4, 1, cuda, 64}, {{16, 16, 16}, 4, 1, cuda, 64}};

const std::vector<Tunable> tile = {{"width", 32, 16, 128}, {"height", 8, 1, 16}};

}  // namespace

// A row is one pass, over lines of one length; the front puts passes together (runtime/operators/fresnel/libraries.cpp), the first row that
// fits a pass being taken.
static const Rows &rows() {
    using enum Pass::Lines;
    static const Rows table = {
        row("reference", cpu, "c64", reference),

        family("passes", {
            row("passes", gpu, "c64", samples<FresnelTimes>, tile),
            row("passes_turn", gpu, "c64", turned_in_shared, {{"tile", 16, 8, 32}}),
        }),

        family("fused", {
            pass_rows("fused_rows", lines_in_shared, chirped<along>, whole_rows()),
            pass_rows("fused_columns", lines_in_shared, chirped<across>, whole_columns()),
            pass_rows("fused_convolved_rows", lines_in_shared, convolved<along>, convolved_rows),
            pass_rows("fused_convolved_columns", lines_in_shared, convolved<across>, convolved_columns),

            // Columns that do not fit a block: 8192 on CUDA, from 2048 on with the 48 KB of OpenCL.
            pass_rows("fused_first", lines_in_shared, first_part, {{{4, 4}, 32, 1, opencl}, {{4, 8}, 32}, {{8, 8}, 32}}),
            row("fused_second", opencl, "c64", lines_in_shared, pass({8, 16}, second_part(32))),
            row("fused_second", cuda, "c64", lines_in_shared, pass({16, 16}, second_part(32))).registers("", 64),
            row("fused_convolved_second", gpu, "c64", lines_in_shared, pass({8, 16}, convolved_part(32))).registers("", 64),
            pass_rows("fused_last", lines_in_shared, last_part, {{{4, 4}, 32, 1, opencl}, {{4, 8}, 32, 1, opencl}, {{8, 8}, 32}}),
        }),

        row("tuned", gpu, "c64", samples<FresnelTransfer>, tile),

        family("fused", {
            pass_rows("fused_rows", lines_in_vectors, chirped<along>, lines_in_cache()),
            pass_rows("fused_columns", lines_in_vectors, chirped<across>, lines_in_cache()),
        }),
        row("tuned", cpu, "c64", rows_of_samples),

        // Anderson2021 does not come to an end within minutes.
        declined<Fresnel>("auto", cpu, "c64", "Mullapudi2016", "Unhandled exception"),
    };
    return table;
}

static const Table table("fresnel", rows);

}  // namespace tilewright
