#pragma once
// Products on the tensor cores of NVIDIA's GPUs as Halide's expressions.
#include "Halide.h"
#include "generators/algorithms/tensor_product.h"
#include <vector>

namespace tilewright {

// The results of a product of a thread, as calls of functions that the module's text gets instructions for
// (tensor_text.h, which says what the operands are).
inline std::vector<Halide::Expr> results_of(
    const TensorProduct &product, const std::vector<Halide::Expr> &operands) {
    std::vector<Halide::Expr> results;
    for (int i = 0; i < product.results(); i++) {
        results.push_back(Halide::Internal::Call::make(
            Halide::Float(32), product.function(i), operands, Halide::Internal::Call::PureExtern));
    }
    return results;
}

}  // namespace tilewright
