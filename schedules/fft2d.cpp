// The schedules of fft2d, and the table of its rows.
#include "generators/algorithms/fft2d/fft2d.h"
#include "schedules/fft2d_transpose.h"
#include "schedules/fft_pass.h"

namespace tilewright {

namespace {

// Rows of the image one after another, then columns one after another. A row or a column is transformed step
// by step.
void reference(Fft2d &f, Site &) {
    f.along.compute_at(f.rows, f.y);
    f.rows.compute_root();
    f.down.compute_at(f.columns, f.x);
    f.columns.compute_root();
}

// The second pass over long lines (generators/algorithms/fft2d/pass.h): over columns, where the batch is the
// number of the part, or over rows, whose results are columns.
PassNumbers second_part(FftPassShape::Lines lines, int together, int pad = 1) {
    return {.lines = lines,
            .numbered = lines == FftPassShape::Lines::across ? FftPassShape::Numbered::by_batch
                                                             : FftPassShape::Numbered::by_line,
            .twiddled = true,
            .together = together,
            .pad = pad};
}

}  // namespace

// Each row is one pass over lines of one length. The front (runtime/operators/fft2d) combines passes; for
// each pass it takes the first row that serves it. `tuned` is the second pass over lines that are too long
// for one pass; with it, every size can be transformed.
static const Rows &rows() {
    using enum FftPassShape::Lines;
    static const Rows table = {
        row("reference", cpu, "c64", reference),
        automatic<Fft2d>("auto", cpu, "c64", "Mullapudi2016"),

        row("passes", gpu, "c64", transposed_in_shared, {{"tile", 16, 8, 32}}),

        row("fused_rows_16", gpu, "c64", lines_in_shared, pass({4, 4}, {.lines = along, .together = 16})),
        row("fused_rows_32", gpu, "c64", lines_in_shared, pass({4, 8}, {.lines = along, .together = 16})),
        row("fused_rows_64", gpu, "c64", lines_in_shared, pass({8, 8}, {.lines = along, .together = 16})),
        row("fused_rows_128", gpu, "c64", lines_in_shared, pass({8, 16}, {.lines = along, .together = 16})),
        row("fused_rows_256", gpu, "c64", lines_in_shared, pass({16, 16}, {.lines = along, .together = 8})),
        row("fused_rows_512", gpu, "c64", lines_in_shared, pass({8, 8, 8}, {.lines = along, .together = 4, .pad = 2})),
        row("fused_rows_1024", gpu, "c64", lines_in_shared, pass({8, 8, 16}, {.lines = along, .together = 2, .pad = 2})),
        row("fused_rows_2048", gpu, "c64", lines_in_shared, pass({8, 16, 16}, {.lines = along, .together = 1, .pad = 2})),
        row("fused_rows_4096", gpu, "c64", lines_in_shared, pass({16, 16, 16}, {.lines = along, .together = 1, .pad = 2})),
        row("fused_rows_8192", cuda, "c64", lines_in_shared, pass({16, 16, 32}, {.lines = along, .together = 1, .pad = 2})).registers("", 128),

        // Columns 32 together, as the first parts of long ones are; below, 16 for narrower images.
        row("tuned_first_16", opencl, "c64", lines_in_shared, pass({4, 4}, {.lines = across, .together = 32})),
        row("tuned_first_32", gpu, "c64", lines_in_shared, pass({4, 8}, {.lines = across, .together = 32})),
        row("tuned_first_64", opencl, "c64", lines_in_shared, pass({8, 8}, {.lines = across, .together = 32})),
        row("fused_columns_16", gpu, "c64", lines_in_shared, pass({4, 4}, {.lines = across, .together = 16})),
        row("fused_columns_32", gpu, "c64", lines_in_shared, pass({4, 8}, {.lines = across, .together = 16})),
        row("fused_columns_64", gpu, "c64", lines_in_shared, pass({8, 8}, {.lines = across, .together = 16})),
        row("fused_columns_128", gpu, "c64", lines_in_shared, pass({8, 16}, {.lines = across, .together = 16})),
        row("fused_columns_256", gpu, "c64", lines_in_shared, pass({16, 16}, {.lines = across, .together = 16})),
        row("fused_columns_512", gpu, "c64", lines_in_shared, pass({8, 8, 8}, {.lines = across, .together = 8, .pad = 1})),
        row("fused_columns_1024", gpu, "c64", lines_in_shared, pass({8, 8, 16}, {.lines = across, .together = 4, .pad = 2})),
        row("fused_columns_2048", cuda, "c64", lines_in_shared, pass({8, 16, 16}, {.lines = across, .together = 4, .pad = 2})).registers("", 96),
        row("fused_columns_4096", cuda, "c64", lines_in_shared, pass({16, 16, 16}, {.lines = across, .together = 4, .pad = 2})).registers("", 64),

        // Second parts of lines: 32 columns together, and 16 where there are no more.
        row("tuned_rows", opencl, "c64", lines_in_shared, pass({8, 16}, second_part(transposed, 16))),
        row("tuned", cuda, "c64", lines_in_shared, pass({16, 16}, second_part(across, 32))).registers("", 64),
        row("tuned", opencl, "c64", lines_in_shared, pass({8, 16}, second_part(across, 32))),
        row("tuned_thin", gpu, "c64", lines_in_shared, pass({8, 16}, second_part(across, 16))),

        row("fused_rows_16", cpu, "c64", lines_in_vectors, pass({4, 4}, {.lines = along, .together = 16})),
        row("fused_rows_32", cpu, "c64", lines_in_vectors, pass({4, 8}, {.lines = along, .together = 16})),
        row("fused_rows_64", cpu, "c64", lines_in_vectors, pass({8, 8}, {.lines = along, .together = 16})),
        row("fused_rows_128", cpu, "c64", lines_in_vectors, pass({2, 8, 8}, {.lines = along, .together = 16})),
        row("fused_rows_256", cpu, "c64", lines_in_vectors, pass({4, 8, 8}, {.lines = along, .together = 16})),
        row("fused_rows_512", cpu, "c64", lines_in_vectors, pass({8, 8, 8}, {.lines = along, .together = 16})),
        row("fused_rows_1024", cpu, "c64", lines_in_vectors, pass({2, 8, 8, 8}, {.lines = along, .together = 16})),
        row("fused_rows_2048", cpu, "c64", lines_in_vectors, pass({4, 8, 8, 8}, {.lines = along, .together = 16})),
        row("fused_rows_4096", cpu, "c64", lines_in_vectors, pass({8, 8, 8, 8}, {.lines = along, .together = 16})),
        row("fused_rows_8192", cpu, "c64", lines_in_vectors, pass({8, 8, 8, 16}, {.lines = along, .together = 16})),
        row("fused_columns_16", cpu, "c64", lines_in_vectors, pass({4, 4}, {.lines = across, .together = 16})),
        row("fused_columns_32", cpu, "c64", lines_in_vectors, pass({4, 8}, {.lines = across, .together = 16})),
        row("fused_columns_64", cpu, "c64", lines_in_vectors, pass({8, 8}, {.lines = across, .together = 16})),
        row("fused_columns_128", cpu, "c64", lines_in_vectors, pass({2, 8, 8}, {.lines = across, .together = 16})),
        row("fused_columns_256", cpu, "c64", lines_in_vectors, pass({4, 8, 8}, {.lines = across, .together = 16})),
        row("fused_columns_512", cpu, "c64", lines_in_vectors, pass({8, 8, 8}, {.lines = across, .together = 16})),
        row("fused_columns_1024", cpu, "c64", lines_in_vectors, pass({2, 8, 8, 8}, {.lines = across, .together = 16})),
        row("fused_columns_2048", cpu, "c64", lines_in_vectors, pass({4, 8, 8, 8}, {.lines = across, .together = 16})),
        row("fused_columns_4096", cpu, "c64", lines_in_vectors, pass({8, 8, 8, 8}, {.lines = across, .together = 16})),
        row("tuned", cpu, "c64", lines_in_vectors, pass({4, 8, 8}, second_part(across, 16))),
    };
    return table;
}

static const Table table("fft2d", rows);

}  // namespace tilewright
