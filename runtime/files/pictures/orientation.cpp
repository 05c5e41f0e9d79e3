// Source: Exif 2.3 (JEITA CP-3451C), 4.6.2 and 4.6.4; TIFF 6.0, "Orientation".
#include "runtime/files/pictures/orientation.h"
#include "runtime/files/pictures/picture_limits.h"
#include <cstring>
#include <string_view>
#include <utility>

namespace tilewright {

int exif_orientation(const uint8_t *exif, size_t bytes) {
    constexpr size_t start = 6;  // of the TIFF header, behind "Exif\0\0"
    constexpr int orientation_tag = 274, short_type = 3;
    if (bytes < start + 8 || std::memcmp(exif, "Exif\0\0", start) != 0) {
        return 1;
    }
    const uint8_t *tiff = exif + start;
    const size_t size = bytes - start;
    const std::string_view order(reinterpret_cast<const char *>(tiff), 2);
    if (order != "II" && order != "MM") {
        return 1;
    }
    const auto number = [&](size_t at, size_t count) {
        uint32_t value = 0;
        for (size_t i = 0; i < count; i++) {
            value = value << 8 | tiff[order == "MM" ? at + i : at + count - 1 - i];
        }
        return value;
    };
    const size_t directory = number(4, 4);
    if (directory > size - 2) {
        return 1;
    }
    const size_t entries = number(directory, 2);
    for (size_t i = 0; i < entries && directory + 2 + 12 * (i + 1) <= size; i++) {
        const size_t entry = directory + 2 + 12 * i;
        if (number(entry, 2) == orientation_tag && number(entry + 2, 2) == short_type) {
            const auto value = static_cast<int>(number(entry + 8, 2));
            return value >= 1 && value <= 8 ? value : 1;
        }
    }
    return 1;
}

namespace {

bool is_upright(int orientation) {
    return orientation <= 1 || orientation > 8;
}

// Whether the picture's rows are columns of the scene.
bool is_on_its_side(int orientation) {
    return orientation >= 5;
}

}  // namespace

double upright_bytes(int64_t w, int64_t h, int64_t pixel_bytes, int orientation) {
    return is_upright(orientation)     ? 0 :
           is_on_its_side(orientation) ? picture_bytes(h, w, pixel_bytes) :
                                         picture_bytes(w, h, pixel_bytes);
}

Array upright(const Array &image, int orientation) {
    if (is_upright(orientation)) {
        return image;
    }
    const bool is_transposed = is_on_its_side(orientation);
    const bool mirrors_x = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    const bool mirrors_y = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    std::vector<int64_t> shape = image.shape();
    const int64_t h = shape[0], w = shape[1];
    if (is_transposed) {
        std::swap(shape[0], shape[1]);
    }
    Array result = Array::uninitialized(image.type(), shape);
    const auto pixel = static_cast<int64_t>(size_of(image.type())) * (shape.size() == 3 ? shape[2] : 1);
    const int64_t from_pitch = image.strides()[0] * static_cast<int64_t>(size_of(image.type()));
    const int64_t to_pitch = result.strides()[0] * static_cast<int64_t>(size_of(image.type()));
    const auto *from = static_cast<const uint8_t *>(image.data());
    auto *to = static_cast<uint8_t *>(result.data());
    for (int64_t y = 0; y < shape[0]; y++) {
        for (int64_t x = 0; x < shape[1]; x++) {
            int64_t from_y = is_transposed ? x : y, from_x = is_transposed ? y : x;
            from_y = mirrors_y ? h - 1 - from_y : from_y;
            from_x = mirrors_x ? w - 1 - from_x : from_x;
            std::memcpy(to + y * to_pitch + x * pixel, from + from_y * from_pitch + from_x * pixel,
                static_cast<size_t>(pixel));
        }
    }
    return result;
}

}  // namespace tilewright
