#include "runtime/files/output/folder_entry.h"
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <unistd.h>

namespace tilewright {

std::optional<FolderEntry> FolderEntry::find(std::string path) {
    FolderEntry entry;
    constexpr int most_links = 40;  // as the kernel's
    for (int links = 0; links <= most_links; links++) {
        const size_t name = path.rfind('/') + 1;  // 0 when there is no slash
        const std::string folder = name == 0 ? "." : path.substr(0, name);
        const int from = entry.folder ? *entry.folder : AT_FDCWD;
        entry.folder = Descriptor(openat(from, folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        entry.name = path.substr(name);
        if (!entry.folder) {
            return std::nullopt;
        }
        if (entry.name.empty() || entry.name == "." || entry.name == "..") {
            errno = EISDIR;
            return std::nullopt;
        }
        char link[PATH_MAX];
        const ssize_t length = readlinkat(*entry.folder, entry.name.c_str(), link, sizeof(link));
        if (length < 0 && (errno == EINVAL || errno == ENOENT)) {
            return entry;  // no link, or nothing yet
        }
        if (length < 0) {
            return std::nullopt;
        }
        path.assign(link, static_cast<size_t>(length));
    }
    errno = ELOOP;
    return std::nullopt;
}

}  // namespace tilewright
