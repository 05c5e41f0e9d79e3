#include "output_file.h"
#include "input_file.h"
#include "tilewright/files.h"
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

namespace tilewright {

namespace fs = std::filesystem;

// A temporary file that a signal's handler would have to remove. The records form a list that only grows and whose records
// are used again, so that the handler can walk it at any moment without a lock.
struct OutputFile::Pending {
    enum State { unused, filling, live };

    std::atomic<State> state = filling;
    std::array<char, 4096> path = {};
    Pending *next = nullptr;

    static std::atomic<Pending *> first;

    // Takes a record for `path`; null when the name is too long for any file.
    static Pending *take(const std::string &path) {
        Pending *record = claim();
        if (path.size() + 1 > record->path.size()) {
            record->state = unused;
            return nullptr;
        }
        std::memcpy(record->path.data(), path.c_str(), path.size() + 1);
        record->state = live;
        return record;
    }

private:
    static Pending *claim() {
        for (Pending *record = first; record != nullptr; record = record->next) {
            State expected = unused;
            if (record->state.compare_exchange_strong(expected, filling)) {
                return record;
            }
        }
        auto *record = new Pending;  // lives as long as the process: a handler may look at it
        record->next = first;
        while (!first.compare_exchange_weak(record->next, record)) {
        }
        return record;
    }
};

std::atomic<OutputFile::Pending *> OutputFile::Pending::first = nullptr;
static_assert(std::atomic<OutputFile *>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "remove_pending_outputs() may not take locks");

namespace {

[[noreturn]] void refuse(const std::string &path, const std::string &why, const std::string &next) {
    Place place;
    place.value = path;
    throw Error(Fault::failed, "cannot write " + in_quotes(path) + ": " + why + "; " + next, place);
}

[[noreturn]] void refuse(const std::string &path, int fault) {
    const char *next = "choose another place or change its permissions";
    if (fault == ENOSPC || fault == EDQUOT) {
        next = "make room on that disk or choose another place";
    } else if (fault == ENOENT || fault == ENOTDIR) {
        next = "make the directory first or choose another one";
    } else if (fault == ENAMETOOLONG) {
        next = "choose a shorter name";
    }
    refuse(path, std::strerror(fault), next);
}

struct Target {
    std::string path;         // links followed
    bool is_special = false;  // a device or a pipe, which must not be replaced by a file
    mode_t mode = 0;          // of the older file; 0 when there is none
};

// Where a file of that name would go, if one may go there.
Target target_of(const std::string &destination) {
    if (destination.empty()) {
        refuse(destination, "the name is empty", "name a file");
    }
    Target target;
    struct stat about = {};
    if (stat(destination.c_str(), &about) == 0) {
        if (S_ISDIR(about.st_mode)) {
            refuse(destination, "it is a directory", "name a file in it");
        }
        if (access(destination.c_str(), W_OK) != 0) {
            refuse(destination, errno);
        }
        target.is_special = !S_ISREG(about.st_mode);
        target.mode = about.st_mode & 0777;
    } else if (errno != ENOENT) {
        refuse(destination, errno);
    } else if (destination.back() == '/') {
        refuse(destination, "there is no such directory", "make it, and name a file in it");
    }

    // A link stays, and the file that it leads to is replaced.
    std::error_code failure, absent;
    fs::path path = fs::absolute(destination, failure);
    if (fs::is_symlink(fs::symlink_status(path, absent)) && !target.is_special) {
        path = fs::weakly_canonical(path, failure);
    }
    if (failure) {
        refuse(destination, failure.value());
    }
    target.path = path.string();
    return target;
}

std::string temporary_name() {
    static constexpr char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    std::random_device random;
    std::string name = ".tilewright-";
    for (int i = 0; i < 12; i++) {
        name += letters[random() % (sizeof(letters) - 1)];
    }
    return name + ".part";
}

}  // namespace

OutputFile::OutputFile(const std::string &destination) : destination_(destination) {
    const Target target = target_of(destination);
    target_ = target.path;
    if (target.is_special) {
        path_ = target.path;
        file_ = std::fopen(path_.c_str(), "wbe");
        if (file_ == nullptr) {
            refuse(destination_, errno);
        }
        return;
    }

    // Not mkstemp, which makes files that only their owner may read: this way the user's umask decides, as for any file.
    int descriptor = -1;
    for (int attempt = 0; attempt < 100 && descriptor < 0; attempt++) {
        path_ = (fs::path(target_).parent_path() / temporary_name()).string();
        // Noted before it exists, so that no moment is left in which a signal would miss it.
        pending_ = Pending::take(path_);
        if (pending_ == nullptr) {
            refuse(destination_, ENAMETOOLONG);
        }
        descriptor = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0) {
            fault_ = errno;
            pending_->state = Pending::unused;
            pending_ = nullptr;
            if (fault_ != EEXIST) {
                break;
            }
        }
    }
    if (descriptor < 0) {
        refuse(destination_, fault_);
    }
    fault_ = 0;
    if (target.mode != 0) {
        // The older file's permissions. Where the file system has none, the new file is as good without.
        static_cast<void>(fchmod(descriptor, target.mode));
    }
    file_ = fdopen(descriptor, "wb");
    if (file_ == nullptr) {
        const int fault = errno;
        close(descriptor);
        discard();
        refuse(destination_, fault);
    }
}

OutputFile::~OutputFile() {
    discard();
}

void OutputFile::discard() noexcept {
    if (file_ != nullptr) {
        std::fclose(file_);
        file_ = nullptr;
    }
    if (pending_ != nullptr) {
        unlink(path_.c_str());
        pending_->state = Pending::unused;
        pending_ = nullptr;
    }
}

bool OutputFile::write(const void *from, size_t bytes) noexcept {
    if (fault_ == 0 && std::fwrite(from, 1, bytes, file_) != bytes) {
        fault_ = errno;
    }
    return fault_ == 0;
}

void OutputFile::fail() const {
    refuse(destination_, fault_ != 0 ? fault_ : EIO);
}

void OutputFile::commit() {
    if (file_ == nullptr) {
        return;  // done before
    }
    // No fsync: it guards against the machine's end, not the program's, and waits for the disk.
    if (fault_ == 0 && std::fflush(file_) != 0) {
        fault_ = errno;
    }
    if (std::fclose(file_) != 0 && fault_ == 0) {
        fault_ = errno;
    }
    file_ = nullptr;
    if (fault_ == 0 && pending_ != nullptr && rename(path_.c_str(), target_.c_str()) != 0) {
        fault_ = errno;
    }
    if (fault_ != 0) {
        discard();
        fail();
    }
    if (pending_ != nullptr) {
        pending_->state = Pending::unused;
        pending_ = nullptr;
    }
}

void remove_pending_outputs() noexcept {
    const int before = errno;
    for (OutputFile::Pending *record = OutputFile::Pending::first; record != nullptr; record = record->next) {
        if (record->state == OutputFile::Pending::live) {
            unlink(record->path.data());
        }
    }
    errno = before;
}

void check_writable(const std::string &path) {
    // A trial, because permissions alone do not tell of full disks, quotas and read-only file systems. A device or pipe is
    // not opened: that could wait for ever, or be seen at its other end.
    if (!target_of(path).is_special) {
        OutputFile trial(path);
    }
}

bool same_file(const std::string &a, const std::string &b) {
    struct stat about_a = {}, about_b = {};
    const bool has_a = stat(a.c_str(), &about_a) == 0;
    const bool has_b = stat(b.c_str(), &about_b) == 0;
    if (has_a != has_b) {
        return false;
    }
    if (has_a) {
        return about_a.st_dev == about_b.st_dev && about_a.st_ino == about_b.st_ino;
    }
    std::error_code failure;
    const fs::path path_a = fs::weakly_canonical(fs::absolute(a, failure), failure);
    const fs::path path_b = fs::weakly_canonical(fs::absolute(b, failure), failure);
    return !failure && path_a == path_b;
}

}  // namespace tilewright
