#pragma once
#include "tilewright/npy.h"
#include "tilewright/png.h"
#include <string>

// Arrays in files of either kind, and what a program should check before it computes for an hour.
namespace tilewright {

struct FileLimits {
    PngLimits png;
    NpyLimits npy;
};

// Reads a PNG or .npy file; what it is, its first bytes say. `metadata`, when given, receives the PNG's, and is reset for
// .npy. Errors: input, when it is neither, and those of read_png and read_npy.
Array read_array(const std::string &path, PngMetadata *metadata = nullptr, const FileLimits &limits = {});

// Writes a PNG or .npy file; which, the ending of `path` says (.png or .npy, in either case). .npy has no metadata.
// The file is whole or absent: it takes its name when it is complete. An older file of that name is replaced, not changed: its
// permissions pass on, and its owner and group where the user may give files away; access control lists do not, and other hard
// links to the older file keep the older content. A symbolic link stays, and what it leads to is written.
// Errors: usage, for another ending, and those of write_png and write_npy.
void write_array(const std::string &path, const Array &array, const PngMetadata &metadata = {});

// Checks an output path early: that write_array knows its ending, and that a file can be written there. The second form
// also checks that the file can hold such an array (no f32 in a PNG). Leaves nothing behind, and an existing file as it is.
// Errors: usage, for the ending, type or shape; failed, with the reason, when no file can be written there.
void check_output(const std::string &path);
void check_output(const std::string &path, Type type, const std::vector<int64_t> &shape);

// Checks that a file can be written at `path`, whatever its ending. Errors: failed, with the reason.
void check_writable(const std::string &path);

// Whether both paths lead to one file, however they are written and through whatever links. A file that is not there yet
// is the same as itself.
bool same_file(const std::string &a, const std::string &b);

// Removes what unfinished writes of this process have left beside their outputs. For a handler of signals that end the
// program: it is async-signal-safe.
void remove_pending_outputs() noexcept;

}  // namespace tilewright
