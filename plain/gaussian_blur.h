#pragma once
// The blur as plain loops. Not installed.
#include "tilewright/gaussian_blur.h"
#include <cstdint>
#include <vector>

namespace tilewright::plain {

// The weights of the taps -radius ... radius, which sum to 1.
std::vector<double> gaussian_weights(double sigma);

// All elements of the blur in f64, of an image of any type that the operator takes.
std::vector<double> exact_blur(const Array &image, double sigma, Border border);

// What the operator's documentation says of u8 and u16, in 64 bits. Errors: mismatch, for integer weights that do not keep its promises.
std::vector<uint64_t> integer_blur(const Array &image, double sigma, Border border);

}  // namespace tilewright::plain
