#pragma once
// A form of row_sum: slices of a row, whose sums fit a narrower type. Rows: tuned, tuned_medium, tuned_wide
// and tuned_few_rows on CPUs.
#include "Halide.h"
#include "generators/algorithms/integers.h"
#include "generators/algorithms/sums/sum_tree.h"

namespace tilewright {

// A row is cut into groups of `lanes` pixels, and the groups into slices of equal length, at most `groups`
// groups each. Groups that are left over are fewer than the slices, and each goes to another slice. The
// pixels after the last whole group, fewer than `lanes`, go to slice 0. A slice has one partial sum per lane
// in the type `narrow`: 16 bits hold the sum of 257 bytes. Needs width >= lanes and groups <= 255.
struct RowSumSliced : Halide::NamesInterface {
    static constexpr const char *name = "row_sum_sliced";
    Var y{"y"}, lane{"lane"}, slice{"slice"};
    Expr row_bytes, whole_groups, slices, in_slice;
    RDom group, each;
    Func adding{"adding"}, widened{"widened"}, of_slice{"of_slice"}, total{"total"}, out{"out"};
    std::vector<Func> levels;

    RowSumSliced(Func in, Expr width, int lanes, int groups, Halide::Type narrow, Halide::Type sum,
        Halide::Type output)
        : row_bytes(width * in.types()[0].bytes()), whole_groups(width / lanes),
          slices(ceil_div(whole_groups, groups)), in_slice(whole_groups / slices),
          group(0, in_slice, "group"), each(0, slices, "each") {
        const Expr nothing = cast(narrow, 0);
        adding(lane, slice, y) = nothing;
        adding(lane, slice, y) += cast(narrow, in((slice * in_slice + group) * lanes + lane, y));
        Expr over = slices * in_slice + slice;
        adding(lane, slice, y) += select(
            over < whole_groups, cast(narrow, in(min(over, whole_groups - 1) * lanes + lane, y)), nothing);
        // The last `lanes` pixels of the row. Only those after the last whole group are added.
        Expr last = width - lanes + lane;
        adding(lane, slice, y) +=
            select(slice == 0 && last >= whole_groups * lanes, cast(narrow, in(last, y)), nothing);

        widened(lane, slice, y) = cast(sum, adding(lane, slice, y));
        SumTree tree(widened, lanes, 4);
        levels = tree.levels;
        of_slice(slice, y) = tree.total(slice, y);
        total(y) = cast(sum, 0);
        total(y) += of_slice(each, y);
        out(y) = cast(output, total(y));
    }
};

}  // namespace tilewright
