#pragma once
// The definition of row_sum.
#include "Halide.h"
#include "generators/algorithms/sums/sum_types.h"

namespace tilewright {

// out(y) = sum over x of in(x, y), added in the type `sum` and then converted to `output`. Where they are the
// same type, `in_output` adds in the output itself: `total` and `out` are then one Func.
struct RowSum : Halide::NamesInterface {
    static constexpr const char *name = "row_sum";
    Var y{"y"};
    RDom x;
    Func in, total{"total"}, out{"out"};

    RowSum(Func image, Expr width, Halide::Type sum, const SumOutput &output, bool in_output = false)
        : x(0, width, "x"), in(image) {
        total(y) = cast(sum, 0);
        total(y) += cast(sum, in(x, y));
        if (in_output) {
            out = total;
        } else {
            out(y) = output.of(total(y));
        }
    }
};

}  // namespace tilewright
