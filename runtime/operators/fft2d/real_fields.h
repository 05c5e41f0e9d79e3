#pragma once
// Real values as complex numbers, and spectra of them: what fft2d does to them beside its libraries.
#include "tilewright/array.h"
#include <optional>

namespace tilewright {

// The rows of an array f32 or f64 of even width as half as many complex numbers, which are the same bytes.
// Nothing where rows do not begin at whole numbers.
std::optional<Array> pairs_of(const Array &values);

// The columns from 0 on of a field that `half` has, copied into it.
void copy_columns(const Array &field, Array &half);

// The real parts of a field.
void copy_real_parts(const Array &field, Array &values);

// The whole spectrum of real values from its columns 0 ... w / 2: the others are the conjugates of those at
// the opposite frequency, and so is a half of column 0.
void complete_spectrum(const Array &half, Array &spectrum);

}  // namespace tilewright
