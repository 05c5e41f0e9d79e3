#pragma once
// The parts of f32 numbers that the tensor cores multiply as TF32.
#include "Halide.h"
#include <cstdint>

namespace tilewright::number_parts {

using Halide::Expr;

inline Expr bits_of(Expr number) {
    return Halide::reinterpret<uint32_t>(number);
}
inline Expr bits(uint32_t word) {
    return Expr(word);
}

// Numbers of which TF32 has no low part are 0, where f32 on a GPU has a 0 for them too, or NaN. Twice the
// bits of a number are without its sign.
inline Expr representable(Expr number) {
    constexpr uint32_t least = 2 * ((127 - 100) << 23), smallest = 2 << 23;
    const Expr magnitude = 2 * bits_of(number);
    return Halide::reinterpret<float>(select(
        magnitude < bits(smallest), bits(0), magnitude < bits(least), bits(0x7fc00000), bits_of(number)));
}
// Below `no_low_part` for numbers from 2^-126 to 2^-100, and for no others.
inline Expr distance(Expr number) {
    return 2 * bits_of(number) - bits(2 << 23);
}
constexpr uint32_t no_low_part = 2 * ((127 - 100) << 23) - (2 << 23);
// The nearest number of 11 bits.
inline Expr high_part(Expr number) {
    return Halide::reinterpret<float>((bits_of(number) + bits(0x1000)) & bits(0xffffe000));
}
inline Expr is_infinite(Expr number) {  // or NaN
    const Expr exponent = bits(0x7f800000);
    return (bits_of(number) & exponent) == exponent;
}

}  // namespace tilewright::number_parts
