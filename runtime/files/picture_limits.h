#pragma once
// The limits of what a picture's header may claim. Not installed.
#include "runtime/files/input_file.h"
#include "tilewright/png.h"
#include <cstdint>

namespace tilewright {

// Refuses a picture of w x h pixels, of which each takes `pixel_bytes` in memory, that is over a limit. To be
// called before memory is taken for the pixels. Errors: input.
void check_picture_limits(
    int64_t w, int64_t h, int64_t pixel_bytes, const InputFile &file, const PngLimits &limits);

// Refuses a picture whose ICC profile is over the limit. Errors: input.
[[noreturn]] void refuse_profile(const InputFile &file, const PngLimits &limits);

}  // namespace tilewright
