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
    FloatBits bits{type};
    if (target.has_feature(Halide::Target::OpenCL) && one_by_one) {
        bits.number_of_half = [](Expr half) {
            return Call::make(Float(32), float_of_half, {half}, Call::PureExtern);
        };
        bits.half_of_number = [](Expr number) {
            return Call::make(UInt(16), half_of_float, {number}, Call::PureExtern);
        };
    } else if (target.has_feature(Halide::Target::CUDA) || target.has_feature(Halide::Target::F16C)) {
        bits.number_of_half = [](Expr half) { return cast<float>(reinterpret(Float(16), half)); };
        bits.half_of_number = [](Expr number) { return reinterpret<uint16_t>(cast(Float(16), number)); };
    }
    return bits;
}

}  // namespace tilewright
