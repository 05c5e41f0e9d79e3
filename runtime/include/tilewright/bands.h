#pragma once
#include "tilewright/files.h"
#include "tilewright/pipeline.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>
#pragma GCC visibility push(default)

// Images that are larger than memory: a pipeline works on bands of their rows, one after another.
//
//     const auto from = rows_of_file("scan.tif");
//     const auto to = rows_to_file("blurred.tif", FileKind::tiff, from->about().metadata);
//     process(*from, *to, Pipeline("gaussian_blur sigma=3"), {.memory = 200 << 20});
namespace tilewright {

// Where the rows of an image come from: a file, or a class of the program's own (a camera, a socket). All its
// functions are called on one thread at a time, which need not be that of process().
class RowSource {
public:
    virtual ~RowSource() = default;

    // The type of the image, and its shape: (h, w) or (h, w, c).
    virtual Type type() const = 0;
    virtual std::vector<int64_t> shape() const = 0;

    // Fills `rows`, (n, w) or (n, w, c), with the next n rows. All of them together are the h rows of the
    // image. What it throws ends process() and leaves it as it is.
    virtual void read(Array &rows) = 0;
};

// Where the rows of a result go.
class RowSink {
public:
    virtual ~RowSink() = default;

    // Called once before the first rows: the type and the shape of the whole result, (h, w), (h, w, c) or, of
    // sums, (n) or (n, c).
    virtual void begin(Type type, const std::vector<int64_t> &shape) = 0;

    // The next rows of it; of (n), its next elements. The array may be kept.
    virtual void write(const Array &rows) = 0;

    // Called once after the last rows. Where process() ends with an error it is not called, and the
    // destructor should leave nothing behind.
    virtual void finish() = 0;
};

// The rows of a file.
class RowsOfFile : public RowSource {
public:
    // What the file holds besides its rows; the array is empty. The rows are as they are stored: a picture
    // whose orientation is not 1 is not turned upright.
    virtual const FileContents &about() const = 0;

    // The whole file as read_file() gives it, in place of rows and once, so that a program that has looked at
    // the shape need not open it again. Of `limits` those of pictures. Errors: those of read_file(); usage,
    // where it was read so before, of read() too.
    virtual FileContents whole(const FileLimits &limits = {}, bool pinned = false) = 0;
};

// Opens a picture or an .npy file, whose rows are read as they are asked for. Values are those of
// read_file(). `memory`: the most bytes for what cannot be read by rows and is decoded as a whole (interlaced
// PNG, JPEG in several scans, TIFF with separate planes, colours that libtiff converts, .npy in Fortran
// order); of `limits`, those of bytes are not asked. Errors: those of read_file(); input, for text, for
// vectors, and for a file that takes more memory as a whole; usage, of read(), for rows of another type or
// shape, and for more rows than are left.
std::unique_ptr<RowsOfFile> rows_of_file(
    const std::string &path, const FileLimits &limits = {}, int64_t memory = int64_t(1) << 30);

// A file of that kind, which gets the rows as they come. It is whole or absent, as with write_array(), and
// has the same bytes; `metadata` and `compression` are as there. Errors, of begin(), write() and finish():
// those of write_array(); usage, for rows of another type or shape, more rows than begin() was told, and a
// finish() before all of them.
std::unique_ptr<RowSink> rows_to_file(
    std::string path, FileKind kind, PngMetadata metadata = {}, std::optional<int> compression = {});

// What process() would need of an image.
struct BandsNeeded {
    Type type = Type::u8;        // of the result
    std::vector<int64_t> shape;  // of the result
    double least_memory = 0;     // bytes of the smallest bands
    double whole_memory = 0;     // bytes of the image, the result and what is between them
    std::string why_not;         // why the pipeline needs the image as a whole; empty: it works by bands

    // Why process() refuses so many bytes; empty where it does not.
    std::string why_not_within(int64_t memory) const;
};

// How process() works.
struct BandOptions {
    // Bytes for all bands that are held at a time: read, computed, and written. The program itself and a
    // reader's buffers come on top, up to 40 MB.
    int64_t memory = int64_t(256) << 20;
    // Of the pipeline; `progress` is asked between two bands, on the thread of the call.
    PipelineCall call = {};
    // The folder of a file without a name that holds what a transpose makes, as many bytes as the image.
    // Empty: that of temporary files ($TMPDIR, or /tmp).
    std::string scratch = {};
};

// What process() did.
struct BandsDone {
    int64_t bands = 0, rows = 0;  // how many, and how many rows the first one gave
    Device device;                // where the last one was computed
};

// What process() would need, for an image of that type and shape. Errors: those of the pipeline's operators
// for the whole image; input, for what is no (h, w) or (h, w, c).
BandsNeeded bands_needed(
    Type type, const std::vector<int64_t> &shape, const Pipeline &pipeline, const PipelineCall &call = {});

// Reads, computes and writes an image in bands of rows, the three at the same time. Operators on pixels and
// blurs work by bands, and so do row_sum, column_sum and transpose (Operator::bands()). The result has the
// bytes that the pipeline gives for the whole image, wherever the pipeline gives the same bytes on every
// device; sums of floats may differ in their last digits.
//
// Errors: those of source, sink and pipeline; usage, for a pipeline that needs the whole image, and for less
// memory than the smallest band takes: both say how much would do; failed, where the scratch file cannot be
// written; cancelled, by `progress`.
BandsDone process(
    RowSource &source, RowSink &sink, const Pipeline &pipeline, const BandOptions &options = {});

}  // namespace tilewright
#pragma GCC visibility pop
