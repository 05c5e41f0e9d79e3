#pragma once
#include "tilewright/operator.h"

namespace tilewright {

// sums[y] = sum over x of image[y, x]. The image is u8, u16 or f32 of shape (h, w); the sums are a vector
// (h).
//
// Integers are added as u32, modulo 2^32 (2^32 / 255 = 16.8 million columns of bytes, or 65 537 of u16, never
// wrap), and given as u32, or converted to the nearest f32 where that is the output's type. These are the
// same bytes on every device and schedule. f32 images give f32, within w * 2^-24 * sum of |image[y, x]| of
// the exact sum, by a fixed order of additions: the same call gives the same bytes on one device each time.
// NaN and infinities go through as IEEE arithmetic has them.
// The step `atomic` adds bytes by f32 atomics, in no fixed order, for images of up to 65 793 columns alone:
// their sums are whole numbers below 2^24, which f32 holds exactly in any order.
//
// Equality class E for integers, B for f32. Any size, row stride and alignment; there is no border.
//
// A `sums` that is not empty says by its type what the output is. Errors: input (type, shape, an image that
// spans more than 2047 MiB), usage (`sums` shares memory with the image, an unknown schedule), device,
// memory. Source: the definition; the steps by which `schedule` names differ stand beside them in
// schedules/row_sum.cpp.
void row_sum(const Array &image, Array &sums, const Call &call = {});

// The same with the type of the output, u32 or f32. Errors: usage for another one, and for u32 sums of an f32
// image.
Array row_sum(const Array &image, Type output, const Call &call = {});

// u32 for integers, f32 for f32.
Array row_sum(const Array &image, const Call &call = {});

const Operator &row_sum_operator();

}  // namespace tilewright
