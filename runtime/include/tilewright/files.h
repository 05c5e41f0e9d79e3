#pragma once
#include "tilewright/npy.h"
#include "tilewright/png.h"
#include <string>

// Arrays in PNG and .npy files, and the checks of inputs and outputs that a program should make before a long
// computation.
namespace tilewright {

// What a file may hold before it is refused.
struct FileLimits {
    PngLimits png;
    NpyLimits npy;
};

// What a file held.
struct FileContents {
    Array array;
    bool is_png = false;
    PngMetadata metadata = {};  // of a PNG
};

// Reads a PNG or .npy file; its first byte tells which. The file is opened once. `pinned`: into page-locked
// memory (Array::pinned), for a CUDA device.
// Errors: input, when the file is neither or no regular file (a pipe), and those of read_png and read_npy.
FileContents read_file(const std::string &path, const FileLimits &limits = {}, bool pinned = false);

// The array alone. `metadata`, when given, receives the PNG's, and is reset for .npy. Errors: as above.
Array read_array(const std::string &path, PngMetadata *metadata = nullptr, const FileLimits &limits = {});

// Writes a PNG or .npy file; the ending of `path` tells which (.png or .npy, in either case). .npy has no
// metadata. The file is whole or absent: it gets its name when it is complete. An older file of that name is
// replaced, not changed. Its permissions pass on to the new file, and its owner and group where the user may
// give files away; access control lists do not, and other hard links to the older file keep the older
// content. A symbolic link stays, and the file that it leads to is written.
//
// Errors: usage, for another ending, and those of write_png and write_npy.
void write_array(const std::string &path, const Array &array, const PngMetadata &metadata = {});

// Checks an output path early: that write_array knows its ending, and that a file can be written there. The
// second form also checks that the file can hold such an array (no f32 in a PNG). Leaves nothing behind, and
// an existing file unchanged.
//
// Errors: usage, for the ending, type or shape; failed, with the reason, when no file can be written there;
// memory.
void check_output(const std::string &path);
void check_output(const std::string &path, Type type, const std::vector<int64_t> &shape);

// Checks that a file can be written at `path`, whatever its ending. Errors: failed, with the reason; memory.
void check_writable(const std::string &path);

// Whether both paths lead to one file, however they are written and through whatever links. A file that does
// not exist yet is the same as itself.
bool same_file(const std::string &a, const std::string &b);

// Removes the temporary files that unfinished writes of this process have made beside their outputs. For a
// handler of signals that end the program: it is async-signal-safe.
void remove_pending_outputs() noexcept;

}  // namespace tilewright
