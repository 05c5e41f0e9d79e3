#pragma once
// The writers of each kind of file, by rows. Each writes a file that is whole or absent (output_file.h);
// `check_...` refuses what its format cannot hold before there is a file. Not installed.
#include "tilewright/array.h"
#include "tilewright/files.h"
#include "tilewright/png.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

// Of an image (h, w) or (h, w, c).
inline int channels_of(const std::vector<int64_t> &shape) {
    return shape.size() == 3 ? static_cast<int>(shape[2]) : 1;
}

inline int64_t pixel_bytes_of(Type type, const std::vector<int64_t> &shape) {
    return channels_of(shape) * static_cast<int64_t>(size_of(type));
}

// The bytes of a row of such an image, without those that only fill up to its stride.
inline int64_t row_bytes_of(Type type, const std::vector<int64_t> &shape) {
    return shape[1] * pixel_bytes_of(type, shape);
}

// How a file is written.
struct WriteOptions {
    PngMetadata metadata = {};            // of a picture
    std::optional<int> compression = {};  // of PNG and TIFF, as write_array() takes it
};

// A file that is being written. Without finish() it leaves nothing.
class RowWriter {
public:
    RowWriter() = default;
    virtual ~RowWriter() = default;
    RowWriter(const RowWriter &) = delete;
    RowWriter &operator=(const RowWriter &) = delete;

    // Writes the next rows; of a vector, its next elements. Errors: failed, memory.
    virtual void write(const Array &rows) = 0;

    // Completes the file, which has all its rows. Errors: failed, memory.
    virtual void finish() = 0;
};

// Each begins a file of an array of that type and shape. Errors: usage, failed, memory.
using CreateWriter = std::unique_ptr<RowWriter>(
    const std::string &path, Type type, const std::vector<int64_t> &shape, const WriteOptions &options);

inline void write_whole(
    CreateWriter *create, const std::string &path, const Array &array, const WriteOptions &options) {
    const std::unique_ptr<RowWriter> writer = create(path, array.type(), array.shape(), options);
    writer->write(array);
    writer->finish();
}

// The same of a kind, after its checks. Errors: usage, failed, memory.
std::unique_ptr<RowWriter> create_file(FileKind kind, const std::string &path, Type type,
    const std::vector<int64_t> &shape, const WriteOptions &options);

CreateWriter create_png, create_npy;

// u8 images (h, w) and (h, w, 3), with their density and ICC profile.
void check_jpeg(Type type, const std::vector<int64_t> &shape);
CreateWriter create_jpeg;

// What PNG holds, with density and ICC profile.
void check_tiff(Type type, const std::vector<int64_t> &shape);
CreateWriter create_tiff;

// Vectors and matrices of real numbers: one row per line, with commas or blanks between numbers.
void check_text(Type type, const std::vector<int64_t> &shape);
CreateWriter create_csv, create_txt;

}  // namespace tilewright
