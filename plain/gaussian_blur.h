#pragma once
// The definition of gaussian_blur as plain loops. Not installed.
#include "tilewright/gaussian_blur.h"
#include <cstdint>
#include <vector>

namespace tilewright::plain {

// The weights of the taps -radius ... radius. They sum to 1.
std::vector<double> gaussian_weights(double sigma, double truncate = 4);

// All elements of the blur in f64, of an image of any type that the operator takes.
std::vector<double> exact_blur(const Array &image, const GaussianBlurOptions &how);
inline std::vector<double> exact_blur(const Array &image, double sigma, Border border) {
    return exact_blur(image, {.sigma_y = sigma, .sigma_x = sigma, .border = border});
}

// All elements of the blur of u8 and u16 as the operator's documentation defines it, computed in 64 bits.
// Errors: mismatch, for integer weights that do not keep its promises.
std::vector<uint64_t> integer_blur(const Array &image, const GaussianBlurOptions &how);
inline std::vector<uint64_t> integer_blur(const Array &image, double sigma, Border border) {
    return integer_blur(image, {.sigma_y = sigma, .sigma_x = sigma, .border = border});
}

}  // namespace tilewright::plain
