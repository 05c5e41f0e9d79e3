#pragma once
// Arrays of a test: filled by a function or with pseudo-random values, and read row by row.
#include "tilewright/array.h"
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace tilewright {

// Row y of an array, as elements.
template<typename T>
const T *row_of(const Array &array, int64_t y) {
    return array.as<T>() + y * array.strides()[0];
}

// Fills an array, rows of any pitch, with values from `next`.
template<typename T, typename Next>
void fill(Array &array, Next next) {
    const auto &shape = array.shape();
    const int64_t rows = shape.size() > 1 ? shape[0] : 1, n = array.size() / rows;
    T *data = array.as<T>();
    for (int64_t y = 0; y < rows; y++) {
        for (int64_t x = 0; x < n; x++) {
            data[(rows > 1 ? y * array.strides()[0] : 0) + x] = (T)next();
        }
    }
}

// Pseudo-random values: all of an integer type's range, or [-1, 1).
template<typename T>
void fill_random(Array &array, unsigned seed = 1) {
    std::mt19937 random(seed);
    fill<T>(array, [&] {
        if constexpr (std::is_integral_v<T>) {
            return (T)random();
        } else {
            return (T)((double)random() / 2147483648.0 - 1);
        }
    });
}

template<typename T>
Array random_array(std::vector<int64_t> shape, unsigned seed = 1, int64_t row_bytes = Array::padded) {
    Array array(type_of_element<T>::value, std::move(shape), row_bytes);
    fill_random<T>(array, seed);
    return array;
}

// The same for a type that is known when the test runs.
inline Array random_array(
    Type type, std::vector<int64_t> shape, unsigned seed = 1, int64_t row_bytes = Array::padded) {
    switch (type) {
    case Type::u8: return random_array<uint8_t>(std::move(shape), seed, row_bytes);
    case Type::u16: return random_array<uint16_t>(std::move(shape), seed, row_bytes);
    case Type::u32: return random_array<uint32_t>(std::move(shape), seed, row_bytes);
    case Type::u64: return random_array<uint64_t>(std::move(shape), seed, row_bytes);
    case Type::i32: return random_array<int32_t>(std::move(shape), seed, row_bytes);
    case Type::f32: return random_array<float>(std::move(shape), seed, row_bytes);
    case Type::f64: return random_array<double>(std::move(shape), seed, row_bytes);
    case Type::f16: return random_array<Float16>(std::move(shape), seed, row_bytes);
    case Type::bf16: return random_array<BFloat16>(std::move(shape), seed, row_bytes);
    case Type::c64:
    case Type::c128: break;
    }
    throw std::logic_error("no random values of that type");
}

// Whether two arrays have the same elements, byte for byte: pitches may differ.
inline bool same_bytes(const Array &a, const Array &b) {
    if (a.type() != b.type() || a.shape() != b.shape()) {
        return false;
    }
    const int64_t rows = a.dimensions() > 1 ? a.shape()[0] : 1,
                  bytes = a.size() / rows * (int64_t)size_of(a.type());
    const auto row = [&](const Array &of, int64_t y) {
        return static_cast<const char *>(of.data()) + y * of.strides()[0] * (int64_t)size_of(of.type());
    };
    for (int64_t y = 0; y < rows; y++) {
        if (memcmp(row(a, y), row(b, y), (size_t)bytes) != 0) {
            return false;
        }
    }
    return true;
}

// Fills memory with pseudo-random bytes.
inline void fill_bytes(void *memory, size_t bytes, unsigned seed) {
    auto *at = static_cast<unsigned char *>(memory);
    uint64_t state = seed * UINT64_C(2654435761) + 1;
    for (size_t i = 0; i < bytes; i += sizeof state) {  // xorshift64*, eight bytes per step
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        const uint64_t random = state * 2685821657736338717u;
        memcpy(at + i, &random, std::min(sizeof random, bytes - i));
    }
}

// Fills an array with pseudo-random bytes, those between its rows included. It must not be a part of a larger
// array.
inline void fill_bytes(Array &array, unsigned seed) {
    const int64_t rows = array.dimensions() > 1 ? array.shape()[0] : 1;
    fill_bytes(array.data(),
        (size_t)(rows * (rows > 1 ? array.strides()[0] : array.size())) * size_of(array.type()), seed);
}

}  // namespace tilewright
