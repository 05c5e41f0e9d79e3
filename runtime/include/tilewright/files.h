#pragma once
#include "tilewright/npy.h"
#include "tilewright/png.h"
#include <optional>
#include <string>
#pragma GCC visibility push(default)

// Arrays in files, and the checks of inputs and outputs that a program should make before a long computation.
namespace tilewright {

// What a file is: a picture (PNG, JPEG, TIFF), NumPy's .npy, or numbers as text, with commas (csv) or blanks
// (txt) between those of a line. JPEG needs a build with libjpeg-turbo, and TIFF one with libtiff.
enum class FileKind { png, jpeg, tiff, npy, csv, txt };

// "png", "jpeg", "tiff", "npy", "csv", "txt".
const char *name_of(FileKind kind);

// Whether it is one of the three kinds of pictures.
inline bool is_picture(FileKind kind) {
    return kind == FileKind::png || kind == FileKind::jpeg || kind == FileKind::tiff;
}

// The ending of new files of the kind: ".png", ".jpg", ".tif", ".npy", ".csv", ".txt".
const char *ending_of(FileKind kind);

// The kind that the ending of a path names, in small or capital letters: .png, .jpg, .jpeg, .tif, .tiff,
// .npy, .csv, .txt. Nothing for another ending.
std::optional<FileKind> kind_of_name(const std::string &path);

// What a file may hold before it is refused: `png` limits every picture, and `npy` arrays and text. The bytes
// are those of memory that the reader takes at once, but for a few MiB and the metadata: of a JPEG in several
// scans, three times its pixels; of a picture that is turned upright, twice; of text, the text and its
// numbers.
struct FileLimits {
    PngLimits png;
    NpyLimits npy;
};

// What a file held.
struct FileContents {
    Array array;                    // its numbers or pixels
    FileKind kind = FileKind::npy;  // what kind of file it was
    bool has_alpha = false;         // of a picture: the last channel is alpha
    bool is_one_line = false;       // of text that is a vector: all its numbers are in one line
    int orientation = 1;        // of a picture: as it was stored (EXIF, TIFF), 1 to 8; the array is upright
    PngMetadata metadata = {};  // of a picture
};

// Reads a file of any kind; its first bytes tell which. The file is opened once. /dev/stdin is standard
// input, which may be a pipe.
//
//   PNG   as read_png.
//   JPEG  grey as (h, w), colours as (h, w, 3), u8. Damaged data and the colours of printing are refused.
//   TIFF  the first picture of the file. Grey and RGB of 8 and 16 bits, with and without alpha, in any order
//         of samples, as PNG's; grey of 1, 2 and 4 bits as u8 (h, w), white being 255; other kinds as 8-bit
//         RGB. Colours that were multiplied by alpha are divided. Alpha is what the file calls so: other
//         samples besides the colours are refused, and so are samples of another number of bits.
//   text  f64, in dense rows. One number per line, or a single line, is a vector (n); other files are
//         matrices (rows, columns). Commas, semicolons or blanks are between numbers; a file with commas and
//         semicolons is refused, because its numbers may have decimal commas. What follows # is a comment.
//         Lines end in LF, CR LF or CR.
//
// JPEG and TIFF pictures are turned upright, as their orientation says; a result has no orientation.
// Metadata of JPEG and TIFF are density and ICC profile.
//
// `pinned`: PNG and .npy files are read into page-locked memory (Array::pinned), for a CUDA device.
//
// Errors: input, when the file is of no such kind, broken, over a limit, or no regular file (a pipe that
// this process has open, /dev/fd/63, is taken); memory; those of read_png and read_npy.
FileContents read_file(const std::string &path, const FileLimits &limits = {}, bool pinned = false);

// The array alone. `metadata`, when given, receives the picture's, and is reset for other kinds. Errors: as
// above.
Array read_array(const std::string &path, PngMetadata *metadata = nullptr, const FileLimits &limits = {});

// Writes a file of the kind that the ending of `path` names, or of the given kind. /dev/stdout is standard
// output.
//
//   PNG         as write_png.
//   JPEG        u8 (h, w) and (h, w, 3), with quality 95 and full resolution of colours.
//   TIFF        what PNG holds, and f32 of 1 or 3 channels; compressed by deflate, in strips; alpha is not
//               multiplied into the colours.
//   .csv, .txt  vectors, one number per line, and matrices, one row per line, of real numbers; each number
//               has as many digits as bring back the same value.
//
// A picture's density and ICC profile are written to all three kinds; other files have no metadata. The file
// is whole or absent: it gets its name when it is complete. An older file of that name is replaced, not
// changed. Its permissions pass on to the new file, and its owner and group where the user may give files
// away; access control lists do not, and other hard links to the older file keep the older content. A
// symbolic link stays, and the file that it leads to is written.
//
// `compression`: of PNG and TIFF, 0, not compressed, to 9, the smallest file; levels are those of zlib.
// Unset, what is fast: ISA-L's level 1, where the build has that library, and zlib's 2 elsewhere. Every level
// gives the same pixels.
//
// Errors: usage, for another ending, for what the kind cannot hold, and for a compression that it does not
// have; failed, when the file cannot be written; memory.
void write_array(const std::string &path, const Array &array, const PngMetadata &metadata = {},
    std::optional<int> compression = {});
void write_array(const std::string &path, FileKind kind, const Array &array, const PngMetadata &metadata = {},
    std::optional<int> compression = {});

// Checks an output path early: that write_array knows its ending, and that a file can be written there. The
// second form also checks that the file can hold such an array (no f32 in a PNG). Leaves nothing behind, and
// an existing file unchanged.
//
// Errors: usage, for the ending, type or shape; failed, with the reason, when no file can be written there;
// memory.
void check_output(const std::string &path);
void check_output(const std::string &path, Type type, const std::vector<int64_t> &shape);

// Checks that a file of the kind can hold such an array, and has such a compression. Errors: usage, with the
// reason, when it cannot.
void check_kind(
    FileKind kind, Type type, const std::vector<int64_t> &shape, std::optional<int> compression = {});

// Checks that a file can be written at `path`, whatever its ending. Errors: failed, with the reason; memory.
void check_writable(const std::string &path);

// Whether both paths lead to one file, however they are written and through whatever links. A file that does
// not exist yet is the same as itself.
bool same_file(const std::string &a, const std::string &b);

// Removes the temporary files that unfinished writes of this process have made beside their outputs. For a
// handler of signals that end the program: it is async-signal-safe.
void remove_pending_outputs() noexcept;

}  // namespace tilewright
#pragma GCC visibility pop
