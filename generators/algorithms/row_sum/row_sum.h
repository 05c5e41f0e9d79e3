#pragma once
// The definition of row_sum, and a form of it in parts. Rows of the form: atomic.
#include "Halide.h"
#include "generators/algorithms/indices.h"
#include "generators/algorithms/integers.h"

namespace tilewright {

// out(y) = sum over x of in(x, y), added in the type `sum` and then converted to `output`.
struct RowSum : Halide::NamesInterface {
    static constexpr const char *name = "row_sum";
    Var y{"y"};
    RDom x;
    Func in, total{"total"}, out{"out"};

    RowSum(Func image, Expr width, Halide::Type sum, Halide::Type output) : x(0, width, "x"), in(image) {
        total(y) = cast(sum, 0);
        total(y) += cast(sum, in(x, y));
        out(y) = cast(output, total(y));
    }
};

// The same in parts of `count` pixels: out(y) is the sum of the sums of the parts.
struct RowSumParts : Halide::NamesInterface {
    static constexpr const char *name = "row_sum_parts";
    Var y{"y"}, part{"part"};
    RDom x, each;
    Func of_part{"of_part"}, out{"out"};

    RowSumParts(Func in, Expr width, int count, Halide::Type sum)
        : x(0, count, "x"), each(0, ceil_div(width, count), "each") {
        Expr at = part * count + x;
        x.where(at < width);
        of_part(part, y) = cast(sum, 0);
        of_part(part, y) += cast(sum, in(promised(at, width), y));
        out(y) = cast(sum, 0);
        out(y) += of_part(each, y);
    }
};

}  // namespace tilewright
