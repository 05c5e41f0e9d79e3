#include "runtime/dispatch/steps/views.h"
#include "runtime/arrays/storage.h"
#include <algorithm>

namespace tilewright {

halide_type_t halide_type(Type type) {
    switch (type) {
    case Type::u8: return halide_type_t(halide_type_uint, 8);
    case Type::u16: return halide_type_t(halide_type_uint, 16);
    case Type::f16:  // libraries take the bits
    case Type::bf16: return halide_type_t(halide_type_uint, 16);
    case Type::u32: return halide_type_t(halide_type_uint, 32);
    case Type::u64: return halide_type_t(halide_type_uint, 64);
    case Type::i32: return halide_type_t(halide_type_int, 32);
    case Type::f32: return halide_type_t(halide_type_float, 32);
    case Type::f64: return halide_type_t(halide_type_float, 64);
    case Type::c64: return halide_type_t(halide_type_float, 32);
    case Type::c128: return halide_type_t(halide_type_float, 64);
    }
    return {};
}

View image(const Array &array) {
    View view{halide_type(array.type()), {}, array.offset_bytes()};
    const auto &shape = array.shape(), &strides = array.strides();
    if (shape.size() == 1) {
        view.dims = {{shape[0], 1}};
    } else {
        view.dims = {{shape[1], strides[1]}, {shape[0], strides[0]}};
        if (shape.size() == 3) {
            view.dims.push_back({shape[2], strides[2]});
        }
    }
    return view;
}

View rows_of(const Array &array) {
    const auto &shape = array.shape();
    const int64_t h = shape.size() > 1 ? shape[0] : 1;
    return {halide_type(array.type()),
        {{array.size() / h, 1}, {h, shape.size() > 1 ? array.strides()[0] : array.size()}},
        array.offset_bytes()};
}

View words(const Array &array, halide_type_t type) {
    const int64_t bytes = type.bytes(), all = ((int64_t)array.storage()->bytes() + 15) / 16 * 16;
    return {type, {{all / bytes, 1}}, 0};
}

View complex_words(const Array &array) {
    View view = image(array);
    view.type = halide_type_t(halide_type_uint, 64);
    view.in_elements = true;
    return view;
}

View complex_parts(const Array &array) {
    return parts_of(image(array), array.type());
}

View parts_of(View view, Type type) {
    view.type = halide_type(type);
    for (View::Dim &dim : view.dims) {
        dim.stride *= 2;
    }
    view.dims.insert(view.dims.begin(), {2, 1});
    view.in_elements = true;
    return view;
}

View complex_numbers(View view, Type type) {
    return type == Type::c64 ? view : parts_of(std::move(view), type);
}

bool spans_too_much(const View &view) {
    int64_t last = 0, largest = 0;
    for (const View::Dim &d : view.dims) {
        last += (d.extent - 1) * d.stride;
        // Halide counts the last row's padding too, in elements
        largest = std::max(largest, d.extent * d.stride);
    }
    const int64_t counted = view.in_elements ? 1 : view.type.bytes();
    return (last + 1) * counted > most_bytes || largest > most_bytes;
}

Array bounced(const Array &array, View &view) {
    if (view == image(array)) {
        const Array copy = array.clone();
        view = image(copy);
        return copy;
    }
    if (view == rows_of(array)) {
        const Array copy = array.clone();
        view = rows_of(copy);
        return copy;
    }
    view.offset = 0;  // whatever its dimensions mean, they mean it for rows at this pitch
    return array.clone(array.strides()[0] * (int64_t)size_of(array.type()));
}

}  // namespace tilewright
