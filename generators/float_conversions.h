#pragma once
// The instructions of targets that convert 16-bit floats.
#include "generators/algorithms/float_bits.h"
#include "generators/algorithms/opencl_functions.h"

namespace tilewright {

// How the elements of a variant's type are 16-bit floats, if they are. Kernels of CUDA, and CPUs with F16C,
// have instructions for f16, which Halide 21 finds in casts. OpenCL has functions that the runtime defines,
// for elements that are converted one by one, and not as vectors.
inline FloatBits float_bits(const std::string &type, const Halide::Target &target, bool one_by_one = false) {
    using Halide::Expr, Halide::Float, Halide::UInt, Halide::Internal::Call;
    if (!has_float_bits(type)) {
        return {};
    }
    if (target.has_feature(Halide::Target::OpenCL) && one_by_one) {
        return {type,
            [](Expr half) { return Call::make(Float(32), float_of_half, {half}, Call::PureExtern); },
            [](Expr number) { return Call::make(UInt(16), half_of_float, {number}, Call::PureExtern); }};
    }
    if (target.has_feature(Halide::Target::CUDA) || target.has_feature(Halide::Target::F16C)) {
        return {type, [](Expr half) { return cast<float>(reinterpret(Float(16), half)); },
            [](Expr number) { return reinterpret<uint16_t>(cast(Float(16), number)); }};
    }
    return {type};
}

}  // namespace tilewright
