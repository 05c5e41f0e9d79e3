#pragma once
// The definition of column_sum.
#include "Halide.h"
#include "generators/algorithms/sums/sum_types.h"

namespace tilewright {

// out(x) = sum over y of in(x, y), added in the type `sum` and then converted.
struct ColumnSum : Halide::NamesInterface {
    static constexpr const char *name = "column_sum";
    Var x{"x"};
    RDom y;
    Func in, total{"total"}, out{"out"};

    ColumnSum(Func image, Expr height, Halide::Type sum, const SumOutput &output)
        : y(0, height, "y"), in(image) {
        total(x) = cast(sum, 0);
        total(x) += cast(sum, in(x, y));
        out(x) = output.of(total(x));
    }
};

}  // namespace tilewright
