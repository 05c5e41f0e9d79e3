#pragma once
// Images on their way from files to operators and back. Alpha is the last channel of a PNG that has alpha,
// and of its result.
#include "tilewright/files.h"
#include "tilewright/operator.h"
#include <string>
#include <vector>

namespace tilewright::app {

struct Picture {
    std::string path;
    Array array;
    PngMetadata metadata;
    bool has_alpha = false;
};

// `device`: where the picture will be used; for CUDA it is read into page-locked memory.
Picture read_picture(const std::string &path, const FileLimits &limits, Device device = {});

// "png" or "npy", by the ending of the name of an output in small or capital letters.
std::string kind_of_file(const std::string &path);

// The arrays for the operator: those of the pictures. The colours of the first one are multiplied by its
// alpha where the operator asks for that. Errors: those of Operator::type_of, with the names of the files.
std::vector<Array> arrays_for(
    const Operator &op, const std::vector<Picture> &pictures, const Settings &settings);

// The array that is written for a result of the first picture, and the type of that array, which is known
// before there is a result.
Type type_in_file(const Picture &picture, Type type, const std::vector<int64_t> &shape);
Array array_for_file(const Operator &op, const Picture &picture, const Array &output);

}  // namespace tilewright::app
