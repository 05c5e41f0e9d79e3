#pragma once
#include "Halide.h"
#include "generators/algorithms/sums/sum_tree.h"

namespace tilewright {

// Row sums in slices of at most `groups` groups of `lanes` pixels, as many in each slice; what is left over, fewer groups than
// slices and fewer pixels than lanes, is spread over them. A slice has a partial sum for each lane in a narrower type: 257 bytes
// fit 16 bits. Needs width >= lanes and groups <= 255.
struct RowSumSliced : Halide::NamesInterface {
    static constexpr const char *name = "row_sum_sliced";
    Var y{"y"}, lane{"lane"}, slice{"slice"};
    Expr whole, slices, in_slice;
    RDom group, each;
    Func adding{"adding"}, widened{"widened"}, of_slice{"of_slice"}, total{"total"}, out{"out"};
    std::vector<Func> levels;

    RowSumSliced(Func in, Expr width, int lanes, int groups, Halide::Type narrow, Halide::Type sum, Halide::Type output)
        : whole(width / lanes), slices((whole + groups - 1) / groups), in_slice(whole / slices), group(0, in_slice, "group"),
          each(0, slices, "each") {
        const Expr nothing = cast(narrow, 0);
        adding(lane, slice, y) = nothing;
        adding(lane, slice, y) += cast(narrow, in((slice * in_slice + group) * lanes + lane, y));
        Expr over = slices * in_slice + slice;
        adding(lane, slice, y) += select(over < whole, cast(narrow, in(min(over, whole - 1) * lanes + lane, y)), nothing);
        // The last `lanes` pixels, of which only those count that no group has.
        Expr last = width - lanes + lane;
        adding(lane, slice, y) += select(slice == 0 && last >= whole * lanes, cast(narrow, in(last, y)), nothing);

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
