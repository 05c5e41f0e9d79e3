#include "runtime/files/picture_limits.h"
#include <algorithm>
#include <limits>
#include <string>

namespace tilewright {

void check_picture_limits(
    int64_t w, int64_t h, int64_t pixel_bytes, const InputFile &file, const PngLimits &limits) {
    const std::string claims = "its header says " + std::to_string(w) + " x " + std::to_string(h) + " pixels";
    const auto check = [&](int64_t value, int64_t limit, const char *unit, const char *name) {
        if (value > limit) {
            file.refuse(claims + ", and the limit is " + std::to_string(limit) + unit,
                std::string("raise PngLimits::") + name + " (--max-" + name +
                    " of the program) if the file is to be trusted");
        }
    };
    check(std::max(w, h), limits.side, " per side", "side");
    const int64_t pixels = w * h;  // below 2^62
    check(pixels, limits.pixels, " in all", "pixels");
    if (pixels > std::numeric_limits<int64_t>::max() / pixel_bytes) {
        file.refuse(claims, "such an image fits into no memory");
    }
    check(pixels * pixel_bytes, limits.bytes, " bytes decoded", "bytes");
}

void refuse_profile(const InputFile &file, const PngLimits &limits) {
    file.refuse("its ICC profile is larger than " + std::to_string(limits.profile_bytes) + " bytes",
        "raise PngLimits::profile_bytes if it is to be trusted, or remove the profile");
}

}  // namespace tilewright
