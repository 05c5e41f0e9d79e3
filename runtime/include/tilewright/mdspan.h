#pragma once
#include "tilewright/array.h"
#include <concepts>
#include <type_traits>
#include <vector>
#pragma GCC visibility push(default)

// std::mdspan (C++23) as arrays, without a copy. The header takes everything that has its interface, such as
// the mdspan of Kokkos, and compiles where the standard library has none.
//
//     const std::mdspan pixels(memory.data(), height, width);
//     const tilewright::Array soft = tilewright::gaussian_blur(tilewright::view_of(pixels), 3);
namespace tilewright {

// What this header needs of std::mdspan: of 1 to 8 axes, with elements that lie in memory as they are.
template<typename Span>
concept StridedSpan = requires(const Span &span) {
    type_of_element<std::remove_const_t<typename Span::element_type>>::value;
    { span.data_handle() } -> std::convertible_to<const typename Span::element_type *>;
    { span.extent(0) } -> std::convertible_to<int64_t>;
    { span.stride(0) } -> std::convertible_to<int64_t>;
    requires Span::rank() >= 1 && Span::rank() <= 8;
};

// The elements of a std::mdspan, which are used in place and must outlive the array; its type and shape are
// those of the span. Of const elements the array is one of const memory: calls refuse it as an output.
//
// Errors: usage, for extents of 0 and strides that no array has: all but the first axis have no gaps, as
// those of std::layout_right do (Array::view).
template<StridedSpan Span>
Array view_of(const Span &span) {
    std::vector<int64_t> shape, strides;
    for (size_t axis = 0; axis < Span::rank(); axis++) {
        shape.push_back((int64_t)span.extent(axis));
        strides.push_back((int64_t)span.stride(axis));
    }
    using Element = typename Span::element_type;
    return Array::view(type_of_element<std::remove_const_t<Element>>::value, span.data_handle(),
        std::move(shape), std::move(strides));
}

}  // namespace tilewright
#pragma GCC visibility pop
