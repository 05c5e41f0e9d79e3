#pragma once
// The limits of what a picture's header may claim. Not installed.
#include "runtime/files/input_file.h"
#include "tilewright/png.h"
#include <cstdint>

namespace tilewright {

// Refuses a picture of more pixels than the limits have, per side and in all. To be called before anything is
// computed from w and h. Errors: input.
void check_picture_size(int64_t w, int64_t h, const InputFile &file, const PngLimits &limits);

// The bytes of an array of w x h pixels with `pixel_bytes` bytes each, whose rows are padded. A double,
// because no header's claim overflows it.
double picture_bytes(int64_t w, int64_t h, int64_t pixel_bytes);

// Refuses a picture whose reader will take `bytes` bytes of memory at once: the array, and what decoding
// takes besides. To be called before it is taken. Errors: input.
void check_picture_memory(int64_t w, int64_t h, double bytes, const InputFile &file, const PngLimits &limits);

// Refuses a picture whose ICC profile is over the limit. Errors: input.
[[noreturn]] void refuse_profile(const InputFile &file, const PngLimits &limits);

}  // namespace tilewright
