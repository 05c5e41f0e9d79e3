#pragma once
// Real values as complex numbers, and spectra of them: what fft2d does to them beside its libraries.
#include "tilewright/array.h"
#include <optional>

namespace tilewright {

// The rows of an array f32 or f64 of even width as half as many complex numbers, which are the same bytes.
// Nothing where rows do not begin at whole numbers.
std::optional<Array> pairs_of(const Array &values);

// Pairs of neighbouring real rows as complex rows, and back: the first row of a pair is the real part, and
// the second one, zeros where there is none, the imaginary part.
void pair_rows(const Array &values, Array &pairs);
void split_rows(const Array &pairs, Array &values);

// The spectra of such pairs, of an odd width w, as the columns 0 ... w / 2 of the spectra of their rows, and
// back. The part of a pair's spectrum that equals its conjugate at the opposite frequency is that of the
// first row. Back, of column 0 the real part counts, as in numpy.fft.irfft.
void split_spectra(const Array &pairs, Array &half);
void pair_spectra(const Array &half, Array &pairs);

// The columns from 0 on of a field that `half` has, copied into it.
void copy_columns(const Array &field, Array &half);

// The real parts of a field.
void copy_real_parts(const Array &field, Array &values);

// The whole spectrum of real values from its columns 0 ... w / 2: the others are the conjugates of those at
// the opposite frequency, and so is a half of column 0.
void complete_spectrum(const Array &half, Array &spectrum);

}  // namespace tilewright
