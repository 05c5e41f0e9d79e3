#pragma once
#include "Halide.h"

namespace tilewright {

// Column sums of slices of at most `rows` rows, as many in each; of bands of `slices` slices; of everything. The rows left over,
// fewer than there are slices, are spread over them. A slice holds its sums in a narrower type: 257 bytes fit 16 bits. Columns go
// in groups of `lanes`; the last group begins early enough to end with the last column, so that all groups are whole. Needs
// width >= lanes and rows <= 256.
struct ColumnSumSliced : Halide::NamesInterface {
    static constexpr const char *name = "column_sum_sliced";

    struct Shape {
        int lanes, rows, slices;
    };

    Var x{"x"}, lane{"lane"}, group{"group"}, slice{"slice"}, band{"band"};
    Expr all_slices, in_slice;
    RDom row, each, every;
    Func of_slice{"of_slice"}, of_band{"of_band"}, total{"total"}, out{"out"};

    ColumnSumSliced(Func in, Expr width, Expr height, const Shape &shape, Halide::Type narrow, Halide::Type sum, Halide::Type output)
        : all_slices((height + shape.rows - 1) / shape.rows), in_slice(height / all_slices), row(0, in_slice, "row"),
          each(0, shape.slices, "each"), every(0, (all_slices + shape.slices - 1) / shape.slices, "every") {
        auto begin = [&](Expr g) { return min(g * shape.lanes, width - shape.lanes); };
        auto pixel = [&](Expr y) { return cast(narrow, in(begin(group) + lane, unsafe_promise_clamped(y, 0, height - 1))); };

        // The row beyond the slices that a slice takes; unsigned, because near 2^31 rows that of the last slice is larger than an int.
        Expr rows = cast<uint32_t>(height), over = cast<uint32_t>(all_slices * in_slice) + cast<uint32_t>(slice);
        of_slice(lane, group, slice) = cast(narrow, 0);
        of_slice(lane, group, slice) += pixel(slice * in_slice + row);
        of_slice(lane, group, slice) += select(over < rows, pixel(cast<int32_t>(min(over, rows - 1))), cast(narrow, 0));

        each.where(band * shape.slices + each < all_slices);
        of_band(lane, group, band) = cast(sum, 0);
        of_band(lane, group, band) += cast(sum, of_slice(lane, group, band * shape.slices + each));

        total(lane, group) = cast(sum, 0);
        total(lane, group) += of_band(lane, group, every);

        Expr g = x / shape.lanes;
        out(x) = cast(output, total(unsafe_promise_clamped(x - begin(g), 0, shape.lanes - 1), g));
    }
};

}  // namespace tilewright
