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
PassNumbers chirped(Pass::Lines lines, int together, int pad = 1) {
    return {.lines = lines, .chirp_first = true, .chirp_last = true, .together = together, .pad = pad};
}

// Whole lines there and back, with the response of `convolution` between; columns may have one each, as `angular_spectrum` has them.
PassNumbers convolved(Pass::Lines lines, int together) {
    return {.lines = lines, .numbered = lines == Pass::Lines::across ? Pass::Numbered::by_line : Pass::Numbered::none, .convolve = true,
            .together = together};
}

// Columns in parts (generators/algorithms/fft2d/pass.h), 32 together. `transform` has its first phase in the first part, and the other in the second one;
// `convolution` goes there and back in the second part, and its last part is the inverse of the first.
PassNumbers columns_in_parts() {
    return {.lines = Pass::Lines::across, .numbered = Pass::Numbered::by_batch, .together = 32};
}
PassNumbers first_part() {
    PassNumbers numbers = columns_in_parts();
    numbers.chirp_first = true;
    return numbers;
}
PassNumbers second_part() {
    PassNumbers numbers = columns_in_parts();
    numbers.twiddled = numbers.chirp_last = true;
    return numbers;
}
PassNumbers convolved_part() {
    PassNumbers numbers = columns_in_parts();
    numbers.twiddled = numbers.convolve = true;
    return numbers;
}
PassNumbers last_part() {
    PassNumbers numbers = columns_in_parts();
    numbers.twiddled = true;
    return numbers;
}

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
            row("fused_rows_16", gpu, "c64", lines_in_shared, pass({4, 4}, chirped(along, 16))),
            row("fused_rows_32", gpu, "c64", lines_in_shared, pass({4, 8}, chirped(along, 16))),
            row("fused_rows_64", gpu, "c64", lines_in_shared, pass({8, 8}, chirped(along, 16))),
            row("fused_rows_128", gpu, "c64", lines_in_shared, pass({8, 16}, chirped(along, 16))),
            row("fused_rows_256", gpu, "c64", lines_in_shared, pass({16, 16}, chirped(along, 8))),
            row("fused_rows_512", gpu, "c64", lines_in_shared, pass({8, 8, 8}, chirped(along, 4, 2))),
            row("fused_rows_1024", gpu, "c64", lines_in_shared, pass({8, 8, 16}, chirped(along, 2, 2))),
            row("fused_rows_2048", gpu, "c64", lines_in_shared, pass({8, 16, 16}, chirped(along, 1, 2))),
            row("fused_rows_4096", gpu, "c64", lines_in_shared, pass({16, 16, 16}, chirped(along, 1, 2))),
            row("fused_rows_8192", cuda, "c64", lines_in_shared, pass({16, 16, 32}, chirped(along, 1, 2))).registers("", 128),
            row("fused_columns_16", gpu, "c64", lines_in_shared, pass({4, 4}, chirped(across, 16))),
            row("fused_columns_32", gpu, "c64", lines_in_shared, pass({4, 8}, chirped(across, 16))),
            row("fused_columns_64", gpu, "c64", lines_in_shared, pass({8, 8}, chirped(across, 16))),
            row("fused_columns_128", gpu, "c64", lines_in_shared, pass({8, 16}, chirped(across, 16))),
            row("fused_columns_256", gpu, "c64", lines_in_shared, pass({16, 16}, chirped(across, 16))),
            row("fused_columns_512", gpu, "c64", lines_in_shared, pass({8, 8, 8}, chirped(across, 8))),
            row("fused_columns_1024", gpu, "c64", lines_in_shared, pass({8, 8, 16}, chirped(across, 4, 2))),
            row("fused_columns_2048", cuda, "c64", lines_in_shared, pass({8, 16, 16}, chirped(across, 4, 2))).registers("", 96),
            row("fused_columns_4096", cuda, "c64", lines_in_shared, pass({16, 16, 16}, chirped(across, 4, 2))).registers("", 64),

            row("fused_convolved_rows_16", gpu, "c64", lines_in_shared, pass({4, 4}, convolved(along, 16))),
            row("fused_convolved_rows_32", gpu, "c64", lines_in_shared, pass({4, 8}, convolved(along, 16))),
            row("fused_convolved_rows_64", gpu, "c64", lines_in_shared, pass({8, 8}, convolved(along, 16))),
            row("fused_convolved_rows_128", gpu, "c64", lines_in_shared, pass({8, 16}, convolved(along, 16))),
            row("fused_convolved_rows_256", gpu, "c64", lines_in_shared, pass({16, 16}, convolved(along, 8))),
            row("fused_convolved_rows_512", gpu, "c64", lines_in_shared, pass({8, 8, 8}, convolved(along, 4))),
            row("fused_convolved_rows_1024", gpu, "c64", lines_in_shared, pass({8, 8, 16}, convolved(along, 2))),
            row("fused_convolved_rows_2048", gpu, "c64", lines_in_shared, pass({8, 16, 16}, convolved(along, 1))),
            row("fused_convolved_rows_4096", gpu, "c64", lines_in_shared, pass({16, 16, 16}, convolved(along, 1))).registers("", 64),
            row("fused_convolved_rows_8192", cuda, "c64", lines_in_shared, pass({16, 16, 32}, convolved(along, 1))).registers("", 128),
            row("fused_convolved_columns_16", gpu, "c64", lines_in_shared, pass({4, 4}, convolved(across, 16))),
            row("fused_convolved_columns_32", gpu, "c64", lines_in_shared, pass({4, 8}, convolved(across, 16))),
            row("fused_convolved_columns_64", gpu, "c64", lines_in_shared, pass({8, 8}, convolved(across, 16))),
            row("fused_convolved_columns_128", gpu, "c64", lines_in_shared, pass({8, 16}, convolved(across, 16))),
            row("fused_convolved_columns_256", gpu, "c64", lines_in_shared, pass({16, 16}, convolved(across, 16))),
            row("fused_convolved_columns_512", gpu, "c64", lines_in_shared, pass({8, 8, 8}, convolved(across, 8))),
            row("fused_convolved_columns_1024", gpu, "c64", lines_in_shared, pass({8, 8, 16}, convolved(across, 4))),
            row("fused_convolved_columns_2048", cuda, "c64", lines_in_shared, pass({16, 16, 8}, convolved(across, 4))).registers("", 64),
            row("fused_convolved_columns_4096", cuda, "c64", lines_in_shared, pass({16, 16, 16}, convolved(across, 4))).registers("", 64),

            // Columns that do not fit a block: 8192 on CUDA, from 2048 on with the 48 KB of OpenCL.
            row("fused_first_16", opencl, "c64", lines_in_shared, pass({4, 4}, first_part())),
            row("fused_first_32", gpu, "c64", lines_in_shared, pass({4, 8}, first_part())),
            row("fused_first_64", gpu, "c64", lines_in_shared, pass({8, 8}, first_part())),
            row("fused_second", opencl, "c64", lines_in_shared, pass({8, 16}, second_part())),
            row("fused_second", cuda, "c64", lines_in_shared, pass({16, 16}, second_part())).registers("", 64),
            row("fused_convolved_second", gpu, "c64", lines_in_shared, pass({8, 16}, convolved_part())).registers("", 64),
            row("fused_last_16", opencl, "c64", lines_in_shared, pass({4, 4}, last_part())),
            row("fused_last_32", opencl, "c64", lines_in_shared, pass({4, 8}, last_part())),
            row("fused_last_64", gpu, "c64", lines_in_shared, pass({8, 8}, last_part())),
        }),

        row("tuned", gpu, "c64", samples<FresnelTransfer>, tile),

        family("fused", {
            row("fused_rows_16", cpu, "c64", lines_in_vectors, pass({4, 4}, chirped(along, 16))),
            row("fused_rows_32", cpu, "c64", lines_in_vectors, pass({4, 8}, chirped(along, 16))),
            row("fused_rows_64", cpu, "c64", lines_in_vectors, pass({8, 8}, chirped(along, 16))),
            row("fused_rows_128", cpu, "c64", lines_in_vectors, pass({2, 8, 8}, chirped(along, 16))),
            row("fused_rows_256", cpu, "c64", lines_in_vectors, pass({4, 8, 8}, chirped(along, 16))),
            row("fused_rows_512", cpu, "c64", lines_in_vectors, pass({8, 8, 8}, chirped(along, 16))),
            row("fused_rows_1024", cpu, "c64", lines_in_vectors, pass({2, 8, 8, 8}, chirped(along, 16))),
            row("fused_rows_2048", cpu, "c64", lines_in_vectors, pass({4, 8, 8, 8}, chirped(along, 16))),
            row("fused_rows_4096", cpu, "c64", lines_in_vectors, pass({8, 8, 8, 8}, chirped(along, 16))),
            row("fused_rows_8192", cpu, "c64", lines_in_vectors, pass({8, 8, 8, 16}, chirped(along, 16))),
            row("fused_columns_16", cpu, "c64", lines_in_vectors, pass({4, 4}, chirped(across, 16))),
            row("fused_columns_32", cpu, "c64", lines_in_vectors, pass({4, 8}, chirped(across, 16))),
            row("fused_columns_64", cpu, "c64", lines_in_vectors, pass({8, 8}, chirped(across, 16))),
            row("fused_columns_128", cpu, "c64", lines_in_vectors, pass({2, 8, 8}, chirped(across, 16))),
            row("fused_columns_256", cpu, "c64", lines_in_vectors, pass({4, 8, 8}, chirped(across, 16))),
            row("fused_columns_512", cpu, "c64", lines_in_vectors, pass({8, 8, 8}, chirped(across, 16))),
            row("fused_columns_1024", cpu, "c64", lines_in_vectors, pass({2, 8, 8, 8}, chirped(across, 16))),
            row("fused_columns_2048", cpu, "c64", lines_in_vectors, pass({4, 8, 8, 8}, chirped(across, 16))),
            row("fused_columns_4096", cpu, "c64", lines_in_vectors, pass({8, 8, 8, 8}, chirped(across, 16))),
            row("fused_columns_8192", cpu, "c64", lines_in_vectors, pass({8, 8, 8, 16}, chirped(across, 16))),
        }),
        row("tuned", cpu, "c64", rows_of_samples),

        // Anderson2021 does not come to an end within minutes.
        declined<Fresnel>("auto", cpu, "c64", "Mullapudi2016", "Unhandled exception"),
    };
    return table;
}

static const Table table("fresnel", rows);

}  // namespace tilewright
