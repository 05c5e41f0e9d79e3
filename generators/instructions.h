#pragma once
// Machine instructions that generators give to algorithms. Algorithms say mathematics only: where an
// instruction of a backend is better than what compilers find, the algorithm takes a function, and its
// generator passes one of these.
#include "Halide.h"
#include <string>
#include <vector>

namespace tilewright {

inline Halide::Expr instruction(Halide::Type type, const std::string &name,
                                const std::vector<Halide::Expr> &arguments) {
    return Halide::Internal::Call::make(type, name, arguments, Halide::Internal::Call::PureExtern);
}

// A word made of bytes of two others (see Permute) in one instruction of NVIDIA's GPUs.
inline Halide::Expr nvidia_pick(Halide::Expr a, Halide::Expr b, Halide::Expr picks) {
    return instruction(Halide::UInt(32), "llvm.nvvm.prmt", {a, b, picks});
}

}  // namespace tilewright
