#include "runtime/files/pictures/picture_limits.h"
#include "runtime/arrays/storage.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>

namespace tilewright {

namespace {

std::string claims(int64_t w, int64_t h) {
    return fmt::format("its header says {} x {} pixels", w, h);
}

std::string advice(const char *name) {
    return fmt::format("raise PngLimits::{0} (--max-{0} of the program) if the file is to be trusted", name);
}

}  // namespace

void check_picture_size(int64_t w, int64_t h, const InputFile &file, const PngLimits &limits) {
    const auto refuse = [&](int64_t limit, const char *unit, const char *name) {
        file.refuse(fmt::format("{}, and the limit is {}{}", claims(w, h), limit, unit), advice(name));
    };
    if (std::max(w, h) > limits.side) {
        refuse(limits.side, " per side", "side");
    }
    if (w > limits.pixels / h) {
        refuse(limits.pixels, " in all", "pixels");
    }
}

double picture_bytes(int64_t w, int64_t h, int64_t pixel_bytes) {
    const double lines =
        std::ceil(static_cast<double>(w) * static_cast<double>(pixel_bytes) / padded_bytes(1));
    return lines * padded_bytes(1) * static_cast<double>(h);
}

void check_picture_memory(
    int64_t w, int64_t h, double bytes, const InputFile &file, const PngLimits &limits) {
    if (bytes > 0x1p62) {
        file.refuse(claims(w, h), "such an image fits into no memory");
    }
    if (bytes > static_cast<double>(limits.bytes)) {
        file.refuse(fmt::format("{}, for which it takes {:.0f} bytes of memory, and the limit is {} bytes",
                        claims(w, h), bytes, limits.bytes),
            advice("bytes"));
    }
}

void refuse_profile(const InputFile &file, const PngLimits &limits) {
    file.refuse(fmt::format("its ICC profile is larger than {} bytes", limits.profile_bytes),
        "raise PngLimits::profile_bytes if it is to be trusted, or remove the profile");
}

}  // namespace tilewright
