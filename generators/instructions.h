#pragma once
// Machine instructions that generators give to algorithms. Algorithms say mathematics only: where an
// instruction of a backend is better than what compilers find, the algorithm takes a function, and its
// generator passes one of these.
#include "Halide.h"
#include "generators/algorithms/opencl_functions.h"
#include "generators/algorithms/tensor_products.h"
#include "generators/algorithms/word_operations.h"
#include <functional>
#include <string>
#include <vector>

namespace tilewright {

inline Halide::Expr instruction(
    Halide::Type type, const std::string &name, const std::vector<Halide::Expr> &arguments) {
    return Halide::Internal::Call::make(type, name, arguments, Halide::Internal::Call::PureExtern);
}

// WordOperations::pick in one instruction of NVIDIA's GPUs.
inline Halide::Expr nvidia_pick(Halide::Expr a, Halide::Expr b, Halide::Expr picks) {
    return instruction(Halide::UInt(32), "llvm.nvvm.prmt", {a, b, picks});
}

// The functions by which a GPU computes with the bytes of words.
struct WordFunctions {
    std::string dot, pick, multiply_add;  // no `dot`: plain arithmetic
};

// A sum starts as the bits of the float 2^23, so that its bits are those of the float 2^23 + sum. An odd
// multiplier leaves no ties, so one fused multiply-add rounds as the integers do.
inline WordOperations word_operations(const WordFunctions &functions) {
    using Halide::Expr;
    WordOperations operations;
    if (!functions.dot.empty()) {
        operations.dot = [=](Expr a, Expr b, Expr sum) {
            return instruction(Halide::UInt(32), functions.dot, {a, b, sum});
        };
    }
    operations.pick = [=](Expr a, Expr b, Expr picks) {
        return instruction(Halide::UInt(32), functions.pick, {a, b, picks});
    };
    operations.rounded = [=](Expr sum, Expr multiplier) {
        const Expr m = Halide::cast<float>(multiplier), as_float = Halide::reinterpret<float>(sum);
        return Halide::reinterpret<uint32_t>(instruction(Halide::Float(32), functions.multiply_add,
            {as_float, m * (1.f / (1 << 24)), 8388608.f - m * .5f}));
    };
    operations.zero = 0x4B000000u;
    return operations;
}

// a b + c in the way that is best on a backend, for an algorithm that subtracts the same product twice. On a
// GPU the multiply-add is an instruction by name: otherwise the compiler would simplify 2 a - (a + w b) to a
// - w b, which costs more multiply-adds for complex numbers. For a CPU the compiler finds the best way
// itself.
inline std::function<Halide::Expr(Halide::Expr a, Halide::Expr b, Halide::Expr c)> multiply_add(
    const std::string &backend) {
    using Halide::Expr;
    if (backend == "cpu") {
        return [](Expr a, Expr b, Expr c) { return a * b + c; };
    }
    const std::string name = backend == "opencl" ? "fma" : "llvm.fma.f32";
    return [name](Expr a, Expr b, Expr c) { return instruction(Halide::Float(32), name, {a, b, c}); };
}

// The minimum of two floats as one instruction of NVIDIA's GPUs; min() would be a comparison and a selection.
inline Halide::Expr nvidia_minimum(Halide::Expr a, Halide::Expr b) {
    return instruction(Halide::Float(32), "llvm.minnum.f32", {a, b});
}

// a + b of floats as the fused multiply-add a * one + b, which rounds as the sum does. `one` must be 1 in a
// way that the compiler does not see, or it would make an addition of it. Additions and minima share pipes of
// an AMD Zen 4 core, and multiply-adds have pipes of their own: there a multiply-add and a minimum take half
// the time of an addition and a minimum (measured on one core).
inline std::function<Halide::Expr(Halide::Expr a, Halide::Expr b)> sum_by_multiply_add(Halide::Expr one) {
    return [one](Halide::Expr a, Halide::Expr b) {
        const std::string name = a.type().bits() == 64 ? "llvm.fma.f64" : "llvm.fma.f32";
        return instruction(a.type(), name, {a, cast(a.type(), one), b});
    };
}

// The operations on words that are best for a target.
inline WordOperations word_operations(const Halide::Target &target) {
    constexpr int first_with_dot = 61;  // compute capability 6.1
    if (target.has_feature(Halide::Target::CUDA)) {
        const bool has_dot = target.get_cuda_capability_lower_bound() >= first_with_dot;
        return word_operations({has_dot ? "llvm.nvvm.idp4a.u.u" : "", "llvm.nvvm.prmt", "llvm.fma.f32"});
    }
    return target.has_feature(Halide::Target::OpenCL) ?
               word_operations({dot_of_words, pick_of_words, "fma"}) :
               WordOperations();
}

// The products of a warp, which adds them to its sums.
inline AddedProduct added_product(const LaneProduct &product) {
    return [=](const LaneWord &a, const LaneWord &b, const Halide::Expr &g, const Halide::Expr &q,
               const std::vector<Halide::Expr> &sums) { return added_product(product, a, b, g, q, sums); };
}

// What the neighbouring lane of a warp gives, whose number differs in the lowest bit: all lanes give theirs.
inline Halide::Expr nvidia_exchange(
    const std::function<Halide::Expr(const Halide::Expr &)> &given, const Halide::Expr &lane) {
    return Halide::reinterpret<uint32_t>(instruction(Halide::Int(32), "llvm.nvvm.shfl.sync.bfly.i32",
        {-1, Halide::reinterpret<int32_t>(given(lane)), 1, 31}));
}

// A word of two numbers as 16-bit floats.
inline Halide::Expr nvidia_pair_of_halves(Halide::Expr a, Halide::Expr b) {
    return instruction(Halide::UInt(32), std::string(pair_of_halves), {a, b});
}

}  // namespace tilewright
