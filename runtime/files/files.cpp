#include "tilewright/files.h"
#include "runtime/files/destination.h"
#include "runtime/files/file_errors.h"
#include "runtime/files/folder_entry.h"
#include "runtime/files/output_file.h"
#include "runtime/files/readers.h"
#include "tilewright/error.h"
#include <algorithm>
#include <filesystem>
#include <optional>
#include <sys/stat.h>

namespace tilewright {

namespace {

enum class Kind { png, npy };

// The kind of file that a path's ending names. Errors: usage, for another ending.
Kind kind_of(const std::string &path) {
    std::string ending = std::filesystem::path(path).extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
        [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
    if (ending == ".png") {
        return Kind::png;
    }
    if (ending == ".npy") {
        return Kind::npy;
    }
    throw Error(Fault::usage,
        "cannot write " + in_quotes(path) + ": " +
            (ending.empty() ? "its name has no ending" :
                              "the ending " + in_quotes(ending) + " is not known") +
            "; end it in .png (u8, u16) or .npy (any type)",
        {.value = path});
}

}  // namespace

FileContents read_file(const std::string &path, const FileLimits &limits, bool pinned) {
    MakeArray *const make = pinned ? Array::pinned : Array::uninitialized;
    InputFile file(path, InputFile::Kinds::regular);
    const std::optional<uint8_t> first = file.peek();
    if (!first) {
        file.refuse_truncated();
    }
    if (*first == 0x93) {
        return {.array = read_npy(file, limits.npy, make)};
    }
    if (*first != 0x89) {
        file.refuse("it is neither a PNG nor an .npy file", "convert it to one of them first");
    }
    Png png = read_png(file, limits.png, make);
    return {.array = std::move(png.pixels), .is_png = true, .metadata = std::move(png.metadata)};
}

Array read_array(const std::string &path, PngMetadata *metadata, const FileLimits &limits) {
    FileContents contents = read_file(path, limits);
    if (metadata != nullptr) {
        *metadata = std::move(contents.metadata);
    }
    return std::move(contents.array);
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

void check_writable(const std::string &path) {
    // By a trial, because permissions do not tell of full disks, quotas and read-only file systems. A device
    // or a pipe is not opened: opening could wait for ever, or be noticed at its other end.
    if (destination_of(path).entry) {
        OutputFile(path).appear();
    }
}

bool same_file(const std::string &a, const std::string &b) {
    struct stat about_a = {}, about_b = {};
    const bool has_a = stat(a.c_str(), &about_a) == 0;
    const bool has_b = stat(b.c_str(), &about_b) == 0;
    if (has_a != has_b) {
        return false;
    }
    if (has_a) {
        return about_a.st_dev == about_b.st_dev && about_a.st_ino == about_b.st_ino;
    }
    const std::optional<FolderEntry> entry_a = FolderEntry::find(a), entry_b = FolderEntry::find(b);
    if (!entry_a || !entry_b || fstat(entry_a->folder, &about_a) != 0 ||
        fstat(entry_b->folder, &about_b) != 0) {
        return a == b;  // neither folder exists
    }
    return about_a.st_dev == about_b.st_dev && about_a.st_ino == about_b.st_ino &&
           entry_a->name == entry_b->name;
}

}  // namespace tilewright
