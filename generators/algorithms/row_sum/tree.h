#pragma once
// A form of row_sum: partial sums that a tree adds. Rows: tree, lanes.
#include "Halide.h"
#include "generators/algorithms/indices.h"
#include "generators/algorithms/integers.h"
#include "generators/algorithms/sums/sum_tree.h"

namespace tilewright {

// Each row has `lanes` partial sums, and pixel x belongs to partial sum x % lanes. A tree of sums of two adds
// them. A block of rows may reach beyond the last row of the image; the last row is repeated there.
struct RowSumTree : Halide::NamesInterface {
    static constexpr const char *name = "row_sum_tree";
    Var y{"y"}, lane{"lane"};
    RDom step;
    Func partial{"partial"}, out{"out"};
    std::vector<Func> levels;

    RowSumTree(Func in, Expr width, Expr height, int lanes, Halide::Type sum, Halide::Type output)
        : step(0, ceil_div(width, lanes), "step") {
        Expr x = step * lanes + lane;
        step.where(x < width);
        partial(lane, y) = cast(sum, 0);
        partial(lane, y) += cast(sum, in(promised(x, width), min(y, height - 1)));
        SumTree tree(partial, lanes, 2);
        levels = tree.levels;
        out(y) = cast(output, tree.total(y));
    }
};

}  // namespace tilewright
