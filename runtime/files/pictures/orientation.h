#pragma once
// The orientation of a picture: how a camera held it. Not installed.
#include "tilewright/array.h"
#include <cstddef>
#include <cstdint>

namespace tilewright {

// The orientation in a block of EXIF data (TIFF's tag 274): 1 to 8; 1, upright, where it says none or is
// malformed. `exif` begins with "Exif\0\0".
int exif_orientation(const uint8_t *exif, size_t bytes);

// An image (h, w) or (h, w, c) made upright: a copy, or the image itself where it is upright already.
Array upright(const Array &image, int orientation);

// The bytes of the copy; 0 where there is none.
double upright_bytes(int64_t w, int64_t h, int64_t pixel_bytes, int orientation);

}  // namespace tilewright
