#pragma once
#include "tilewright/array.h"

namespace tilewright {

// Images with alpha, (h, w, 2) or (h, w, 4), alpha last: colour is multiplied by alpha, so that what is transparent does not bleed
// its colour when pixels are mixed. u8 and u16 become u16 (alpha 65535 is opaque), f32 stays (1 is opaque).
Array premultiply(const Array &image);

// Back to colour beside alpha, as `type` (u8 or u16 of u16, f32 of f32). Where alpha is 0 colour is 0.
Array unpremultiply(const Array &image, Type type);

}  // namespace tilewright
