#pragma once
// The C++ types of arrays' elements. Not installed.
#include "tilewright/array.h"
#include <complex>
#include <cstdint>

namespace tilewright {

// Calls `with` with a value of the C++ type that the elements have.
template<typename With>
auto with_element(Type type, const With &with) {
    switch (type) {
    case Type::u8: return with(uint8_t());
    case Type::u16: return with(uint16_t());
    case Type::u32: return with(uint32_t());
    case Type::u64: return with(uint64_t());
    case Type::i32: return with(int32_t());
    case Type::f32: return with(float());
    case Type::f64: return with(double());
    case Type::c64: return with(std::complex<float>());
    case Type::f16: return with(Float16());
    case Type::bf16: return with(BFloat16());
    case Type::c128: break;
    }
    return with(std::complex<double>());
}

}  // namespace tilewright
