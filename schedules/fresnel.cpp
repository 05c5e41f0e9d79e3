// The schedules of fresnel, and the table of its variants.
#include "generators/algorithms/fresnel/fresnel.h"
#include "schedules/fft/fft2d_transpose.h"
#include "schedules/fft/fft_lines.h"
#include "schedules/fft/fft_mixed.h"
#include "schedules/fft/fft_pass.h"
#include "schedules/shared_moves.h"

namespace tilewright {

namespace {

// Rows of the field one after another, then columns one after another. A row or a column is transformed step
// by step.
void reference(Fresnel &f, ScheduleContext &) {
    for (Fft2d *fft : {&f.forward, &f.back}) {
        fft->along.compute_at(fft->rows, fft->y);
        fft->rows.compute_root();
        fft->down.compute_at(fft->columns, fft->x);
        fft->columns.compute_root();
    }
}

// One thread per sample.
template<typename Form>
void samples(Form &form, ScheduleContext &context) {
    Var xi{"xi"}, yi{"yi"}, block{"block"};
    tiles_over_blocks(form.out, form.x, form.y, block, xi, yi, context["width"], context["height"],
        TailStrategy::GuardWithIf);
}

// Rows are spread over the cores; a core computes one sample after another.
void rows_of_samples(FresnelTimes &times, ScheduleContext &) {
    times.out.parallel(times.y);
}

// A pass over whole lines, with the phases of the method `transform` before and after.
template<FftPassShape::Lines lines>
PassNumbers chirped(int together) {
    return {.lines = lines, .chirp_first = true, .chirp_last = true, .together = together};
}

// A pass over whole lines forward and back, with the response of the method `convolution` in between. Columns
// may have a response each, as in the method `angular_spectrum`.
template<FftPassShape::Lines lines>
PassNumbers convolved(int together) {
    return {.lines = lines, .convolve = true, .together = together};
}

// The same of columns that clusters of blocks transform.
PassNumbers chirped_by_clusters(int together) {
    PassNumbers numbers = chirped<FftPassShape::Lines::across>(together);
    numbers.clustered = true;
    return numbers;
}
PassNumbers convolved_by_clusters(int together) {
    PassNumbers numbers = convolved<FftPassShape::Lines::across>(together);
    numbers.clustered = true;
    return numbers;
}

// Passes over columns in parts (generators/algorithms/fft2d/pass.h), 32 columns together. The method
// `transform` multiplies by its first phase in the first part, and by the other one in the second part.
// `convolution` transforms forward and back in the second part; its last part is the inverse of the first
// one.
PassNumbers columns_in_parts(int together) {
    return {.lines = FftPassShape::Lines::across,
        .numbered = FftPassShape::Numbered::by_batch,
        .together = together};
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
const std::vector<PassLines> convolved_rows = {{{4, 4}, 16}, {{4, 8}, 16}, {{8, 8}, 16}, {{8, 16}, 16},
    {{16, 16}, 8}, {{8, 8, 8}, 1}, {{8, 8, 16}, 1}, {{8, 16, 16}, 1, 1, gpu, 64},
    {{16, 16, 16}, 1, 1, gpu, 64}, {{16, 32, 16}, 1, 1, gpu, 128}};
const std::vector<PassLines> convolved_columns = {{{4, 4}, 16}, {{4, 8}, 16}, {{8, 8}, 16}, {{8, 16}, 16},
    {{16, 16}, 16}, {{8, 8, 8}, 4, 1, gpu, 64}, {{8, 8, 16}, 4, 1, gpu, 64}, {{16, 16, 8}, 8, 1, gpu, 64},
    {{16, 16, 16}, 4, 1, gpu, 64, 0, 1}};

// Columns there and back in clusters. With 96 registers a multiprocessor has five blocks of 4096 points in
// place of four.
const std::vector<PassLines> convolved_clustered_columns = {
    {{32, 16, 8}, 8, 1, cuda, 96}, {{32, 32, 8}, 8, 1, cuda, 128}};

// With phases, which take registers, and tables of them, which are read beside the field.
std::vector<PassLines> with_phases(std::vector<PassLines> lengths) {
    for (PassLines &lines : lengths) {
        lines.ahead = 0;
        lines.registers = lines.registers == 0 ? 0 : std::max(lines.registers, 64);
    }
    return lengths;
}

// Those of fields: lengths from 1000 on.
std::vector<PassLines> of_fields(std::vector<PassLines> lengths, int pad = 2) {
    lengths = with_phases(std::move(lengths));
    std::erase_if(
        lengths, [](const PassLines &lines) { return FftPassShape(lines.radices).length() < 1000; });
    for (PassLines &lines : lengths) {
        lines.pad = std::min(lines.pad, pad);
    }
    return lengths;
}

// Passes over lines of sides from 1000 on that are no powers of two.
ScheduleVariants passes_of_other_sides() {
    using enum FftPassShape::Lines;
    return family("fused",
        {pass_variants("fused_rows", lines_in_shared, chirped<along>, of_fields(other_rows())),
            pass_variants("fused_columns", lines_in_shared, chirped<across>, of_fields(other_columns())),
            pass_variants(
                "fused_convolved_rows", lines_in_shared, convolved<along>, of_fields(other_rows(), 1)),
            pass_variants("fused_convolved_columns", lines_in_shared, convolved<across>,
                of_fields(other_columns(), 1))});
}

// Columns of 8192, which do not fit a block.
ScheduleVariants passes_of_parts() {
    const std::vector<PassLines> parts = {{{8, 16}, 32, 1, gpu, 64}};
    return family(
        "fused", {pass_variants("fused_first", lines_in_shared, first_part, parts),
                     pass_variant("fused_second", gpu, lines_in_shared, {8, 8}, second_part(32)),
                     pass_variant("fused_convolved_second", gpu, lines_in_shared, {8, 8}, convolved_part(32))
                         .registers("", 64),
                     pass_variants("fused_last", lines_in_shared, last_part, parts)});
}

const std::vector<Tunable> tile = {{"width", 32, 16, 128}, {"height", 8, 1, 16}};

}  // namespace

// Each variant is one pass over lines of one length, fused_mixed* over lines of many. The front
// (runtime/operators/fresnel) combines passes; for each pass it takes the first variant that serves it.
static const ScheduleVariants &variants() {
    using enum FftPassShape::Lines;
    static const ScheduleVariants table = {
        variant("reference", cpu, "c64", reference)
            .says("Transforms and phases one after another: the result to compare with."),

        family("passes",
            {
                variant("passes", gpu, "c64", samples<FresnelTimes>, tile)
                    .says("One thread per sample multiplies by the phases, as a kernel of its own."),
                variant("passes_transpose", gpu, "c64", transposed_in_shared, {{"tile", 16, 8, 32}})
                    .says("A transpose in shared memory between passes over rows: all accesses coalesce."),
            }),

        family("fused",
            {
                // Devices without clusters take the passes behind theirs.
                pass_variants(
                    "fused_clustered_columns", lines_in_shared, chirped_by_clusters, clustered_columns()),
                pass_variants("fused_clustered_convolved_columns", lines_in_shared, convolved_by_clusters,
                    convolved_clustered_columns),
                pass_variants("fused_rows", lines_in_shared, chirped<along>, whole_rows()),
                pass_variants(
                    "fused_columns", lines_in_shared, chirped<across>, with_phases(whole_columns())),
                pass_variants("fused_convolved_rows", lines_in_shared, convolved<along>, convolved_rows),
                pass_variants(
                    "fused_convolved_columns", lines_in_shared, convolved<across>, convolved_columns),
                passes_of_other_sides(),
                passes_of_parts(),
            }),

        family("fused", {mixed_variants(cuda), mixed_variants(opencl), mixed_variants(cpu)}),

        variant("tuned", gpu, "c64", samples<FresnelTransfer>, tile)
            .says("One thread per sample makes the table of the transfer function that the passes read."),

        // Without AVX2, all lines are transformed by fused_mixed*.
        newer(family("fused",
            {
                pass_variants("fused_rows", lines_in_vectors, chirped<along>, lines_in_cache()),
                pass_variants("fused_columns", lines_in_vectors, chirped<across>, lines_in_cache()),
                two_level_variants("fused_rows", chirped<along>(16), rows_of_two_levels()),
                two_level_variants("fused_columns", chirped<across>(1), columns_of_two_levels()),
                pass_variants(
                    "fused_columns", lines_in_vectors, chirped<across>, {{{8, 8, 8, 16}, 16, 1, cpu}}),
                two_level_variants("fused_convolved_rows", convolved<along>(16), rows_of_two_levels()),
                two_level_variants("fused_convolved_columns", convolved<across>(1), columns_of_two_levels()),
            })),
        variant("tuned", cpu, "c64", rows_of_samples)
            .says("Rows of samples are multiplied by the phases, spread over the cores."),
    };
    return table;
}

static const Table table("fresnel", variants);

}  // namespace tilewright
