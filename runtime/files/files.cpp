#include "tilewright/files.h"
#include "runtime/files/input_file.h"
#include <algorithm>
#include <filesystem>

namespace tilewright {

namespace {

enum class Kind { png, npy };

// The kind that a path's ending names.
Kind kind_of(const std::string &path) {
    std::string ending = std::filesystem::path(path).extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
    if (ending == ".png") {
        return Kind::png;
    }
    if (ending == ".npy") {
        return Kind::npy;
    }
    Place place;
    place.value = path;
    throw Error(Fault::usage,
                "cannot write " + in_quotes(path) + ": " +
                    (ending.empty() ? "its name has no ending" : "the ending " + in_quotes(ending) + " is not known") +
                    "; end it in .png (u8, u16) or .npy (any type)",
                place);
}

}  // namespace

Array read_array(const std::string &path, PngMetadata *metadata, const FileLimits &limits) {
    uint8_t first = 0;
    InputFile file(path, InputFile::Kinds::regular);
    if (file.read(&first, 1) != 1) {
        file.refuse_truncated();
    }
    if (first == 0x93) {
        if (metadata != nullptr) {
            *metadata = {};
        }
        return read_npy(path, limits.npy);
    }
    if (first != 0x89) {
        file.refuse("it is neither a PNG nor an .npy file", "convert it to one of them first");
    }
    Png png = read_png(path, limits.png);
    if (metadata != nullptr) {
        *metadata = std::move(png.metadata);
    }
    return std::move(png.pixels);
}

void write_array(const std::string &path, const Array &array, const PngMetadata &metadata) {
    if (kind_of(path) == Kind::png) {
        write_png(path, array, metadata);
    } else {
        write_npy(path, array);
    }
}

void check_output(const std::string &path) {
    kind_of(path);
    check_writable(path);
}

void check_output(const std::string &path, Type type, const std::vector<int64_t> &shape) {
    if (kind_of(path) == Kind::png) {
        check_png(type, shape);
    }
    check_writable(path);
}

}  // namespace tilewright
