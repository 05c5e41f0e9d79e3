// The schedules of fft2d, and the table of its variants.
#include "generators/algorithms/fft2d/fft2d.h"
#include "schedules/fft/fft2d_transpose.h"
#include "schedules/fft/fft_half.h"
#include "schedules/fft/fft_lines.h"
#include "schedules/fft/fft_mixed.h"
#include "schedules/fft/fft_pass.h"

namespace tilewright {

namespace {

// Rows of the image one after another, then columns one after another. A row or a column is transformed step
// by step.
void reference(Fft2d &f, ScheduleContext &) {
    f.along.compute_at(f.rows, f.y);
    f.rows.compute_root();
    f.down.compute_at(f.columns, f.x);
    f.columns.compute_root();
}

// The second pass over long lines (generators/algorithms/fft2d/pass.h): over columns, where the batch is the
// number of the part, or over rows, whose results are columns.
PassNumbers second_part(FftPassShape::Lines lines, int together) {
    return {.lines = lines,
        .numbered = lines == FftPassShape::Lines::across ? FftPassShape::Numbered::by_batch :
                                                           FftPassShape::Numbered::by_line,
        .twiddled = true,
        .together = together};
}
PassNumbers second_part_across(int together) {
    return second_part(FftPassShape::Lines::across, together);
}
// Passes over lines of at most half of their length, as convolutions (FftPassShape::pads).
template<FftPassShape::Lines lines>
PassNumbers padded(int together) {
    return {.lines = lines, .chirp_first = true, .chirp_last = true, .convolve = true, .together = together};
}
// Columns of 2049 to 3072 points, and by OpenCL all of them, are the rows of the transposed field: a pass
// over two columns of 6144 points per block took 1.03 of that time at 3067, and one over two of 9216 takes
// .93 at 4099.
const std::vector<PassLines> padded_rows = {{{8, 16, 16}, 1, 1, gpu, 64}, {{16, 16, 16}, 1, 1, gpu, 64},
    {{24, 16, 16}, 1, 1, cuda, 80}, {{24, 24, 16}, 1, 1, cuda, 80}};
const std::vector<PassLines> padded_columns = {
    {{16, 16, 8}, 4, 1, cuda, 64}, {{16, 16, 16}, 4, 1, cuda, 64}, {{24, 24, 16}, 2, 1, cuda, 80}};

// Sides of photographs of 8, 10, 18 and 20 megapixels, whose factor is 17 or 19, and 2040.
const std::vector<PassLines> rows_of_photographs = {{{17, 12, 10}, 1, 2, gpu, 64, 204},
    {{17, 12, 12}, 1, 2, gpu, 64, 204}, {{19, 12, 12}, 1, 2, gpu, 64, 228},
    {{17, 16, 12}, 1, 2, gpu, 64, 272}, {{19, 16, 12}, 1, 2, gpu, 64, 304},
    {{17, 18, 12}, 1, 2, gpu, 64, 306}, {{17, 18, 16}, 1, 2, gpu, 64, 306},
    {{19, 18, 16}, 1, 2, gpu, 64, 342}};
const std::vector<PassLines> columns_of_photographs = {{{17, 12, 10}, 4, 2, gpu, 80, 102},
    {{17, 12, 12}, 4, 2, gpu, 80, 102}, {{19, 12, 12}, 4, 2, gpu, 80, 114},
    {{17, 16, 12}, 4, 2, gpu, 80, 102}, {{19, 16, 12}, 4, 2, gpu, 80, 114},
    {{17, 18, 12}, 4, 2, gpu, 80, 102}, {{17, 18, 16}, 4, 2, gpu, 80, 153},
    {{19, 18, 16}, 4, 2, gpu, 80, 171}};

// Rows that need most of the memory of a multiprocessor; columns of their length are transformed in two
// parts.
const std::vector<PassLines> long_rows = {
    {{20, 25, 20}, 1, 2, cuda, 64, 500}, {{16, 16, 8, 8}, 1, 2, cuda, 64, 1024}};

PassNumbers clustered(int together) {
    return {.lines = FftPassShape::Lines::across, .clustered = true, .together = together};
}

// Lines of f64, whose numbers take twice the memory and registers. All lengths without passes of their own,
// other numbers of columns and other devices take the passes over lines of any length.
const std::vector<PassLines> rows_of_f64 = {{{8, 8, 8}, 1, 2, cuda, 64}, {{10, 10, 10}, 1, 2, cuda, 128},
    {{8, 8, 16}, 1, 2, cuda, 128}, {{16, 10, 10}, 1, 2, cuda, 128, 160}, {{20, 10, 10}, 1, 2, cuda, 128, 200},
    {{16, 16, 8}, 1, 2, cuda, 128}, {{15, 12, 12}, 1, 2, cuda, 128, 180}, {{16, 16, 16}, 1, 2, cuda, 128},
    {{16, 8, 8, 8}, 1, 2, cuda, 128}};
const std::vector<PassLines> clustered_columns_of_f64 = {
    {{16, 4, 8, 8}, 8, 1, cuda, 128, 32}, {{8, 16, 8, 8}, 4, 1, cuda, 128}};
const std::vector<PassLines> columns_of_f64 = {{{8, 8, 8}, 4, 2, cuda, 64}, {{10, 10, 10}, 4, 2, cuda, 128},
    {{16, 8, 8}, 4, 2, cuda, 128}, {{16, 10, 10}, 4, 2, cuda, 128, 100}, {{20, 10, 10}, 4, 2, cuda, 128, 100},
    {{16, 16, 8}, 4, 2, cuda, 128}, {{15, 12, 12}, 4, 2, cuda, 128, 90}, {{16, 16, 16}, 2, 2, cuda, 128}};
ScheduleVariants passes_of_f64() {
    using Lines = FftPassShape::Lines;
    const auto numbers = [](Lines lines, bool clustered) {
        return [=](int together) {
            return PassNumbers{.lines = lines, .clustered = clustered, .together = together, .type = "c128"};
        };
    };
    return family("fused",
        {pass_variants("fused_rows", lines_in_shared, numbers(Lines::along, false), rows_of_f64),
            pass_variants("fused_clustered_columns", lines_in_shared, numbers(Lines::across, true),
                clustered_columns_of_f64),
            pass_variants("fused_columns", lines_in_shared, numbers(Lines::across, false), columns_of_f64)});
}

PassNumbers second_part_of_any(int together) {
    PassNumbers numbers = second_part_across(together);
    numbers.serves_all = true;
    return numbers;
}

// Second parts of lines: 32 columns together, and 16 where there are no more.
ScheduleVariants second_parts_on_gpus() {
    return family(
        "tuned", {
                     pass_variant("tuned_rows", opencl, lines_in_shared, {8, 16},
                         second_part(FftPassShape::Lines::transposed, 16)),
                     pass_variant("tuned_any", cuda, lines_in_shared, {16, 16}, second_part_of_any(32))
                         .registers("", 64),
                     // Every OpenCL device has the 34 KB for it; 256 points would take 68.
                     pass_variant("tuned_any", opencl, lines_in_shared, {8, 16}, second_part_of_any(32)),
                     pass_variant("tuned_thin", gpu, lines_in_shared, {8, 16},
                         second_part(FftPassShape::Lines::across, 16)),
                 });
}

}  // namespace

// Each variant is one pass over lines of one length, fused_mixed* over lines of many. The front
// (runtime/operators/fft2d) combines passes; for each pass it takes the first variant that serves it.
// `tuned_any` is the second pass over lines that are too long for one pass; with it, every power of two can
// be transformed, and with fused_mixed* every other side.
static const ScheduleVariants &variants() {
    const auto along = [](int together) {
        return PassNumbers{.lines = FftPassShape::Lines::along, .together = together};
    };
    const auto across = [](int together) {
        return PassNumbers{.lines = FftPassShape::Lines::across, .together = together};
    };
    static const ScheduleVariants table = {
        variant("reference", cpu, "c64 c128", reference)
            .says("All rows, then all columns, each stage after stage: the result to compare with."),
        automatic<Fft2d>("auto", cpu, "c64", "Mullapudi2016"),

        variant("passes", gpu, "c64", transposed_in_shared, {{"tile", 16, 8, 32}})
            .says("Passes over rows with transposes in shared memory between them: all accesses coalesce."),

        family("fused", pass_variants("fused_rows", lines_in_shared, along, whole_rows())),
        // Columns 32 together, as the first parts of long ones are; below, 16 for narrower images.
        family("tuned",
            pass_variants("tuned_first", lines_in_shared, across, {{{4, 8}, 32}, {{8, 8}, 32, 1, opencl}})),
        // Devices without clusters take the passes behind theirs.
        family("fused",
            {pass_variants("fused_clustered_columns", lines_in_shared, clustered, clustered_columns()),
                pass_variants("fused_columns", lines_in_shared, across, whole_columns())}),
        family("fused", {pass_variants("fused_rows", lines_in_shared, along, other_rows()),
                            pass_variants("fused_columns", lines_in_shared, across, other_columns()),
                            pass_variants("fused_rows", lines_in_shared, along, rows_of_photographs),
                            pass_variants("fused_columns", lines_in_shared, across, columns_of_photographs),
                            pass_variants("fused_rows", lines_in_shared, along, long_rows)}),
        // Lines with a large prime factor, as convolutions.
        family("fused", {pass_variants("fused_padded_rows", lines_in_shared,
                             padded<FftPassShape::Lines::along>, padded_rows),
                            pass_variants("fused_padded_columns", lines_in_shared,
                                padded<FftPassShape::Lines::across>, padded_columns)}),

        // The parts of columns of 10000.
        family(
            "fused", {pass_variants("fused_columns", lines_in_shared, across, {{{10, 10}, 16, 2, cuda, 64}}),
                         pass_variants("fused_parts", lines_in_shared, second_part_across,
                             {{{10, 10}, 16, 1, cuda, 64}})}),

        second_parts_on_gpus(),

        family("fused", {mixed_variants(cuda), mixed_variants(opencl), mixed_variants(cpu)}),
        passes_of_f64(),
        mixed_variants_of_f64(),
        other_mixed_variants_of_f64(),
        family("fused", half_variants("c64 c128")),

        // Without AVX2, all lines are transformed by fused_mixed*. Columns of 8192 are done in parts.
        newer({family("fused", pass_variants("fused_rows", lines_in_vectors, along, lines_in_cache())),
            family("fused", pass_variants("fused_columns", lines_in_vectors, across, lines_in_cache())),
            family("fused", two_level_variants("fused_rows", along(16), rows_of_two_levels())),
            family("fused", two_level_variants("fused_columns", across(1), columns_of_two_levels())),
            family(
                "fused", two_level_variants("fused_columns_narrow", across(16), columns_of_two_levels()))}),
        family("tuned", pass_variant("tuned_any", cpu, lines_in_vectors, {4, 8, 8}, second_part_of_any(16))),
    };
    return table;
}

static const Table table("fft2d", variants);

}  // namespace tilewright
