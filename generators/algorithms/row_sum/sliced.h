#pragma once
// A form of row_sum: slices of a row, whose sums fit a narrower type. Variants: tuned_few_rows and tuned_wide
// on CPUs.
#include "Halide.h"
#include "generators/algorithms/indices.h"
#include "generators/algorithms/integers.h"
#include "generators/algorithms/sums/sum_tree.h"
#include "generators/algorithms/sums/sum_types.h"

namespace tilewright {

// A row is cut into groups of `lanes` pixels, and the groups into slices, at most `groups` groups each. The
// first slices have one group more than the others, where the number of groups makes it so. The pixels after
// the last whole group, fewer than `lanes`, go to the last slice. So a row is read in the order of memory,
// and nothing is read that is not added: a slice that read ahead at the end of the row would wait for memory.
// A slice has one partial sum per lane in the type `narrow`: 16 bits hold the sum of 257 bytes. Needs width
// >= lanes and groups <= 255.
struct RowSumSliced : Halide::NamesInterface {
    static constexpr const char *name = "row_sum_sliced";
    Var y{"y"}, lane{"lane"}, slice{"slice"};
    Expr row_bytes, whole_groups, slices, in_slice;
    RDom group, one_more, rest, each;
    Func adding{"adding"}, widened{"widened"}, of_slice{"of_slice"}, total{"total"}, out{"out"};
    std::vector<Func> levels;

    RowSumSliced(Func in, Expr width, int lanes, int groups, Halide::Type narrow, Halide::Type sum,
        const SumOutput &output)
        : row_bytes(width * in.types()[0].bytes()), whole_groups(width / lanes),
          slices(ceil_div(whole_groups, groups)), in_slice(whole_groups / slices),
          group(0, in_slice, "group"), one_more(0, 1, "one_more"), rest(0, 1, "rest"),
          each(0, slices, "each") {
        const Expr nothing = cast(narrow, 0), longer = whole_groups - slices * in_slice,
                   first = slice * in_slice + min(slice, longer);
        adding(lane, slice, y) = nothing;
        adding(lane, slice, y) += cast(narrow, in((first + group) * lanes + lane, y));
        // Unsigned, because of slice < longer Halide makes slices * in_slice + slice < whole_groups, whose
        // left side exceeds an int for a row of nearly 2^31 pixels that are groups of their own.
        one_more.where(below(slice, longer));
        const Expr next = min(first + in_slice + one_more, whole_groups - 1);
        adding(lane, slice, y) += cast(narrow, in(next * lanes + lane, y));
        // The last `lanes` pixels of the row. Only those after the last whole group are added.
        rest.where(slice == slices - 1 && width % lanes != 0);
        const Expr last = width - lanes + lane + rest;
        adding(lane, slice, y) += select(last >= whole_groups * lanes, cast(narrow, in(last, y)), nothing);

        widened(lane, slice, y) = cast(sum, adding(lane, slice, y));
        SumTree tree(widened, lanes, 4);
        levels = tree.levels;
        of_slice(slice, y) = tree.total(slice, y);
        total(y) = cast(sum, 0);
        total(y) += of_slice(each, y);
        out(y) = output.of(total(y));
    }
};

}  // namespace tilewright
