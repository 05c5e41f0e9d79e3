#include "runtime/process/user_folder.h"
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace tilewright {

namespace {

namespace fs = std::filesystem;

std::string value_of(const char *name) {
    const char *text = getenv(name);
    return text ? text : "";
}

std::string belongs_to(const struct stat &about) {
    return fmt::format("belongs to user {}, and this program runs as user {}", about.st_uid, geteuid());
}

// Makes a folder and those above it. Returns why one that could be made is not.
std::string make_folder(const fs::path &path) {
    const fs::path above = path.has_parent_path() ? path.parent_path() : ".";
    struct stat about;
    if (stat(above.c_str(), &about) != 0) {
        if (errno != ENOENT || above == path) {
            return "";
        }
        if (std::string why_not = make_folder(above); !why_not.empty()) {
            return why_not;
        }
    } else if (geteuid() == 0 && about.st_uid != 0) {
        return "the folder that it would be in " + belongs_to(about);
    }
    mkdir(path.c_str(), S_IRWXU);  // open_own_folder() sees whether it is there
    return "";
}

}  // namespace

std::string user_folder(const char *own, const char *shared, const char *hidden, const char *below) {
    if (const std::string named = value_of(own); !named.empty()) {
        return named == "off" ? "" : named;
    }
    if (const std::string base = value_of(shared); base.starts_with('/')) {
        return base + "/" + below;
    }
    const std::string home = value_of("HOME");
    return home.starts_with('/') ? home + "/" + hidden + "/" + below : "";
}

OwnFolder open_own_folder(const fs::path &path, bool make) {
    OwnFolder opened;
    // Without a slash at its end: the system would follow a link.
    const fs::path plain = path.has_filename() ? path : path.parent_path();
    struct stat about;
    if (lstat(plain.c_str(), &about) != 0) {
        if (!make || errno != ENOENT) {
            return opened;
        }
        opened.why_not = make_folder(plain);
    } else if (S_ISLNK(about.st_mode)) {
        opened.why_not = "it is a link";
    } else if (!S_ISDIR(about.st_mode)) {
        opened.why_not = "it is no folder";
    }
    if (!opened.why_not.empty()) {
        return opened;
    }
    Descriptor folder(::open(plain.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder || fstat(*folder, &about) != 0) {
        return opened;
    }
    if (about.st_uid != geteuid()) {
        opened.why_not = "it " + belongs_to(about);
    } else if (others_may_write(about)) {
        opened.why_not =
            fmt::format("others may write to it (its mode is {:o}; `chmod go-w` takes that from them)",
                about.st_mode & 07777);
    } else {
        opened.folder = std::move(folder);
    }
    return opened;
}

Descriptor open_own_file(const Descriptor &folder, const std::string &name, struct stat &about) {
    Descriptor file(openat(*folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    const bool is_own =
        file && fstat(*file, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid();
    return is_own ? std::move(file) : Descriptor();
}

}  // namespace tilewright
