#pragma once
#include "tilewright/operator.h"
#pragma GCC visibility push(default)

namespace tilewright {

// sums[x] = sum over y of image[y, x]. The image is u8, u16, f32, f64, f16 or bf16 of shape (h, w); the sums
// are a vector (w). Of colours (h, w, c) the sums are those of each channel, (w, c); the channels are taken
// apart on the host.
//
// Sums of integers are exact: u32 where the output's type is left out, u64, f64, or f32, which is the exact
// sum rounded to the nearest one. These are the same bytes on every device and schedule. Where a sum could
// pass 2^32 - 1, which are more than 16 843 009 rows of u8 or 65 537 of u16, u32 is refused before anything
// runs, and the other types are made of the sums of parts, which the host adds. f32, f16 and bf16 images give
// f32, and f64 images give f64 (2^-53 in place of 2^-24), within h * 2^-24 * sum of |image[y, x]| of the
// exact sum, by a fixed order of additions: the same call gives the same bytes on one device each time. NaN
// and infinities go through as IEEE arithmetic has them.
//
// Equality class E for integers, B for floats. Any size, row stride and alignment; there is no border.
//
// A `sums` that is not empty says by its type what the output is. Errors: input (type, shape, sums that u32
// may not hold, a row of more than 2047 MiB), usage (`sums` shares memory with the image, an unknown
// schedule), device, memory. Source: the definition; the steps by which `schedule` names differ stand beside
// them in schedules/column_sum.cpp.
void column_sum(const Array &image, Array &sums, const Call &call = {});

// The same with the type of the output: u32, u64, f32 or f64. Errors: usage for another one, and of an image
// of floats for one that is not f32, or not f64 of f64.
Array column_sum(const Array &image, Type output, const Call &call = {});

// u32 for integers, f64 for f64, f32 for other floats.
Array column_sum(const Array &image, const Call &call = {});

// The operator, for what is asked of every operator alike (operator.h).
const Operator &column_sum_operator();

}  // namespace tilewright
#pragma GCC visibility pop
