#pragma once
// Folders of the user, in which this program keeps files of its own. Not installed.
#include "runtime/process/descriptor.h"
#include <filesystem>
#include <string>
#include <sys/stat.h>

namespace tilewright {

// The folder that the environment's variable `own` names; else `below` in the folder of the variable `shared`
// (XDG_CACHE_HOME), else in `hidden` in the user's home (~/.cache). Empty where `own` is "off", and where
// none of them is set. A relative path in `shared` or HOME counts as none: it would be another folder in each
// working folder. Source: XDG Base Directory Specification 0.8.
std::string user_folder(const char *own, const char *shared, const char *hidden, const char *below);

// A folder whose files may be run, because only the user could have written them. `why_not` says what is
// wrong with a folder that is there and is not open; where there is none, or the system does not open it, it
// is empty too.
struct OwnFolder {
    Descriptor folder;
    std::string why_not;
};

// Opens a folder that the user of this process owns and nobody else may write, and that is no link. With
// `make` it is made where it is missing, and so are those above it, for the user alone; root makes none in
// the folder of somebody else (sudo may keep the user's HOME).
OwnFolder open_own_folder(const std::filesystem::path &path, bool make);

// Opens a regular file of the user in such a folder to read it, and says what it is. Closed for all else: a
// link is not followed, and a pipe or a device not waited for.
Descriptor open_own_file(const Descriptor &folder, const std::string &name, struct stat &about);

// Whether others than its owner may write a file or a folder.
inline bool others_may_write(const struct stat &about) {
    return (about.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

}  // namespace tilewright
