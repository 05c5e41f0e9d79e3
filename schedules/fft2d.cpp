#include "generators/algorithms/fft2d/fft2d.h"
#include "schedules/fft2d_transpose.h"
#include "schedules/fft_pass.h"

namespace tilewright {

namespace {

// A row of the image after another, then a column after another; of each, one step after another.
void reference(Fft2d &f, Site &) {
    f.along.compute_at(f.rows, f.y);
    f.rows.compute_root();
    f.down.compute_at(f.columns, f.x);
    f.columns.compute_root();
}

// A pass over long lines' second parts (generators/algorithms/fft2d/pass.h): over columns, the part's number being the batch, or over rows, which come
// out turned.
PassNumbers second_part(Pass::Lines lines, int together, int pad = 1) {
    return {.lines = lines, .numbered = lines == Pass::Lines::across ? Pass::Numbered::by_batch : Pass::Numbered::by_line,
            .twiddled = true, .together = together, .pad = pad};
}

}  // namespace

// A row is one pass, over lines of one length; the front puts passes together (runtime/operators/fft2d/fft2d.cpp), the first row that fits a pass
// being taken. `tuned_any` is the second part of lines that are too long for one pass: with it every size can be done.
static const Rows &rows() {
    using enum Pass::Lines;
    static const Rows table = {
        row("reference", cpu, "c64", reference),
        automatic<Fft2d>("auto", cpu, "c64", "Mullapudi2016"),

        row("passes", gpu, "c64", turned_in_shared, {{"tile", 16, 8, 32}}),

        family("fused", {
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
        }),

        family("tuned", {
            // Columns 32 together, as the first parts of long ones are; below, 16 for narrower images.
            row("tuned_first_16", opencl, "c64", lines_in_shared, pass({4, 4}, {.lines = across, .together = 32})),
            row("tuned_first_32", gpu, "c64", lines_in_shared, pass({4, 8}, {.lines = across, .together = 32})),
            row("tuned_first_64", opencl, "c64", lines_in_shared, pass({8, 8}, {.lines = across, .together = 32})),
        }),
        family("fused", {
            row("fused_columns_16", gpu, "c64", lines_in_shared, pass({4, 4}, {.lines = across, .together = 16})),
            row("fused_columns_32", gpu, "c64", lines_in_shared, pass({4, 8}, {.lines = across, .together = 16})),
            row("fused_columns_64", gpu, "c64", lines_in_shared, pass({8, 8}, {.lines = across, .together = 16})),
            row("fused_columns_128", gpu, "c64", lines_in_shared, pass({8, 16}, {.lines = across, .together = 16})),
            row("fused_columns_256", gpu, "c64", lines_in_shared, pass({16, 16}, {.lines = across, .together = 16})),
            row("fused_columns_512", gpu, "c64", lines_in_shared, pass({8, 8, 8}, {.lines = across, .together = 8, .pad = 1})),
            row("fused_columns_1024", gpu, "c64", lines_in_shared, pass({8, 8, 16}, {.lines = across, .together = 4, .pad = 2})),
            row("fused_columns_2048", cuda, "c64", lines_in_shared, pass({8, 16, 16}, {.lines = across, .together = 4, .pad = 2})).registers("", 96),
            row("fused_columns_4096", cuda, "c64", lines_in_shared, pass({16, 16, 16}, {.lines = across, .together = 4, .pad = 2})).registers("", 64),
        }),

        family("tuned", {
            // Second parts of lines: 32 columns together, and 16 where there are no more.
            row("tuned_rows", opencl, "c64", lines_in_shared, pass({8, 16}, second_part(turned, 16))),
            row("tuned_any", cuda, "c64", lines_in_shared, pass({16, 16}, second_part(across, 32))).registers("", 64),
            row("tuned_any", opencl, "c64", lines_in_shared, pass({8, 16}, second_part(across, 32))),
            row("tuned_thin", gpu, "c64", lines_in_shared, pass({8, 16}, second_part(across, 16))),
        }),

        family("fused", {
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
        }),
        family("tuned", {
            row("tuned_any", cpu, "c64", lines_in_vectors, pass({4, 8, 8}, second_part(across, 16))),
        }),
    };
    return table;
}

static const Table table("fft2d", rows);

}  // namespace tilewright
