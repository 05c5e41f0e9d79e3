#pragma once
#include <bit>
#include <cstdint>
#pragma GCC visibility push(default)

namespace tilewright {

// A 16-bit float by its bits, IEEE's binary16 (NumPy's float16). It is a type of storage: it converts to f32
// exactly, and is made of an f32 by rounding to the nearest one, ties to even.
struct Float16 {
    uint16_t bits = 0;  // sign, 5 bits of the exponent, 10 of the fraction

    Float16() = default;
    // The nearest one. Larger values than 65504 become infinite from 65520 on.
    explicit Float16(float value) {
        const auto word = std::bit_cast<uint32_t>(value), magnitude = word & 0x7fffffff;
        bits = (uint16_t)(word >> 16 & 0x8000);
        if (magnitude > 0x7f800000) {
            bits |= 0x7e00;  // NaN
        } else if (magnitude >= 0x477ff000) {
            bits |= 0x7c00;  // rounds to more than the largest, or is infinite
        } else if (magnitude < 0x38800000) {
            // A multiple of 2^-24, as the floats from .5 to 1 are.
            bits |= (uint16_t)(std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + .5f) - 0x3f000000);
        } else {
            bits |= (uint16_t)((magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13);
        }
    }
    // The same value.
    operator float() const {
        const uint32_t magnitude = bits & 0x7fff, sign = (uint32_t)(bits & 0x8000) << 16;
        const uint32_t word = magnitude < 0x0400  ? std::bit_cast<uint32_t>((float)magnitude * 0x1p-24f) :
                              magnitude >= 0x7c00 ? magnitude << 13 | 0x7f800000 :
                                                    (magnitude << 13) + (112u << 23);
        return std::bit_cast<float>(sign | word);
    }
};

// The same of the kind that is the upper half of an f32 (bfloat16).
struct BFloat16 {
    uint16_t bits = 0;  // the upper half

    BFloat16() = default;
    // The nearest one.
    explicit BFloat16(float value) {
        const auto word = std::bit_cast<uint32_t>(value);
        const bool is_nan = (word & 0x7fffffff) > 0x7f800000;
        bits = (uint16_t)(is_nan ? word >> 16 | 0x40 : (word + 0x7fff + (word >> 16 & 1)) >> 16);
    }
    // The same value.
    operator float() const {
        return std::bit_cast<float>((uint32_t)bits << 16);
    }
};

}  // namespace tilewright
#pragma GCC visibility pop
