#pragma once
// The types of sums: integers are added as u32 (modulo 2^32), f64 as f64, and other floats as f32.
#include "Halide.h"
#include "generators/algorithms/float_bits.h"
#include <string>
#include <utility>

namespace tilewright {

// By the variant's type: "u8f32" has sums in u32, and the output in f32.
inline Halide::Type sum_type(const std::string &type) {
    return type == "f64"                         ? Halide::Float(64) :
           type == "f32" || has_float_bits(type) ? Halide::Float(32) :
                                                   Halide::UInt(32);
}

// The type of the output: "u8" has it in the type of its sums, "u8f32" in f32.
inline Halide::Type output_type(const std::string &type) {
    return type.ends_with("f32") ? Halide::Float(32) : sum_type(type);
}

// What sums are converted to.
struct SumOutput {
    Halide::Type type;
    // Undefined, or a number of the call: where it is not 0, an output of u32 has the bits of f32 in its
    // words. So one library makes both.
    Halide::Expr as_floats = {};

    SumOutput(Halide::Type type, Halide::Expr as_floats = {}) : type(type), as_floats(std::move(as_floats)) {}

    Halide::Expr of(const Halide::Expr &sum) const {
        const Halide::Expr number = cast(type, sum);
        return !as_floats.defined() ? number :
                                      select(as_floats != 0, reinterpret(type, cast<float>(sum)), number);
    }
};

}  // namespace tilewright
