#pragma once
// A file's folder and its name there. Not installed.
#include <optional>
#include <string>

namespace tilewright {

// A name in a folder, whether or not there is a file of that name. The folder is held open, so that neither
// the length of its path nor a change of the working folder matters.
class FolderEntry {
public:
    // Follows links, the last one even where it leads to no file yet. Nothing, with errno, when there is no
    // such folder.
    static std::optional<FolderEntry> find(std::string path);

    FolderEntry(int folder, std::string name) : folder(folder), name(std::move(name)) {}
    FolderEntry(FolderEntry &&other) noexcept;
    FolderEntry &operator=(FolderEntry &&other) noexcept;
    ~FolderEntry();

    int folder = -1;  // its descriptor
    std::string name;
};

}  // namespace tilewright
