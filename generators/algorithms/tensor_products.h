#pragma once
// Products on the tensor cores of NVIDIA's GPUs as Halide's expressions.
#include "Halide.h"
#include "generators/algorithms/tensor_product.h"
#include <functional>
#include <string>
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

// The same of a product that adds to sums: result `number` and its sum.
inline Halide::Expr result_of(const TensorProduct &product, const Halide::Expr &number,
    std::vector<Halide::Expr> operands, const Halide::Expr &sum) {
    operands.insert(operands.begin(), number);
    operands.push_back(sum);
    return Halide::Internal::Call::make(
        Halide::Float(32), product.function(0), operands, Halide::Internal::Call::PureExtern);
}

// The words of a warp's operand: word `word` of lane 4 g + q.
using LaneWord = std::function<Halide::Expr(int word, Halide::Expr g, Halide::Expr q)>;

// The g and the q of a worker of a block of threads, which is lane 4 g + q of its warp.
inline Halide::Expr g_of(const Halide::Expr &worker) {
    return worker % 32 / 4;
}
inline Halide::Expr q_of(const Halide::Expr &worker) {
    return worker % 4;
}
// The worker that is lane 4 g + q of the warp of `worker`, of which `g_of(in_block)` and `q_of(in_block)` are
// its own: itself for these.
inline Halide::Expr lane_of_warp(
    const Halide::Expr &worker, const Halide::Expr &in_block, const Halide::Expr &g, const Halide::Expr &q) {
    const bool is_own =
        Halide::Internal::equal(g, g_of(in_block)) && Halide::Internal::equal(q, q_of(in_block));
    return is_own ? worker : worker / 32 * 32 + 4 * g + q;
}

// Adds a product (LaneProduct) to the four sums of lane 4 g + q.
using AddedProduct = std::function<std::vector<Halide::Expr>(const LaneWord &a, const LaneWord &b,
    Halide::Expr g, Halide::Expr q, const std::vector<Halide::Expr> &sums)>;

// By calls of functions, one per result: a lane gives its own words.
inline std::vector<Halide::Expr> added_product(const LaneProduct &product, const LaneWord &a,
    const LaneWord &b, const Halide::Expr &g, const Halide::Expr &q, const std::vector<Halide::Expr> &sums) {
    std::vector<Halide::Expr> words, results;
    for (int word = 0; word < LaneProduct::words_of_a; word++) {
        words.push_back(a(word, g, q));
    }
    for (int word = 0; word < LaneProduct::words_of_b; word++) {
        words.push_back(b(word, g, q));
    }
    for (int i = 0; i < LaneProduct::results; i++) {
        std::vector<Halide::Expr> operands = words;
        operands.push_back(sums[(size_t)i]);
        results.push_back(Halide::Internal::Call::make(
            sums[(size_t)i].type(), product.function(i), operands, Halide::Internal::Call::PureExtern));
    }
    return results;
}

}  // namespace tilewright
