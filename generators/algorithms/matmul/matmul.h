#pragma once
// The definition of matmul.
#include "Halide.h"

namespace tilewright {

// out = A B:  out(x, y) = sum over k of a(k, y) b(x, k)
struct Matmul : Halide::NamesInterface {
    static constexpr const char *name = "matmul";
    Var x{"x"}, y{"y"};
    RDom k;
    Func a, b, sum{"sum"}, out{"out"};

    Matmul(Func a, Func b, Expr depth) : k(0, depth, "k"), a(a), b(b) {
        sum(x, y) += a(k, y) * b(x, k);
        out(x, y) = sum(x, y);
    }
};

}  // namespace tilewright
