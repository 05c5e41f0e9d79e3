#pragma once
// What the tests of the two blurs share: their images, and the comparison with a definition in f64 or in
// integers.
#include "tests/support/arrays.h"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace tilewright {

// A random image; `crop`: as a part of a larger array.
template<typename T>
Array blur_image(const std::vector<int64_t> &shape, bool crop) {
    if (!crop) {
        return random_array<T>(shape, 7);
    }
    std::vector<int64_t> larger = shape;
    larger[0] += 7;
    larger[1] += 11;
    return random_array<T>(larger, 7).crop(3, 5, shape[0], shape[1]);
}

// "37 61 3 "
inline std::string words_of(const std::vector<int64_t> &shape) {
    std::string text;
    for (const int64_t n : shape) {
        text += std::to_string(n) + " ";
    }
    return text;
}

// The largest absolute value of an image.
template<typename T>
double largest(const Array &image) {
    const int64_t h = image.shape()[0], n = image.size() / h;
    double top = 0;
    for (int64_t y = 0; y < h; y++) {
        const T *row = row_of<T>(image, y);
        for (int64_t x = 0; x < n; x++) {
            top = std::max(top, std::abs((double)row[x]));
        }
    }
    return top;
}

// The first element that is off by more than `allowed`, as a sentence.
template<typename T, typename E>
std::string first_difference(const Array &output, const std::vector<E> &expected, double allowed) {
    const int64_t h = output.shape()[0], n = output.size() / h;
    for (int64_t y = 0; y < h; y++) {
        const T *row = row_of<T>(output, y);
        for (int64_t x = 0; x < n; x++) {
            const double is = (double)row[x], should = (double)expected[(size_t)(y * n + x)];
            if (!(std::abs(is - should) <= allowed) && !(std::isnan(is) && std::isnan(should))) {
                return "at y " + std::to_string(y) + ", element " + std::to_string(x) + ": " +
                       std::to_string(is) + " where " + std::to_string(should) + " was expected, off by " +
                       std::to_string(std::abs(is - should)) + " where " + std::to_string(allowed) +
                       " is allowed";
            }
        }
    }
    return "";
}

}  // namespace tilewright
