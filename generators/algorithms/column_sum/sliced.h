#pragma once
// A form of column_sum: slices of rows, whose sums fit a narrower type. Variants: tuned, tuned_medium and
// tuned_wide on CPUs.
#include "Halide.h"
#include "generators/algorithms/indices.h"
#include "generators/algorithms/integers.h"
#include "generators/algorithms/sums/sum_types.h"

namespace tilewright {

// The rows are cut into slices of equal length, at most `rows` rows each. Rows that are left over are fewer
// than the slices, and each goes to another slice. `slices` slices make a band, and the bands make the total.
// A slice is summed in the type `narrow`: 16 bits hold the sum of 257 bytes. A band has at least `slices`
// slices, and as many as it takes to have `band_bytes` bytes of the image: the work of a task.
//
// Columns are taken in groups of `lanes`. The last group begins early enough to end with the last column, so
// that all groups are whole. Needs width >= lanes and rows <= 256.
struct ColumnSumSliced : Halide::NamesInterface {
    static constexpr const char *name = "column_sum_sliced";

    struct Shape {
        int lanes, rows, slices, tile, band_bytes;  // tile: the columns of a task
    };

    Var x{"x"}, lane{"lane"}, group{"group"}, slice{"slice"}, band{"band"};
    Expr all_slices, in_slice, in_band;
    RDom row, each, every;
    Func of_slice{"of_slice"}, of_band{"of_band"}, total{"total"}, out{"out"};

    ColumnSumSliced(Func in, Expr width, Expr height, const Shape &shape, Halide::Type narrow,
        Halide::Type sum, const SumOutput &output)
        : all_slices(ceil_div(height, shape.rows)), in_slice(height / all_slices),
          in_band(max(shape.slices,
              ceil_div(all_slices,
                  number_of_bands(all_slices, min(width, shape.tile) * in.types()[0].bytes(), shape)))),
          row(0, in_slice, "row"), each(0, in_band, "each"),
          every(0, ceil_div(all_slices, in_band), "every") {
        auto begin = [&](Expr g) { return min(g * shape.lanes, width - shape.lanes); };
        auto pixel = [&](Expr y) { return cast(narrow, in(begin(group) + lane, promised(y, height))); };

        // `over` is the left-over row that a slice takes, if there is one. It is unsigned, because near 2^31
        // rows the number that belongs to the last slice exceeds an int.
        Expr rows = cast<uint32_t>(height),
             over = cast<uint32_t>(all_slices * in_slice) + cast<uint32_t>(slice);
        of_slice(lane, group, slice) = cast(narrow, 0);
        of_slice(lane, group, slice) += pixel(slice * in_slice + row);
        of_slice(lane, group, slice) +=
            select(over < rows, pixel(cast<int32_t>(min(over, rows - 1))), cast(narrow, 0));

        each.where(band * in_band + each < all_slices);
        of_band(lane, group, band) = cast(sum, 0);
        of_band(lane, group, band) += cast(sum, of_slice(lane, group, band * in_band + each));

        total(lane, group) = cast(sum, 0);
        total(lane, group) += of_band(lane, group, every);

        Expr g = x / shape.lanes;
        out(x) = output.of(total(promised(x - begin(g), shape.lanes), g));
    }

private:
    // At least one, and each has at least the bytes of a band. row_bytes: of the columns of a task.
    static Expr number_of_bands(const Expr &all_slices, const Expr &row_bytes, const Shape &shape) {
        return max(1, all_slices / max(1, shape.band_bytes / (row_bytes * shape.rows)));
    }
};

}  // namespace tilewright
