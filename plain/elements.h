#pragma once
// Reads arrays element by element, whatever their type and pitch. Not installed.
#include "tilewright/array.h"
#include <complex>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace tilewright::plain {

// Calls `action` with a pointer to the elements, of the array's own type, which must not be complex.
template<typename Action>
auto with_elements(const Array &array, Action action) {
    switch (array.type()) {
    case Type::u8: return action(array.as<uint8_t>());
    case Type::u16: return action(array.as<uint16_t>());
    case Type::u32: return action(array.as<uint32_t>());
    case Type::u64: return action(array.as<uint64_t>());
    case Type::i32: return action(array.as<int32_t>());
    case Type::f32: return action(array.as<float>());
    case Type::f64: return action(array.as<double>());
    case Type::f16: return action(array.as<Float16>());
    case Type::bf16: return action(array.as<BFloat16>());
    case Type::c64:
    case Type::c128: break;
    }
    throw std::logic_error("no plain definition takes complex elements as real ones");
}

inline int64_t height(const Array &image) {
    return image.shape()[0];
}
inline int64_t width(const Array &image) {
    return image.shape()[1];
}
inline int64_t channels(const Array &image) {
    return image.dimensions() == 3 ? image.shape()[2] : 1;
}

// All elements in their order, without the padding of rows, as `To`.
template<typename To>
std::vector<To> elements_of(const Array &array) {
    const int64_t rows = array.dimensions() > 1 ? array.shape()[0] : 1, n = array.size() / rows;
    const int64_t pitch = rows > 1 ? array.strides()[0] : 0;
    std::vector<To> all;
    all.reserve((size_t)array.size());
    with_elements(array, [&](const auto *data) {
        for (int64_t y = 0; y < rows; y++) {
            for (int64_t x = 0; x < n; x++) {
                all.push_back((To)data[y * pitch + x]);
            }
        }
    });
    return all;
}

// A dense array of type T of these elements.
template<typename T, typename From>
Array array_of(std::vector<int64_t> shape, const std::vector<From> &elements) {
    Array array(type_of_element<T>::value, std::move(shape), 0);
    T *to = array.as<T>();
    for (size_t i = 0; i < elements.size(); i++) {
        to[i] = (T)elements[i];
    }
    return array;
}

}  // namespace tilewright::plain
