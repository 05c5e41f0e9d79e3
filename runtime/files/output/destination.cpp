#include "runtime/files/output/destination.h"
#include "runtime/files/file_errors.h"
#include "tilewright/error.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace tilewright {

namespace {

[[noreturn]] void refuse(const std::string &path, const std::string &why, const std::string &next) {
    throw Error(Fault::failed, "cannot write " + in_quotes(path) + ": " + why + "; " + next, {.value = path});
}

// In a sticky folder (/tmp is one) a file can be replaced only by its owner, by the folder's owner, or with a
// privilege that root has.
bool may_replace(const FolderEntry &entry, const struct stat &older) {
    struct stat folder = {};
    if (fstat(*entry.folder, &folder) != 0 || (folder.st_mode & S_ISVTX) == 0 || folder.st_uid == geteuid() ||
        older.st_uid == geteuid()) {
        return true;
    }
    // O_NOATIME needs the same privilege as rename(), and opening the file changes nothing.
    const Descriptor file(
        openat(*entry.folder, entry.name.c_str(), O_WRONLY | O_NOATIME | O_NOFOLLOW | O_CLOEXEC));
    return file || errno != EPERM;
}

}  // namespace

Destination destination_of(const std::string &path) {
    if (path.empty()) {
        refuse(path, "the name is empty", "name a file");
    }
    Destination destination;
    if (path == standard_output_path) {
        return destination;
    }
    struct stat about = {};
    if (stat(path.c_str(), &about) == 0) {
        if (S_ISDIR(about.st_mode)) {
            refuse(path, "it is a directory", "name a file in it");
        }
        if (access(path.c_str(), W_OK) != 0) {
            refuse_output(path, errno);
        }
        if (!S_ISREG(about.st_mode)) {
            return destination;
        }
        destination.older = about;
    } else if (errno != ENOENT) {
        refuse_output(path, errno);
    } else if (path.back() == '/') {
        refuse(path, "there is no such directory", "make it, and name a file in it");
    }
    destination.entry = FolderEntry::find(path);
    if (!destination.entry) {
        refuse_output(path, errno);
    }
    if (destination.older && !may_replace(*destination.entry, *destination.older)) {
        refuse(path, "it is another user's, in a folder where only owners replace files",
            "choose another name or place");
    }
    return destination;
}

void refuse_output(const std::string &path, int error_number) {
    const char *next = "choose another place or change its permissions";
    switch (error_number) {
    case ENOMEM: throw_no_memory("write", path);
    case ENOSPC:
    case EDQUOT: next = "make room on that disk or choose another place"; break;
    case EFBIG: next = "raise the limit of a file's size (`ulimit -f`) or choose another file system"; break;
    case EPIPE: next = "keep the program at its other end running until all is written"; break;
    case ENOENT:
    case ENOTDIR: next = "make the directory first or choose another one"; break;
    case ENAMETOOLONG: next = "choose a shorter name"; break;
    default: break;
    }
    refuse(path, std::strerror(error_number), next);
}

}  // namespace tilewright
