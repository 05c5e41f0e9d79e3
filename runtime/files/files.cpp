// Files of every kind: finds the kind of a file, and gives the file to its reader or writer.
#include "tilewright/files.h"
#include "runtime/errors/leaving.h"
#include "runtime/files/file_errors.h"
#include "runtime/files/output/destination.h"
#include "runtime/files/output/folder_entry.h"
#include "runtime/files/output/output_file.h"
#include "runtime/files/pictures/orientation.h"
#include "runtime/files/readers.h"
#include "runtime/files/writers.h"
#include "tilewright/error.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <utility>

namespace tilewright {

namespace {

using Shape = std::vector<int64_t>;

// A kind of files: its names, and how arrays are written to it.
struct Kind {
    FileKind kind;
    const char *name;
    std::string_view ending;        // of new files
    std::string_view other_ending;  // which means the kind too
    void (*check)(Type type, const Shape &shape);
    void (*write)(const std::string &path, const Array &array, const PngMetadata &metadata);
};

constexpr Kind known_kinds[] = {
    {FileKind::png, "png", ".png", ".png", check_png, write_png},
    {FileKind::jpeg, "jpeg", ".jpg", ".jpeg", check_jpeg, write_jpeg},
    {FileKind::tiff, "tiff", ".tif", ".tiff", check_tiff, write_tiff},
    {FileKind::npy, "npy", ".npy", ".npy", [](Type, const Shape &) {},
        [](const std::string &path, const Array &array, const PngMetadata &) { write_npy(path, array); }},
    {FileKind::csv, "csv", ".csv", ".csv", check_text,
        [](const std::string &path, const Array &array, const PngMetadata &) {
            write_text(path, array, ',');
        }},
    {FileKind::txt, "txt", ".txt", ".txt", check_text,
        [](const std::string &path, const Array &array, const PngMetadata &) {
            write_text(path, array, ' ');
        }},
};

const Kind &kind_of(FileKind kind) {
    return *std::find_if(std::begin(known_kinds), std::end(known_kinds),
        [&](const Kind &known) { return known.kind == kind; });
}

// In small letters.
std::string small(std::string text) {
    std::transform(
        text.begin(), text.end(), text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
    return text;
}

std::string ending_of(const std::string &path) {
    return small(std::filesystem::path(path).extension().string());
}

// The kind of file that a path's ending names. Errors: usage, for another ending.
FileKind expected_kind_of(const std::string &path) {
    if (const std::optional<FileKind> kind = kind_of_name(path)) {
        return *kind;
    }
    const std::string ending = ending_of(path);
    const std::string why =
        ending.empty() ? "its name has no ending" : "the ending " + in_quotes(ending) + " is not known";
    throw Error(Fault::usage,
        fmt::format(
            "cannot write {}: {}; end it in .png (u8, u16) or .npy (any type), .jpg, .tif, .csv or .txt",
            in_quotes(path), why),
        {.value = path});
}

// Whether a text of numbers may begin so: with a number, a comment, a blank or a mark of UTF-8.
bool begins_like_text(const std::string &first) {
    const std::string word = small(first.substr(0, 3));
    return first.find_first_of("0123456789#+-. \t\r\n") == 0 || word == "nan" || word == "inf" ||
           word == "\xef\xbb\xbf";
}

// The kind that a file's first bytes say; nothing for none of ours. Text is told by the file's name, or by
// its beginning.
std::optional<FileKind> kind_of_content(const std::string &first, const std::string &path) {
    using namespace std::string_view_literals;
    if (first.starts_with('\x89')) {
        return FileKind::png;
    }
    if (first.starts_with('\x93')) {
        return FileKind::npy;
    }
    if (first.starts_with("\xff\xd8")) {
        return FileKind::jpeg;
    }
    for (const std::string_view start : {"II*\0"sv, "MM\0*"sv, "II+\0"sv, "MM\0+"sv}) {
        if (first == start) {
            return FileKind::tiff;
        }
    }
    const std::string ending = ending_of(path);
    if (ending == ".txt") {
        return FileKind::txt;
    }
    return ending == ".csv" || begins_like_text(first) ? std::optional(FileKind::csv) : std::nullopt;
}

FileContents contents_of(StoredPicture picture, FileKind kind) {
    FileContents contents = {.array = upright(picture.pixels, picture.orientation),
        .kind = kind,
        .has_alpha = picture.has_alpha,
        .orientation = picture.orientation,
        .metadata = std::move(picture.metadata)};
    if (picture.orientation >= 5 && contents.metadata.density) {
        std::swap(contents.metadata.density->x, contents.metadata.density->y);
    }
    return contents;
}

}  // namespace

const char *name_of(FileKind kind) {
    return kind_of(kind).name;
}

const char *ending_of(FileKind kind) {
    return kind_of(kind).ending.data();
}

std::optional<FileKind> kind_of_name(const std::string &path) {
    const std::string ending = ending_of(path);
    for (const Kind &known : known_kinds) {
        if (ending == known.ending || ending == known.other_ending) {
            return known.kind;
        }
    }
    return std::nullopt;
}

FileContents read_file(const std::string &path, const FileLimits &limits, bool pinned) try {
    MakeArray *const make = pinned ? Array::pinned : Array::uninitialized;
    InputFile file(path, InputFile::Kinds::regular);
    const std::string first = file.peek();
    if (first.empty()) {
        file.refuse_truncated();
    }
    const std::optional<FileKind> kind = kind_of_content(first, path);
    if (!kind) {
        file.refuse("it is neither a PNG nor an .npy file, and no JPEG, TIFF or text of numbers",
            "convert it to one of them first");
    }
    switch (*kind) {
    case FileKind::png: return contents_of(read_png(file, limits.png, make), *kind);
    case FileKind::jpeg: return contents_of(read_jpeg(file, limits.png), *kind);
    case FileKind::tiff: return contents_of(read_tiff(file, limits.png), *kind);
    case FileKind::npy: return {.array = read_npy(file, limits.npy, make)};
    case FileKind::csv:
    case FileKind::txt: break;
    }
    bool is_one_line = false;
    Array numbers = read_text(file, limits.npy, is_one_line);
    return {.array = std::move(numbers), .kind = *kind, .is_one_line = is_one_line};
} catch (...) {
    leave_with_error([] { return "read_file"; });
}

Array read_array(const std::string &path, PngMetadata *metadata, const FileLimits &limits) {
    FileContents contents = read_file(path, limits);
    if (metadata != nullptr) {
        *metadata = std::move(contents.metadata);
    }
    return std::move(contents.array);
}

void write_array(const std::string &path, const Array &array, const PngMetadata &metadata) try {
    write_array(path, expected_kind_of(path), array, metadata);
} catch (...) {
    leave_with_error([] { return "write_array"; });
}

void write_array(
    const std::string &path, FileKind kind, const Array &array, const PngMetadata &metadata) try {
    kind_of(kind).write(path, array, metadata);
} catch (...) {
    leave_with_error([] { return "write_array"; });
}

void check_kind(FileKind kind, Type type, const std::vector<int64_t> &shape) {
    kind_of(kind).check(type, shape);
}

void check_output(const std::string &path) {
    expected_kind_of(path);
    check_writable(path);
}

void check_output(const std::string &path, Type type, const std::vector<int64_t> &shape) {
    check_kind(expected_kind_of(path), type, shape);
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
    if (!entry_a || !entry_b || fstat(*entry_a->folder, &about_a) != 0 ||
        fstat(*entry_b->folder, &about_b) != 0) {
        return a == b;  // neither folder exists
    }
    return about_a.st_dev == about_b.st_dev && about_a.st_ino == about_b.st_ino &&
           entry_a->name == entry_b->name;
}

}  // namespace tilewright
