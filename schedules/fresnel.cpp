// The schedules of fresnel, and the table of its rows.
#include "generators/algorithms/fresnel/fresnel.h"
#include "schedules/fft2d_transpose.h"
#include "schedules/fft_pass.h"
#include "schedules/moves.h"

namespace tilewright {

namespace {

using Halide::TailStrategy;
using Halide::Var;

// Rows of the field one after another, then columns one after another. A row or a column is transformed step
// by step.
void reference(Fresnel &f, Site &) {
    for (Fft2d *fft : {&f.forward, &f.back}) {
        fft->along.compute_at(fft->rows, fft->y);
        fft->rows.compute_root();
        fft->down.compute_at(fft->columns, fft->x);
        fft->columns.compute_root();
    }
}

// One thread per sample.
template<typename Form>
void samples(Form &form, Site &site) {
    Var xi{"xi"}, yi{"yi"}, block{"block"};
    tiles_over_blocks(form.out, form.x, form.y, block, xi, yi, site["width"], site["height"],
                      TailStrategy::GuardWithIf);
}

// Rows are spread over the cores; a core computes one sample after another.
void rows_of_samples(FresnelTimes &times, Site &) {
    times.out.parallel(times.y);
}

// A pass over whole lines, with the phases of the method `transform` before and after.
PassNumbers chirped(FftPassShape::Lines lines, int together, int pad = 1) {
    return {.lines = lines, .chirp_first = true, .chirp_last = true, .together = together, .pad = pad};
}

// A pass over whole lines forward and back, with the response of the method `convolution` in between. Columns
// may have a response each, as in the method `angular_spectrum`.
PassNumbers convolved(FftPassShape::Lines lines, int together) {
    return {.lines = lines,
            .numbered = lines == FftPassShape::Lines::across ? FftPassShape::Numbered::by_line
                                                             : FftPassShape::Numbered::none,
            .convolve = true,
            .together = together};
}

// Passes over columns in parts (generators/algorithms/fft2d/pass.h), 32 columns together. The method
// `transform` multiplies by its first phase in the first part, and by the other one in the second part.
// `convolution` transforms forward and back in the second part; its last part is the inverse of the first
// one.
PassNumbers columns_in_parts() {
    return {
        .lines = FftPassShape::Lines::across, .numbered = FftPassShape::Numbered::by_batch, .together = 32};
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

// Each row is one pass over lines of one length. The front (runtime/operators/fresnel) combines passes; for
// each pass it takes the first row that serves it.
static const Rows &rows() {
    using enum FftPassShape::Lines;
    static const Rows table = {
        row("reference", cpu, "c64", reference),

        row("passes", gpu, "c64", samples<FresnelTimes>, tile),
        row("passes_turn", gpu, "c64", transposed_in_shared, {{"tile", 16, 8, 32}}),

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

        row("tuned", gpu, "c64", samples<FresnelTransfer>, tile),

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
        row("tuned", cpu, "c64", rows_of_samples),

        // Anderson2021 does not come to an end within minutes.
        declined<Fresnel>("auto", cpu, "c64", "Mullapudi2016", "Unhandled exception"),
    };
    return table;
}

static const Table table("fresnel", rows);

}  // namespace tilewright
