#pragma once
#include "tilewright/operator.h"
#pragma GCC visibility push(default)

namespace tilewright {

// The transform, or the one that undoes it.
enum class Direction { forward, inverse };

// The two-dimensional discrete Fourier transform of a field of complex numbers, c64 or c128 (h, w), whose
// sides are from 1 to 16384:
//     forward: output(v, u) = sum over y and x of field(y, x) exp(-2 pi i (u x / w + v y / h))
//     inverse: the same with exp(+ ...), times 1 / (w h), so that it undoes the forward one
// Frequency 0 is element (0, 0), as in numpy.fft.fft2. An f32 or f64 field is the real part of one whose
// imaginary part is 0; rfft2d() takes such a field with half the work. The output is c64, and of a c128 or
// f64 field c128, made if it is empty. It may have any row stride, and the bytes between its rows are never
// written.
//
// `pad`: zeros are added behind the last row and the last column up to the next power of two; the output has
// that size.
//
// Equality class B: in the L2 norm, the error is at most 2e-6 log2(max(w, h, 2)) times the exact result, and
// 4e-15 log2(max(w, h, 2)) times of c128; the measured ones are 2e-7 to 1e-6 and 2e-16 to 2e-15. One NaN or
// infinity in the field reaches every element.
// Errors: input, where the field has another type, has a side above 16384 with the zeros that are added, or
// has rows so far apart that it spans more than 2^31 - 2^20 numbers, of c128 half as many; usage, where the
// output shares memory with the input; device and memory, as for every operator; device too, for c128 on an
// OpenCL device without numbers of f64.
//
// Source: Cooley and Tukey, "An Algorithm for the Machine Calculation of Complex Fourier Series" (1965),
// mixed radix, in place; Bluestein, "A Linear Filtering Approach to the Computation of Discrete Fourier
// Transform" (1970), for sides that have a prime factor above 61, or two above 13; on a GPU also for a factor
// above 23, and by OpenCL also for a factor of 11, 13, 7^3, 3^5 or 5^5, of c128 of 17, 19 or 23 too.
void fft2d(const Array &field, Array &output, Direction direction = Direction::forward, bool pad = false,
    const Call &call = {});

// The same, with the output returned.
inline Array fft2d(
    const Array &field, Direction direction = Direction::forward, bool pad = false, const Call &call = {}) {
    Array output;
    fft2d(field, output, direction, pad, call);
    return output;
}

// The same transform of real values, f32 or f64 (h, w), forward. The output, c64 or c128 of shape (h, w / 2 +
// 1), has the columns 0 ... w / 2 of the spectrum, as that of numpy.fft.rfft2 has; the others are the
// conjugates of those at the opposite frequency. It takes about half of the work of fft2d.
//
// Bounds, NaN and errors are those of fft2d; w is that of the real values.
//
// Source: Duhamel and Vetterli, "Fast Fourier Transforms: A Tutorial Review and a State of the Art" (1990).
void rfft2d(const Array &values, Array &output, const Call &call = {});
inline Array rfft2d(const Array &values, const Call &call = {}) {
    Array output;
    rfft2d(values, output, call);
    return output;
}

// What undoes it, as numpy.fft.irfft2 does: from a spectrum c64 or c128 (h, n) to real values f32 or f64 (h,
// width), with the factor 1 / (width h). `width` is 2 n - 2 or 2 n - 1; 0: the even one, or 1 where n is 1.
// Of a spectrum that real values do not have, the columns are transformed first, and the imaginary parts of
// column 0, and of the last one of an even width, do not count then.
//
// Errors: input, for another width; those of fft2d.
void irfft2d(const Array &spectrum, Array &output, int64_t width = 0, const Call &call = {});
inline Array irfft2d(const Array &spectrum, int64_t width = 0, const Call &call = {}) {
    Array output;
    irfft2d(spectrum, output, width, call);
    return output;
}

// The operator, for what is asked of every operator alike (operator.h).
const Operator &fft2d_operator();

}  // namespace tilewright
#pragma GCC visibility pop
