#pragma once
// Arrays on their way from files to operators and back. Alpha is the last channel of a picture that has
// alpha, and of its result.
#include "tilewright/bands.h"
#include "tilewright/files.h"
#include "tilewright/operator.h"
#include <string>
#include <vector>

namespace tilewright::app {

struct Picture {
    std::string path;
    FileKind kind = FileKind::npy;
    Array array;
    PngMetadata metadata;
    bool has_alpha = false;
    bool is_one_line = false;  // of text that is a vector: all its numbers are in one line
    int orientation = 1;       // as it was stored; the array is upright

    // "photo.png is u8 (480, 640, 3)"
    std::string describe() const;
};

// `path` may be "-", which is standard input. `device`: where the picture will be used; for CUDA it is read
// into page-locked memory. `opened`: the file, where it is open already.
Picture read_picture(
    const std::string &path, const FileLimits &limits, Device device = {}, RowsOfFile *opened = nullptr);

// "png" for the kinds of pictures, and "npy" for the others: what Operator::settings_for is told.
std::string word_for_settings(FileKind kind);

// The array that is written for a result of the first picture, of which the operator got `input`, and the
// type of that array, which is known before there is a result.
Type type_in_file(const Picture &picture, Type type, const std::vector<int64_t> &shape);
Array array_for_file(const Operator &op, const Picture &picture, const Array &input, const Array &output);

}  // namespace tilewright::app
