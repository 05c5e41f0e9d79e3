#pragma once
// The element types, by the names that tables and generators use.
#include "Halide.h"
#include <string>

namespace tilewright {

// The Halide type that a type name begins with: "u8", "u16", "u32", "i32", "f32", "f64"; of "f16" and "bf16"
// that of their bits.
inline Halide::Type element_type(const std::string &name) {
    const std::pair<const char *, Halide::Type> types[] = {{"u8", Halide::UInt(8)}, {"u16", Halide::UInt(16)},
        {"u32", Halide::UInt(32)}, {"i32", Halide::Int(32)}, {"f32", Halide::Float(32)},
        {"f64", Halide::Float(64)}, {"f16", Halide::UInt(16)}, {"bf16", Halide::UInt(16)}};
    for (const auto &[prefix, type] : types) {
        if (name.starts_with(prefix)) {
            return type;
        }
    }
    _halide_user_error << "no element type '" << name << "'\n";
    return {};
}

}  // namespace tilewright
