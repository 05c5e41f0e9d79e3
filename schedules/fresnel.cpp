#include "generators/fresnel.h"
#include "schedules/fft2d_turn.h"
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
PassNumbers convolved(Pass::Lines lines, int together, int pad = 1) {
    return {.lines = lines, .numbered = lines == Pass::Lines::across ? Pass::Numbered::by_line : Pass::Numbered::none, .convolve = true,
            .together = together, .pad = pad};
}

// Columns in parts (generators/fft_pass.h). The first part of `transform` has its phase before, and the second one that after;
// between a first part and its inverse a second one is convolved.
PassNumbers first_part(bool chirp) {
    return {.lines = Pass::Lines::across, .numbered = Pass::Numbered::by_batch, .chirp_first = chirp, .together = 16};
}
PassNumbers second_part(bool convolve) {
    return {.lines = Pass::Lines::across, .numbered = Pass::Numbered::by_batch, .twiddled = true, .chirp_last = !convolve, .convolve = convolve,
            .together = 16};
}
PassNumbers last_part() {
    return {.lines = Pass::Lines::across, .numbered = Pass::Numbered::by_batch, .twiddled = true, .together = 16};
}

const std::vector<Tunable> tile = {{"width", 32, 16, 128}, {"height", 8, 1, 16}};

}  // namespace

// A row is one pass, over lines of one length; the front puts passes together (runtime/operators/fresnel_libraries.cpp), the first row that
// fits a pass being taken.
static const Rows &rows() {
    using enum Pass::Lines;
    static const Rows table = {
        row("reference", cpu, "c64", reference),

        row("passes", gpu, "c64", samples<FresnelTimes>, tile),
        row("passes_turn", gpu, "c64", turned_in_shared, {{"tile", 16, 8, 32}}),

        row("fused_rows_64", gpu, "c64", lines_in_shared, pass({8, 8}, chirped(along, 16))),
        row("fused_columns_64", gpu, "c64", lines_in_shared, pass({8, 8}, chirped(across, 16))),
        row("fused_rows_convolved_64", gpu, "c64", lines_in_shared, pass({8, 8}, convolved(along, 16))),
        row("fused_columns_convolved_64", gpu, "c64", lines_in_shared, pass({8, 8}, convolved(across, 16))),

        row("tuned", gpu, "c64", samples<FresnelTransfer>, tile),

        row("fused_rows_64", cpu, "c64", lines_in_vectors, pass({8, 8}, chirped(along, 16))),
        row("fused_columns_64", cpu, "c64", lines_in_vectors, pass({8, 8}, chirped(across, 16))),
        row("tuned", cpu, "c64", rows_of_samples),
    };
    return table;
}

static const Table table("fresnel", rows);

}  // namespace tilewright
