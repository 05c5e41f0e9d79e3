// Reads images with their alpha, and brings results into the form that is written.
#include "apps/tilewright/support/picture.h"
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>

namespace tilewright::app {

namespace {

int64_t channels_of(const std::vector<int64_t> &shape) {
    return shape.size() == 3 ? shape[2] : 1;
}

}  // namespace

Picture read_picture(const std::string &path, const FileLimits &limits, Device device) {
    Picture picture;
    picture.path = path;
    FileContents file = read_file(path, limits, device.backend == Backend::cuda);
    picture.array = std::move(file.array);
    picture.metadata = std::move(file.metadata);
    const int64_t channels = channels_of(picture.array.shape());
    picture.has_alpha = (channels == 2 || channels == 4) && file.is_png;
    return picture;
}

std::string kind_of_file(const std::string &path) {
    std::string ending = std::filesystem::path(path).extension().string();
    std::transform(
        ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return (char)std::tolower(c); });
    return ending == ".png" ? "png" : "npy";
}

std::vector<Array> arrays_for(
    const Operator &op, const std::vector<Picture> &pictures, const Settings &settings) {
    std::vector<Array> arrays;
    std::vector<std::string> files;
    for (const Picture &picture : pictures) {
        arrays.push_back(picture.array);
        files.push_back(fmt::format("{} is {}", picture.path, picture.array.describe()));
    }
    try {
        op.type_of(arrays, settings);
    } catch (const Error &error) {
        if (error.fault() != Fault::input) {
            throw;
        }
        throw Error(Fault::input, fmt::format("{} ({})", error.what(), fmt::join(files, ", ")));
    }
    if (pictures.front().has_alpha) {
        arrays.front() = op.premultiplied(arrays.front());
    }
    return arrays;
}

// Whether an output of that shape is still an image with the alpha of the picture.
static bool keeps_alpha(const Picture &picture, const std::vector<int64_t> &shape) {
    return picture.has_alpha && shape.size() == 3 && channels_of(shape) == channels_of(picture.array.shape());
}

Type type_in_file(const Picture &picture, Type type, const std::vector<int64_t> &shape) {
    return keeps_alpha(picture, shape) ? picture.array.type() : type;
}

Array array_for_file(const Operator &op, const Picture &picture, const Array &output) {
    return keeps_alpha(picture, output.shape()) ? op.unpremultiplied(output, picture.array.type()) : output;
}

}  // namespace tilewright::app
