#pragma once
// Where an output file will be written, and why none can be. Not installed.
#include "runtime/files/output/folder_entry.h"
#include <optional>
#include <string>
#include <sys/stat.h>

namespace tilewright {

// This process's standard output. It is written where it stands, also where it leads to a regular file.
constexpr char standard_output_path[] = "/dev/stdout";

struct Destination {
    // nothing for a device, a pipe or standard output, which a file must not replace
    std::optional<FolderEntry> entry;
    std::optional<struct stat> older;  // the file that is replaced
};

// The destination of an output of that path. Errors: failed, with path and reason, when no file can be
// written there; memory.
Destination destination_of(const std::string &path);

// Throws Error (failed): "cannot write 'PATH': WHY; NEXT", with the system's reason and what to do about it.
// For ENOMEM, an Error of the class memory.
[[noreturn]] void refuse_output(const std::string &path, int error_number);

}  // namespace tilewright
