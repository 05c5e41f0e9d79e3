#pragma once
#include "Halide.h"
#include "generators/algorithms/sums/sum_tree.h"

namespace tilewright {

// Row sums in `lanes` partial sums, each of every `lanes`th pixel, which a tree of sums of two brings together. Rows after the last
// one, which a block of rows may reach, repeat it.
struct RowSumTree : Halide::NamesInterface {
    static constexpr const char *name = "row_sum_tree";
    Var y{"y"}, lane{"lane"};
    RDom step;
    Func partial{"partial"}, out{"out"};
    std::vector<Func> levels;

    RowSumTree(Func in, Expr width, Expr height, int lanes, Halide::Type sum, Halide::Type output) : step(0, (width + lanes - 1) / lanes, "step") {
        Expr x = step * lanes + lane;
        step.where(x < width);
        partial(lane, y) = cast(sum, 0);
        partial(lane, y) += cast(sum, in(unsafe_promise_clamped(x, 0, width - 1), min(y, height - 1)));
        SumTree tree(partial, lanes, 2);
        levels = tree.levels;
        out(y) = cast(output, tree.total(y));
    }
};

}  // namespace tilewright
