#pragma once
// The definitions of row_sum and column_sum as plain loops. Not installed.
#include "plain/elements.h"
#include "tilewright/operator.h"

namespace tilewright::plain {

// Sums over y (`axis` 0) or over x (`axis` 1). Of integers: in u32, modulo 2^32, returned as u32 or as the
// nearest f32. Of f32: in f64.
inline Array sums(const Array &image, const Settings &settings, int axis) {
    const int64_t h = height(image), w = width(image), pitch = image.strides()[0], n = axis == 0 ? w : h;
    return with_elements(image, [&](const auto *pixels) {
        using T = std::decay_t<decltype(*pixels)>;
        using Sum = std::conditional_t<std::is_integral_v<T>, uint32_t, double>;
        std::vector<Sum> all((size_t)n);
        for (int64_t y = 0; y < h; y++) {
            for (int64_t x = 0; x < w; x++) {
                all[(size_t)(axis == 0 ? x : y)] += (Sum)pixels[y * pitch + x];
            }
        }
        const bool as_float = std::is_integral_v<T> && settings.text("output-type", "") == "f32";
        return as_float ? array_of<float>({n}, all) : array_of<Sum>({n}, all);
    });
}

}  // namespace tilewright::plain
