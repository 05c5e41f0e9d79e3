#pragma once
#include "tilewright/files.h"
#include "tilewright/operator.h"
#include <string>
#include <vector>

// Images between files and operators: alpha is the last channel of a PNG that has one, and means the same in the result.
namespace tilewright::app {

struct Picture {
    std::string path;
    Array array;
    PngMetadata metadata;
    bool has_alpha = false;
};

Picture read_picture(const std::string &path, const FileLimits &limits);

// "png" or "npy": what the ending of an output's name says, in either case.
std::string kind_of_file(const std::string &path);

// The arrays that the operator gets: those of the pictures, the first one's colours multiplied by its alpha where the operator
// asks for it. Errors: those of Operator::type_of, with the files' names.
std::vector<Array> arrays_for(const Operator &op, const std::vector<Picture> &pictures, const Settings &settings);

// The array for the file of what became of the first picture, and its type before there is one.
Type type_in_file(const Picture &picture, Type type, const std::vector<int64_t> &shape);
Array array_for_file(const Operator &op, const Picture &picture, const Array &output);

}  // namespace tilewright::app
