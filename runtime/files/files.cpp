// Files of every kind: finds the kind of a file, and gives the file to its reader or writer.
#include "tilewright/files.h"
#include "runtime/arrays/copy.h"
#include "runtime/errors/leaving.h"
#include "runtime/files/file_errors.h"
#include "runtime/files/output/destination.h"
#include "runtime/files/output/folder_entry.h"
#include "runtime/files/output/output_file.h"
#include "runtime/files/pictures/orientation.h"
#include "runtime/files/pictures/picture_limits.h"
#include "runtime/files/readers.h"
#include "runtime/files/rows_in_order.h"
#include "runtime/files/writers.h"
#include "tilewright/bands.h"
#include "tilewright/error.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <memory>
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
    CreateWriter *create;
};

constexpr Kind known_kinds[] = {
    {FileKind::png, "png", ".png", ".png", check_png, create_png},
    {FileKind::jpeg, "jpeg", ".jpg", ".jpeg", check_jpeg, create_jpeg},
    {FileKind::tiff, "tiff", ".tif", ".tiff", check_tiff, create_tiff},
    {FileKind::npy, "npy", ".npy", ".npy", [](Type, const Shape &) {}, create_npy},
    {FileKind::csv, "csv", ".csv", ".csv", check_text, create_csv},
    {FileKind::txt, "txt", ".txt", ".txt", check_text, create_txt},
};

const Kind &kind_of(FileKind kind) {
    const Kind *const known = std::ranges::find(known_kinds, kind, &Kind::kind);
    return known != std::end(known_kinds) ?
               *known :
               throw Error(Fault::usage, "takes png, jpeg, tiff, npy, csv or txt", {.argument = "kind"});
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

// What is known of a picture before its pixels.
FileContents contents_of(RowReader &reader, FileKind kind) {
    return {.array = {},
        .kind = kind,
        .has_alpha = reader.has_alpha,
        .orientation = reader.orientation,
        .metadata = std::move(reader.metadata)};
}

// All of it. `pinned`: as read_file() takes it.
FileContents contents_of(
    InputFile &file, std::unique_ptr<RowReader> reader, FileKind kind, const PngLimits &limits, bool pinned) {
    const bool may_be_pinned = kind == FileKind::png || kind == FileKind::npy;
    MakeArray *const make = pinned && may_be_pinned ? Array::pinned : Array::uninitialized;
    if (kind == FileKind::npy) {
        Array array = make(reader->type, reader->shape, Array::padded);
        reader->read(array);
        return {.array = std::move(array)};
    }
    const Array pixels = read_picture(*reader, file, limits, make);
    FileContents contents = contents_of(*reader, kind);
    contents.array = upright(pixels, reader->orientation);
    if (reader->orientation >= 5 && contents.metadata.density) {
        std::swap(contents.metadata.density->x, contents.metadata.density->y);
    }
    return contents;
}

// The kind of a file that is open. Errors: input.
FileKind kind_of_file(InputFile &file) {
    const std::string first = file.peek();
    if (first.empty()) {
        file.refuse_truncated();
    }
    const std::optional<FileKind> kind = kind_of_content(first, file.path());
    if (!kind) {
        const bool is_zip = first.starts_with("PK\3\4");
        file.refuse(is_zip ? "it is a ZIP archive, as .npz files are" :
                             "it is neither a PNG nor an .npy file, and no JPEG, TIFF or text of numbers",
            is_zip ? "save one of its arrays by numpy.save" : "convert it to one of them first");
    }
    return *kind;
}

// Null for text.
std::unique_ptr<RowReader> open_reader(InputFile &file, FileKind kind, const FileLimits &limits) {
    switch (kind) {
    case FileKind::png: return open_png(file, limits.png);
    case FileKind::jpeg: return open_jpeg(file, limits.png);
    case FileKind::tiff: return open_tiff(file, limits.png);
    case FileKind::npy: return open_npy(file, limits.npy);
    default: return nullptr;
    }
}

double bytes_of(const RowReader &reader) {
    return picture_bytes(reader.shape[1], reader.shape[0], pixel_bytes_of(reader.type, reader.shape));
}

// The rows of a file as they come, or of the whole array, where they do not.
class FileRows final : public RowsOfFile {
public:
    FileRows(const std::string &path, const FileLimits &limits, int64_t memory)
        : file_(path, InputFile::Kinds::regular), limits_(limits) {
        const FileKind kind = kind_of_file(file_);
        limits_.png.bytes = limits_.npy.bytes = std::numeric_limits<int64_t>::max();
        reader_ = open_reader(file_, kind, limits_);
        if (!reader_ || reader_->shape.size() < 2) {
            file_.refuse(reader_ ? "it is a vector, which has no rows" : "text is not read by rows",
                "leave out --memory, or save an image");
        }
        const double bytes = static_cast<double>(file_.kept_bytes()) + reader_->decoding_bytes +
                             (reader_->is_by_rows ? reader_->buffer_bytes : bytes_of(*reader_));
        if (bytes > static_cast<double>(memory)) {
            file_.refuse(fmt::format("{} {:.0f} bytes of memory, and the limit is {}",
                             reader_->is_by_rows ? "decoding its rows takes" :
                                                   "it cannot be decoded row by row, and as a whole takes",
                             bytes, memory),
                "raise the limit (--memory)");
        }
        about_ = contents_of(*reader_, kind);
        order_.emplace(reader_->type, reader_->shape);
    }

    Type type() const override {
        return order_->type();
    }
    std::vector<int64_t> shape() const override {
        return order_->shape();
    }
    const FileContents &about() const override {
        return about_;
    }

    void read(Array &rows) override {
        check_open();
        const int64_t first = order_->take(rows);
        if (reader_->is_by_rows) {
            reader_->read(rows);
        } else {
            if (whole_.empty()) {
                whole_ = Array::uninitialized(type(), shape());
                reader_->read(whole_);
            }
            copy(whole_.crop(first, 0, rows.shape()[0], shape()[1]), rows);
        }
    }

    FileContents whole(const FileLimits &limits, bool pinned) override try {
        check_open();
        if (is_picture(about_.kind)) {
            check_picture_size(shape()[1], shape()[0], file_, limits.png);
        }
        reader_->metadata = about_.metadata;
        return contents_of(file_, std::move(reader_), about_.kind, limits.png, pinned);
    } catch (...) {
        leave_with_error([] { return "read_file"; });
    }

private:
    void check_open() const {
        if (!reader_) {
            throw Error(Fault::usage, "the file was read as a whole, once; open it again");
        }
    }

    InputFile file_;
    FileLimits limits_;
    std::unique_ptr<RowReader> reader_;
    FileContents about_;
    Array whole_;
    std::optional<RowsInOrder> order_;
};

void check_compression(FileKind kind, std::optional<int> compression) {
    const auto refuse = [&](const std::string &why) {
        throw Error(Fault::usage, why,
            {.operation = "write", .argument = "compression", .value = std::to_string(*compression)});
    };
    if (compression && kind != FileKind::png && kind != FileKind::tiff) {
        refuse(fmt::format("files of the kind {} have no level of compression; leave it out, or write PNG or "
                           "TIFF",
            name_of(kind)));
    }
    if (compression && (*compression < 0 || *compression > 9)) {
        refuse("it is 0, not compressed, to 9, the smallest file");
    }
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
    InputFile file(path, InputFile::Kinds::regular);
    const FileKind kind = kind_of_file(file);
    if (std::unique_ptr<RowReader> reader = open_reader(file, kind, limits)) {
        return contents_of(file, std::move(reader), kind, limits.png, pinned);
    }
    bool is_one_line = false;
    Array numbers = read_text(file, limits.npy, is_one_line);
    return {.array = std::move(numbers), .kind = kind, .is_one_line = is_one_line};
} catch (...) {
    leave_with_error([] { return "read_file"; });
}

Array read_picture(RowReader &reader, InputFile &file, const PngLimits &limits, MakeArray *make) {
    const int64_t h = reader.shape[0], w = reader.shape[1], pixel = pixel_bytes_of(reader.type, reader.shape);
    check_picture_memory(w, h,
        static_cast<double>(file.kept_bytes()) + bytes_of(reader) +
            std::max(reader.decoding_bytes, upright_bytes(w, h, pixel, reader.orientation)),
        file, limits);
    Array pixels = make(reader.type, reader.shape, Array::padded);
    reader.read(pixels);
    return pixels;
}

std::unique_ptr<RowsOfFile> rows_of_file(
    const std::string &path, const FileLimits &limits, int64_t memory) try {
    return std::make_unique<FileRows>(path, limits, memory);
} catch (...) {
    leave_with_error([] { return "rows_of_file"; });
}

std::unique_ptr<RowWriter> create_file(FileKind kind, const std::string &path, Type type,
    const std::vector<int64_t> &shape, const WriteOptions &options) {
    check_compression(kind, options.compression);
    return kind_of(kind).create(path, type, shape, options);
}

Array read_array(const std::string &path, PngMetadata *metadata, const FileLimits &limits) {
    FileContents contents = read_file(path, limits);
    if (metadata != nullptr) {
        *metadata = std::move(contents.metadata);
    }
    return std::move(contents.array);
}

void write_array(const std::string &path, const Array &array, const PngMetadata &metadata,
    std::optional<int> compression) try {
    write_array(path, expected_kind_of(path), array, metadata, compression);
} catch (...) {
    leave_with_error([] { return "write_array"; });
}

void write_array(const std::string &path, FileKind kind, const Array &array, const PngMetadata &metadata,
    std::optional<int> compression) try {
    check_compression(kind, compression);
    write_whole(kind_of(kind).create, path, array, {metadata, compression});
} catch (...) {
    leave_with_error([] { return "write_array"; });
}

void check_kind(FileKind kind, Type type, const std::vector<int64_t> &shape, std::optional<int> compression) {
    kind_of(kind).check(type, shape);
    check_compression(kind, compression);
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
