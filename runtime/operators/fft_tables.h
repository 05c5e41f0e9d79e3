#pragma once
// The tables that a pass of a Fourier transform reads (generators/algorithms/fft2d/pass.h), computed in f64.
// For fronts; not installed.
#include "generators/algorithms/fft2d/pass_shape.h"
#include "tilewright/array.h"
#include <complex>
#include <functional>

namespace tilewright {

// The sides of the fields that fronts transform: powers of two from the one to the other.
constexpr int64_t shortest_fft = 16, longest_fft = 8192;

// A vector c64 of n numbers, value(0) and so on.
Array complex_vector(int64_t n, const std::function<std::complex<double>(int64_t i)> &value);

// exp(-2 pi i j / n) for j < n. Kept, as the next one is, so that what a device has of it need not be sent
// again.
Array fft_roots(int64_t n);

// The twiddle factors of the last stage of a pass that convolves: exp(-2 pi i order(u) / length) for each
// of its butterflies.
Array fft_middle(const FftPassShape &pass);

// The twiddle factors between the two levels of FftLines (generators/algorithms/fft2d/lines.h), f32: the
// real parts for k1 = 0 and all n2, for k1 = 1, and so on, then the imaginary parts.
Array fft_between_levels(const FftPassShape &pass);

}  // namespace tilewright
