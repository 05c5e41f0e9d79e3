#include "runtime/files/output_file.h"
#include "runtime/files/input_file.h"
#include "tilewright/files.h"
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <unistd.h>
#include <utility>

namespace tilewright {

// A temporary file that a signal's handler would have to remove. The records form a list that only grows and whose records
// are used again, so that the handler can walk it at any moment without a lock.
struct OutputFile::Pending {
    enum State { unused, taken, live };

    std::atomic<State> state = taken;
    int folder = -1;
    std::array<char, 32> name = {};
    Pending *next = nullptr;

    static std::atomic<Pending *> first;

    static Pending *take() {
        for (Pending *record = first; record != nullptr; record = record->next) {
            State expected = unused;
            if (record->state.compare_exchange_strong(expected, taken)) {
                return record;
            }
        }
        auto *record = new Pending;  // lives as long as the process: a handler may look at it
        record->next = first;
        while (!first.compare_exchange_weak(record->next, record)) {
        }
        return record;
    }

    void note(int in_folder, const std::string &file) {
        folder = in_folder;
        name.at(file.copy(name.data(), name.size())) = 0;
        state = live;
    }
};

std::atomic<OutputFile::Pending *> OutputFile::Pending::first = nullptr;
static_assert(std::atomic<OutputFile *>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "remove_pending_outputs() may not take locks");

// --- places -----------------------------------------------------------------------------------------------------------------

FolderEntry::FolderEntry(FolderEntry &&other) noexcept : folder(std::exchange(other.folder, -1)), name(std::move(other.name)) {
}

FolderEntry &FolderEntry::operator=(FolderEntry &&other) noexcept {
    std::swap(folder, other.folder);
    std::swap(name, other.name);
    return *this;
}

FolderEntry::~FolderEntry() {
    if (folder >= 0) {
        const int before = errno;
        close(folder);
        errno = before;
    }
}

std::optional<FolderEntry> FolderEntry::find(std::string path) {
    FolderEntry entry(-1, "");
    constexpr int most_links = 40;  // as the kernel's
    for (int links = 0; links <= most_links; links++) {
        const size_t name = path.rfind('/') + 1;  // 0 when there is no slash
        const std::string folder = name == 0 ? "." : path.substr(0, name);
        const int from = entry.folder >= 0 ? entry.folder : AT_FDCWD;
        entry = FolderEntry(openat(from, folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC), path.substr(name));
        if (entry.folder < 0) {
            return std::nullopt;
        }
        if (entry.name.empty() || entry.name == "." || entry.name == "..") {
            errno = EISDIR;
            return std::nullopt;
        }
        char link[PATH_MAX];
        const ssize_t length = readlinkat(entry.folder, entry.name.c_str(), link, sizeof(link));
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

namespace {

[[noreturn]] void refuse(const std::string &path, const std::string &why, const std::string &next) {
    Place place;
    place.value = path;
    throw Error(Fault::failed, "cannot write " + in_quotes(path) + ": " + why + "; " + next, place);
}

[[noreturn]] void refuse(const std::string &path, int fault) {
    const char *next = "choose another place or change its permissions";
    switch (fault) {
    case ENOMEM:
        throw_no_memory("write", path);
    case ENOSPC:
    case EDQUOT:
        next = "make room on that disk or choose another place";
        break;
    case EFBIG:
        next = "raise the limit of a file's size (`ulimit -f`) or choose another file system";
        break;
    case EPIPE:
        next = "keep the program at its other end running until all is written";
        break;
    case ENOENT:
    case ENOTDIR:
        next = "make the directory first or choose another one";
        break;
    case ENAMETOOLONG:
        next = "choose a shorter name";
        break;
    default:
        break;
    }
    refuse(path, std::strerror(fault), next);
}

// In a sticky folder (/tmp is one) a file is replaced by its owner, by the folder's, or with a privilege of root's.
bool may_replace(const FolderEntry &entry, const struct stat &older) {
    struct stat folder = {};
    if (fstat(entry.folder, &folder) != 0 || (folder.st_mode & S_ISVTX) == 0 || folder.st_uid == geteuid() || older.st_uid == geteuid()) {
        return true;
    }
    // O_NOATIME needs the very privilege that rename() will need; opening changes nothing.
    const int file = openat(entry.folder, entry.name.c_str(), O_WRONLY | O_NOATIME | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) {
        return errno != EPERM;
    }
    close(file);
    return true;
}

struct Target {
    std::optional<FolderEntry> entry;  // null for a device or a pipe, which must not be replaced by a file
    std::optional<struct stat> older;
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
        if (!S_ISREG(about.st_mode)) {
            return target;
        }
        target.older = about;
    } else if (errno != ENOENT) {
        refuse(destination, errno);
    } else if (destination.back() == '/') {
        refuse(destination, "there is no such directory", "make it, and name a file in it");
    }
    target.entry = FolderEntry::find(destination);
    if (!target.entry) {
        refuse(destination, errno);
    }
    if (target.older && !may_replace(*target.entry, *target.older)) {
        refuse(destination, "it is another user's, in a folder where only owners replace files", "choose another name or place");
    }
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

// The path by which a file without a name can be linked to one.
std::array<char, 32> handle_of(int descriptor) {
    std::array<char, 32> path = {};
    std::snprintf(path.data(), path.size(), "/proc/self/fd/%d", descriptor);
    return path;
}

// A file in that folder that has no name; -1 where the file system does not know such files, or could not name them later.
int open_unnamed(int folder, mode_t mode) {
    const int descriptor = openat(folder, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
    if (descriptor >= 0 && access(handle_of(descriptor).data(), F_OK) != 0) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

// Gives a file the owner, group and permissions of the one that it replaces, as far as the user may give them and the file
// system has them. Permissions of a group are not passed on to another one: that then has what all others have.
void take_over(int descriptor, const struct stat &older) {
    mode_t mode = older.st_mode & 0777;
    if (fchown(descriptor, older.st_uid, older.st_gid) != 0 && fchown(descriptor, static_cast<uid_t>(-1), older.st_gid) != 0) {
        mode = (mode & 0707) | (mode & 0007) << 3;
    }
    static_cast<void>(fchmod(descriptor, mode));
}

}  // namespace

// --- output files -----------------------------------------------------------------------------------------------------------

OutputFile::OutputFile(const std::string &destination) : OutputFile() {  // so that an exception from here on meets the destructor
    destination_ = destination;
    Target target = target_of(destination);
    if (!target.entry) {
        file_ = std::fopen(destination.c_str(), "wbe");
        if (file_ == nullptr) {
            refuse(destination_, errno);
        }
        return;
    }
    entry_ = std::move(target.entry);
    older_ = target.older;
    pending_ = Pending::take();

    // Not mkstemp, which makes files that only their owner may read: this way the user's umask decides, as for any file. One
    // that replaces another may be read by nobody else before it has that one's owner and permissions.
    const mode_t mode = older_ ? older_->st_mode & 0600 : 0666;
    int descriptor = open_unnamed(entry_->folder, mode);
    if (descriptor < 0) {
        under_temporary_name([&] {
            descriptor = openat(entry_->folder, temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
            return descriptor >= 0;
        });
    }
    file_ = descriptor >= 0 ? fdopen(descriptor, "wb") : nullptr;
    if (file_ == nullptr) {
        const int fault = descriptor >= 0 ? errno : fault_;
        if (descriptor >= 0) {
            close(descriptor);
        }
        refuse(destination_, fault);
    }
}

OutputFile::~OutputFile() {
    discard();
}

// Calls `make` with a new name in temporary_, and again with another when there is a file of that name already.
template<typename Make>
bool OutputFile::under_temporary_name(const Make &make) {
    fault_ = EEXIST;
    for (int attempt = 0; attempt < 100 && fault_ == EEXIST; attempt++) {
        temporary_ = temporary_name();
        // Noted before it exists, so that no moment is left in which a signal would miss it.
        pending_->note(entry_->folder, temporary_);
        if (make()) {
            fault_ = 0;
            return true;
        }
        fault_ = errno;
        pending_->state = Pending::taken;
        temporary_.clear();
    }
    return false;
}

// Gives the file its temporary name, where it does not have one from the beginning.
bool OutputFile::link() {
    if (!temporary_.empty()) {
        return true;
    }
    const auto handle = handle_of(fileno(file_));
    return under_temporary_name(
        [&] { return linkat(AT_FDCWD, handle.data(), entry_->folder, temporary_.c_str(), AT_SYMLINK_FOLLOW) == 0; });
}

void OutputFile::discard() noexcept {
    if (file_ != nullptr) {
        std::fclose(file_);
        file_ = nullptr;
    }
    if (!temporary_.empty()) {
        unlinkat(entry_->folder, temporary_.c_str(), 0);
        temporary_.clear();
    }
    if (pending_ != nullptr) {
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

void OutputFile::appear() {
    if (entry_ && !link()) {
        fail();
    }
}

void OutputFile::commit() {
    if (file_ == nullptr) {
        return;  // done before
    }
    // No fsync: it guards against the machine's end, not the program's, and waits for the disk.
    if (fault_ == 0 && std::fflush(file_) != 0) {
        fault_ = errno;
    }
    // A file that has a name is complete, but for its owner and permissions, when the name is new.
    if (fault_ == 0 && entry_ && link() && older_) {
        take_over(fileno(file_), *older_);
    }
    if (std::fclose(file_) != 0 && fault_ == 0) {
        fault_ = errno;
    }
    file_ = nullptr;
    if (fault_ == 0 && entry_) {
        if (renameat(entry_->folder, temporary_.c_str(), entry_->folder, entry_->name.c_str()) == 0) {
            temporary_.clear();
        } else {
            fault_ = errno;
        }
    }
    discard();
    if (fault_ != 0) {
        fail();
    }
}

void remove_pending_outputs() noexcept {
    const int before = errno;
    for (OutputFile::Pending *record = OutputFile::Pending::first; record != nullptr; record = record->next) {
        if (record->state == OutputFile::Pending::live) {
            unlinkat(record->folder, record->name.data(), 0);
        }
    }
    errno = before;
}

void check_writable(const std::string &path) {
    // A trial, because permissions alone do not tell of full disks, quotas and read-only file systems. A device or pipe is
    // not opened: that could wait for ever, or be seen at its other end.
    if (target_of(path).entry) {
        OutputFile(path).appear();
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
    const std::optional<FolderEntry> entry_a = FolderEntry::find(a), entry_b = FolderEntry::find(b);
    if (!entry_a || !entry_b || fstat(entry_a->folder, &about_a) != 0 || fstat(entry_b->folder, &about_b) != 0) {
        return a == b;  // in a folder that is not there either
    }
    return about_a.st_dev == about_b.st_dev && about_a.st_ino == about_b.st_ino && entry_a->name == entry_b->name;
}

}  // namespace tilewright
