#pragma once
// A file's folder and its name there. Not installed.
#include "runtime/process/descriptor.h"
#include <optional>
#include <string>

namespace tilewright {

// A name in a folder, whether or not there is a file of that name. The folder is held open, so that neither
// the length of its path nor a change of the working folder matters.
struct FolderEntry {
    // Follows links, the last one even where it leads to no file yet. Nothing, with errno, when there is no
    // such folder.
    static std::optional<FolderEntry> find(std::string path);

    Descriptor folder;
    std::string name;
};

}  // namespace tilewright
