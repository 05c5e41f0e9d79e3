#include "runtime/files/picture_limits.h"
#include "runtime/arrays/storage.h"
#include <algorithm>
#include <cmath>
#include <string>

namespace tilewright {

namespace {

std::string claims(int64_t w, int64_t h) {
    return "its header says " + std::to_string(w) + " x " + std::to_string(h) + " pixels";
}

std::string advice(const char *name) {
    return std::string("raise PngLimits::") + name + " (--max-" + name +
           " of the program) if the file is to be trusted";
}

}  // namespace

void check_picture_size(int64_t w, int64_t h, const InputFile &file, const PngLimits &limits) {
    const auto refuse = [&](int64_t limit, const char *unit, const char *name) {
        file.refuse(claims(w, h) + ", and the limit is " + std::to_string(limit) + unit, advice(name));
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
        file.refuse(claims(w, h) + ", for which it takes " + std::to_string(static_cast<int64_t>(bytes)) +
                        " bytes of memory, and the limit is " + std::to_string(limits.bytes) + " bytes",
            advice("bytes"));
    }
}

void refuse_profile(const InputFile &file, const PngLimits &limits) {
    file.refuse("its ICC profile is larger than " + std::to_string(limits.profile_bytes) + " bytes",
        "raise PngLimits::profile_bytes if it is to be trusted, or remove the profile");
}

}  // namespace tilewright
