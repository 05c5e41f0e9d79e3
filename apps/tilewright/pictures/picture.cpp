// Reads images with their alpha, and brings results into the form that is written.
#include "apps/tilewright/pictures/picture.h"
#include "apps/tilewright/pictures/input_and_output.h"
#include "tilewright/alpha.h"
#include <fmt/format.h>

namespace tilewright::app {

std::string Picture::describe() const {
    return fmt::format("{} is {}", path, array.describe());
}

Picture read_picture(const std::string &path, const FileLimits &limits, Device device, RowsOfFile *opened) {
    const bool pinned = device.backend == Backend::cuda;
    FileContents file =
        opened ? opened->whole(limits, pinned) : read_file(path_of_input(path), limits, pinned);
    return {.path = path == "-" ? "standard input" : path,
        .kind = file.kind,
        .array = std::move(file.array),
        .metadata = std::move(file.metadata),
        .has_alpha = file.has_alpha,
        .is_one_line = file.is_one_line,
        .orientation = file.orientation};
}

std::string word_for_settings(FileKind kind) {
    return is_picture(kind) ? "png" : "npy";
}

// Whether an output of that shape is still an image with the alpha of the picture.
static bool keeps_alpha(const Picture &picture, const std::vector<int64_t> &shape) {
    return picture.has_alpha && shape.size() == 3 && shape[2] == picture.array.shape()[2];
}

Type type_in_file(const Picture &picture, Type type, const std::vector<int64_t> &shape) {
    return keeps_alpha(picture, shape) ? picture.array.type() : type;
}

Array array_for_file(const Operator &op, const Picture &picture, const Array &input, const Array &output) {
    if (!keeps_alpha(picture, output.shape())) {
        return output;
    }
    return op.treats_alpha_as_colour() ? with_alpha_of(output, input) :
                                         op.unpremultiplied(output, picture.array.type());
}

}  // namespace tilewright::app
