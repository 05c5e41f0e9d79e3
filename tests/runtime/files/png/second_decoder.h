#pragma once
// A second decoder of PNG (libspng), which ours is compared with.
#include "tests/support/files.h"
#include "tilewright/array.h"
#include <cstdint>
#include <memory>
#include <spng.h>
#include <vector>

namespace tilewright {

using Spng = std::unique_ptr<spng_ctx, decltype(&spng_ctx_free)>;

Spng open_spng(const Bytes &bytes);

// Red, green, blue and alpha of every pixel, 8 or 16 bits each; empty when libspng refuses the file.
std::vector<uint16_t> decode_with_spng(const Bytes &bytes);

// Our pixels in the same form.
std::vector<uint16_t> as_rgba(const Array &image);

}  // namespace tilewright
