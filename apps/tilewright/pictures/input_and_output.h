#pragma once
// The two ends of a command: which file an input's word means, and which file and kind an output's word.
#include "tilewright/files.h"
#include <optional>
#include <string>
#include <vector>

namespace tilewright::app {

// The path of an input: /dev/stdin for "-".
std::string path_of_input(const std::string &word);

// The kind that a word of --format means: png, jpeg (jpg), tiff (tif), npy, csv, txt. Nothing for an empty
// word. Errors: usage.
std::optional<FileKind> format_of(const std::string &word);

// An output of one call. What has no ending that names a kind (standard output, /dev/null) gets its kind from
// --format, or else from the first input.
struct Output {
    std::string path;  // /dev/stdout for "-"
    std::optional<FileKind> kind;
    bool is_named_by_kind = false;  // its ending follows the kind that is chosen, where `kind` is open
    std::optional<int> compression = {};

    bool is_standard() const {
        return path == "/dev/stdout";
    }
};

// What the word means, after the checks that need no input: an ending that is known, a place that can be
// written. Errors: usage, failed, memory.
Output output_of(const std::string &word, std::optional<FileKind> format);

// The kind of the file that is written: `kind`, or .npy where that cannot hold such a result and the output
// does not ask for it. Errors: usage, where it does: "cannot write 'PATH': WHY".
FileKind kind_for(const Output &output, FileKind kind, Type type, const std::vector<int64_t> &shape);

// Where a file of that kind is written. Errors: failed, where that is no place for a file.
std::string path_for(const Output &output, FileKind kind);

// Refuses to write a binary file to a terminal. Errors: usage.
void check_terminal(const Output &output, FileKind kind);

// Refuses words of which two or more are standard input, and an output that is an input as well. Errors:
// usage.
void check_ends(
    const std::vector<std::string> &inputs, const std::string &output, const std::string &operation);

// An option whose value is the name of a file that the command writes; empty: none.
struct WrittenFile {
    std::string option, path;
};

// Refuses a written file that is an input or another written file as well: the one would replace the other.
// Errors: usage.
void check_written(const std::vector<std::string> &inputs, const std::vector<WrittenFile> &files,
    const std::string &operation);

}  // namespace tilewright::app
