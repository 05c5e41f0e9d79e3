#pragma once
// A form of row_sum for rows of one or two vectors. Variants: tuned_8, tuned_16 and tuned_32 on CPUs.
#include "Halide.h"
#include "generators/algorithms/sums/sum_tree.h"
#include "generators/algorithms/sums/sum_types.h"

namespace tilewright {

// A row is its first `lanes` pixels and its last `lanes` pixels. Of the last ones, those that are among the
// first are not added. Needs lanes <= width <= 2 * lanes. `narrow` is a type that holds the sum of two
// pixels.
struct RowSumHalves : Halide::NamesInterface {
    static constexpr const char *name = "row_sum_halves";
    Var y{"y"}, lane{"lane"};
    Func both{"both"}, widened{"widened"}, out{"out"};
    std::vector<Func> levels;

    RowSumHalves(
        Func in, Expr width, int lanes, Halide::Type narrow, Halide::Type sum, const SumOutput &output) {
        const Expr last = width - lanes + lane;
        both(lane, y) =
            cast(narrow, in(lane, y)) + select(last >= lanes, cast(narrow, in(last, y)), cast(narrow, 0));
        widened(lane, y) = cast(sum, both(lane, y));
        SumTree tree(widened, lanes, 2);
        levels = tree.levels;
        out(y) = output.of(tree.total(y));
    }
};

}  // namespace tilewright
