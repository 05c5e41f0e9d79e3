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

// A matrix of `width` columns and `height` rows, with zeros beyond its edges. They change no sum of products.
inline Halide::Func zero_beyond(Halide::Func matrix, Halide::Expr width, Halide::Expr height) {
    return Halide::BoundaryConditions::constant_exterior(
        matrix, Halide::cast(matrix.type(), 0), {{0, width}, {0, height}});
}

}  // namespace tilewright
