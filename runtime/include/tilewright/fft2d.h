#pragma once
#include "tilewright/operator.h"

namespace [[gnu::visibility("default")]] tilewright {

// The transform, or the one that undoes it.
enum class Direction { forward, inverse };

// The two-dimensional discrete Fourier transform of a field of complex numbers, c64 (h, w), whose sides are
// from 1 to 16384:
//     forward: output(v, u) = sum over y and x of field(y, x) exp(-2 pi i (u x / w + v y / h))
//     inverse: the same with exp(+ ...), times 1 / (w h), so that it undoes the forward one
// Frequency 0 is element (0, 0), as in numpy.fft.fft2. An f32 field is the real part of one whose imaginary
// part is 0. The output is c64, made if it is empty. It may have any row stride, and the bytes between its
// rows are never written.
//
// `pad`: zeros are added behind the last row and the last column up to the next power of two; the output has
// that size.
//
// Equality class B: in the L2 norm, the error is at most 2e-6 log2(max(w, h, 2)) times the exact result;
// the measured one is 2e-7 to 1e-6. One NaN or infinity in the field reaches every element.
// Errors: input, where the field has another type, has a side above 16384 with the zeros that are added, or
// has rows so far apart that it spans more than 2^31 - 2^20 numbers; usage, where the output shares memory
// with the input; device and memory, as for every operator.
//
// Source: Cooley and Tukey, "An Algorithm for the Machine Calculation of Complex Fourier Series" (1965),
// mixed radix, in place; Bluestein, "A Linear Filtering Approach to the Computation of Discrete Fourier
// Transform" (1970), for sides that have a prime factor above 13.
void fft2d(const Array &field, Array &output, Direction direction = Direction::forward, bool pad = false,
    const Call &call = {});

// The same, with the output returned.
inline Array fft2d(
    const Array &field, Direction direction = Direction::forward, bool pad = false, const Call &call = {}) {
    Array output;
    fft2d(field, output, direction, pad, call);
    return output;
}

// The operator, for what is asked of every operator alike (operator.h).
const Operator &fft2d_operator();

}  // namespace tilewright
