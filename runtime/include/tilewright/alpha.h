#pragma once
#include "tilewright/array.h"
#pragma GCC visibility push(default)

namespace tilewright {

// An image with alpha, (h, w, 2) or (h, w, 4), whose last channel is alpha, with its colour multiplied by
// alpha: then what is transparent does not bleed its colour when pixels are mixed. The result has the image's
// shape. u8 and u16 become u16, where alpha 65535 is opaque; f32 stays f32, where alpha 1 is opaque. Integers
// are rounded to nearest.
//
// Errors: input, for another shape or type; memory.
//
// Source: Porter and Duff, "Compositing Digital Images" (1984).
Array premultiply(const Array &image);

// The inverse: colour divided by alpha, as `type`, which is u8 or u16 for an image of u16, and f32 for one of
// f32. The result has the image's shape. Where alpha is 0, colour is 0. Integer colour above alpha becomes
// full colour. Errors: input, for another shape or type; memory.
Array unpremultiply(const Array &image, Type type);

// The colours of `colours` with the alpha of `image`, for operators that treat alpha as one more colour
// (`invert`). Both are images with alpha of one type and shape, and so is the result. Errors: input, for
// others; memory.
Array with_alpha_of(const Array &colours, const Array &image);

}  // namespace tilewright
#pragma GCC visibility pop
