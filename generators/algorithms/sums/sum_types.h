#pragma once
// The types of sums: integers are added as u32 (modulo 2^32), floats as f32.
#include "Halide.h"
#include <string>

namespace tilewright {

inline Halide::Type sum_type(Halide::Type element) {
    return element.is_float() ? Halide::Float(32) : Halide::UInt(32);
}

// The type of the output, by the variant's type: "u8" has the output in the type of its sums, "u8f32" in f32.
inline Halide::Type output_type(const std::string &type) {
    const bool is_float = type.ends_with("f32");
    return is_float ? Halide::Float(32) : Halide::UInt(32);
}

}  // namespace tilewright
