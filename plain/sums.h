#pragma once
// The definitions of row_sum and column_sum as plain loops. Not installed.
#include "plain/elements.h"
#include "tilewright/operator.h"
#include <algorithm>
#include <cstdint>

namespace tilewright::plain {

// The exact sums of integers as the output has them: u64, the nearest f64 or f32, or u32. Where u32 does not
// hold them all, they are u64 in its place, and so no u32 agrees with them.
inline Array integer_sums(
    const std::vector<int64_t> &shape, const std::vector<uint64_t> &sums, const std::string &output) {
    if (output == "f32") {
        return array_of<float>(shape, sums);
    }
    if (output == "f64") {
        return array_of<double>(shape, sums);
    }
    return output == "u64" || *std::max_element(sums.begin(), sums.end()) > UINT32_MAX ?
               array_of<uint64_t>(shape, sums) :
               array_of<uint32_t>(shape, sums);
}

// Sums over y (`axis` 0) or over x (`axis` 1), of each channel. Of integers: in u64; of f32: in f64.
inline Array sums(const Array &image, const Settings &settings, int axis) {
    const int64_t h = height(image), w = width(image), c = channels(image), pitch = image.strides()[0],
                  n = axis == 0 ? w : h;
    const std::vector<int64_t> shape = image.dimensions() == 3 ? std::vector{n, c} : std::vector{n};
    return with_elements(image, [&](const auto *pixels) {
        using T = std::decay_t<decltype(*pixels)>;
        using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
        std::vector<Sum> all((size_t)(n * c));
        for (int64_t y = 0; y < h; y++) {
            for (int64_t x = 0; x < w * c; x++) {
                all[(size_t)(axis == 0 ? x : y * c + x % c)] += (Sum)pixels[y * pitch + x];
            }
        }
        if constexpr (std::is_integral_v<T>) {
            return integer_sums(shape, all, settings.text("output-type", ""));
        } else {
            return array_of<double>(shape, all);
        }
    });
}

}  // namespace tilewright::plain
