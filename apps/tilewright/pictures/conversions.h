#pragma once
// Arrays made of others: grey values, channels, parts, surrounds and other types. Each makes a new array,
// but middle_of(), which is a crop.
#include "tilewright/array.h"

namespace tilewright::app {

// Grey values (h, w) of an image (h, w, c) of u8, u16 or f32, as ITU-R BT.601 weighs colours: .299 R +
// .587 G + .114 B, integers rounded to nearest. Of one or two channels, the first one. `has_alpha`: the last
// channel is alpha, and is left out.
Array grey_values(const Array &image, bool has_alpha);

// One channel of an image (h, w, c), as (h, w).
Array channel_of(const Array &image, int64_t channel);

// The same values as another type: u8, u16, u32, i32, f32 and f64 as f32, f64 or i32; values that i32 does
// not have are refused. Errors: input.
Array converted(const Array &array, Type type);

// A vector as a matrix of one row or of one column.
Array matrix_of(const Array &vector, bool is_row);

// The middle h x w of an image.
Array middle_of(const Array &image, int64_t h, int64_t w);

// An image (h, w) in the middle of a larger one of zeros.
Array surrounded(const Array &image, int64_t h, int64_t w);

// A picture, u8 or u16, of a complex field (h, w) of c64 or c128. Of a spectrum: log(1 + |value|), the
// largest one at full scale, frequency 0 moved to element (h / 2, w / 2). Of values: the real part, rounded
// and limited to the type.
Array picture_of_spectrum(const Array &field, Type type);
Array picture_of_values(const Array &field, Type type);

}  // namespace tilewright::app
