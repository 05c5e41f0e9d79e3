#pragma once
// The writers of pictures other than PNG, and of text. Each writes a file that is whole or absent
// (output_file.h); `check_...` refuses what its format cannot hold before there is a file. Not installed.
#include "tilewright/array.h"
#include "tilewright/png.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tilewright {

// Of an image (h, w) or (h, w, c).
inline int channels_of(const Array &image) {
    return image.dimensions() == 3 ? static_cast<int>(image.shape()[2]) : 1;
}

// The bytes of a row of such an image, without those that only fill up to its stride.
inline int64_t row_bytes_of(const Array &image) {
    return image.shape()[1] * channels_of(image) * static_cast<int64_t>(size_of(image.type()));
}

// u8 images (h, w) and (h, w, 3), with their density and ICC profile. Errors: usage, failed, memory.
void check_jpeg(Type type, const std::vector<int64_t> &shape);
void write_jpeg(const std::string &path, const Array &image, const PngMetadata &metadata);

// What PNG holds, with density and ICC profile. Errors: usage, failed, memory.
void check_tiff(Type type, const std::vector<int64_t> &shape);
void write_tiff(const std::string &path, const Array &image, const PngMetadata &metadata);

// Vectors and matrices of real numbers: one row per line. Errors: usage, failed, memory.
void check_text(Type type, const std::vector<int64_t> &shape);
void write_text(const std::string &path, const Array &array, char separator);

}  // namespace tilewright
