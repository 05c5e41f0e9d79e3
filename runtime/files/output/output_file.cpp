#include "runtime/files/output/output_file.h"
#include "runtime/files/output/destination.h"
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <random>
#include <unistd.h>

namespace tilewright {

namespace {

std::string temporary_name() {
    static constexpr char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    std::random_device random;
    std::string name = ".tilewright-";
    for (int i = 0; i < 12; i++) {
        name += letters[random() % (sizeof(letters) - 1)];
    }
    return name + ".part";
}

// The path by which linkat() finds an open file that has no name.
std::array<char, 32> handle_of(int descriptor) {
    std::array<char, 32> path = {};
    std::snprintf(path.data(), path.size(), "/proc/self/fd/%d", descriptor);
    return path;
}

// Opens a file in that folder that has no name; none where the file system has no such files, or could not
// name them later.
Descriptor open_unnamed(const Descriptor &folder, mode_t mode) {
    Descriptor file(openat(*folder, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, mode));
    const bool can_be_named = file && access(handle_of(*file).data(), F_OK) == 0;
    return can_be_named ? std::move(file) : Descriptor();
}

// A descriptor of its own, so that closing the file leaves standard output open. Null, with errno, where
// there is none to write to.
std::FILE *open_standard_output() {
    return stream_of(Descriptor(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)), "wb");
}

// Gives a file the owner, group and permissions of the one that it replaces, as far as the user may give them
// and the file system has them. Where the file keeps another group, that group gets the permissions of all
// others, not of the older group.
void take_over(int descriptor, const struct stat &older) {
    mode_t mode = older.st_mode & 0777;
    if (fchown(descriptor, older.st_uid, older.st_gid) != 0 &&
        fchown(descriptor, static_cast<uid_t>(-1), older.st_gid) != 0) {
        mode = (mode & 0707) | (mode & 0007) << 3;
    }
    static_cast<void>(fchmod(descriptor, mode));
}

void allow_running(int descriptor) {
    struct stat about = {};
    if (fstat(descriptor, &about) == 0) {
        static_cast<void>(fchmod(descriptor, (about.st_mode & 0777) | (about.st_mode & 0444) >> 2));
    }
}

}  // namespace

// Delegates to another constructor, so that the destructor runs when this one throws.
OutputFile::OutputFile(const std::string &path) : OutputFile() {
    path_ = path;
    Destination destination = destination_of(path);
    if (!destination.entry) {
        file_ = path == standard_output_path ? open_standard_output() : std::fopen(path.c_str(), "wbe");
        if (file_ == nullptr) {
            refuse_output(path_, errno);
        }
        return;
    }
    entry_ = std::move(destination.entry);
    older_ = destination.older;
    pending_ = PendingOutput::take();

    // Not mkstemp, whose files only their owner may read: here the user's umask decides, as for any file. A
    // file that replaces another can be read by its owner alone until it has the other one's owner and
    // permissions.
    const mode_t mode = older_ ? older_->st_mode & 0600 : 0666;
    Descriptor file = open_unnamed(entry_->folder, mode);
    if (!file) {
        under_temporary_name([&] {
            file = Descriptor(
                openat(*entry_->folder, temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
            return bool(file);
        });
    }
    file_ = stream_of(std::move(file), "wb");
    if (file_ == nullptr) {
        refuse_output(path_, error_number_ != 0 ? error_number_ : errno);
    }
}

OutputFile::~OutputFile() {
    discard();
}

// Calls `make` with a new name in temporary_, and again with another name when there is a file of that name.
template<typename Make>
bool OutputFile::under_temporary_name(const Make &make) {
    error_number_ = EEXIST;
    for (int attempt = 0; attempt < 100 && error_number_ == EEXIST; attempt++) {
        temporary_ = temporary_name();
        pending_->note(*entry_->folder, temporary_);
        if (make()) {
            error_number_ = 0;
            return true;
        }
        error_number_ = errno;
        pending_->forget();
        temporary_.clear();
    }
    return false;
}

// Gives the file its temporary name, unless it has it from the beginning.
bool OutputFile::link() {
    if (!temporary_.empty()) {
        return true;
    }
    const auto handle = handle_of(fileno(file_));
    return under_temporary_name([&] {
        return linkat(AT_FDCWD, handle.data(), *entry_->folder, temporary_.c_str(), AT_SYMLINK_FOLLOW) == 0;
    });
}

void OutputFile::discard() noexcept {
    if (file_ != nullptr) {
        std::fclose(file_);
        file_ = nullptr;
    }
    if (!temporary_.empty()) {
        unlinkat(*entry_->folder, temporary_.c_str(), 0);
        temporary_.clear();
    }
    if (pending_ != nullptr) {
        pending_->give_back();
        pending_ = nullptr;
    }
}

bool OutputFile::write(const void *from, size_t bytes) noexcept {
    if (error_number_ == 0 && std::fwrite(from, 1, bytes, file_) != bytes) {
        error_number_ = errno;
    }
    position_ += static_cast<int64_t>(bytes);
    return error_number_ == 0;
}

bool OutputFile::write_at(int64_t position, const void *from, size_t bytes) noexcept {
    if (error_number_ == 0 && position != position_ && fseeko(file_, position, SEEK_SET) != 0) {
        error_number_ = errno;
    }
    position_ = position;
    return write(from, bytes);
}

void OutputFile::fail() const {
    refuse_output(path_, error_number_ != 0 ? error_number_ : EIO);
}

void OutputFile::put(std::string_view bytes) {
    if (!write(bytes.data(), bytes.size())) {
        fail();
    }
}

void OutputFile::appear() {
    if (entry_ && !link()) {
        fail();
    }
}

void OutputFile::commit() {
    if (file_ == nullptr) {
        return;  // it was committed before
    }
    // No fsync: it protects from a crash of the machine, not of the program, and it waits for the disk.
    if (error_number_ == 0 && std::fflush(file_) != 0) {
        error_number_ = errno;
    }
    // A file with a new name is complete but for its owner and permissions.
    if (error_number_ == 0 && entry_ && link() && older_) {
        take_over(fileno(file_), *older_);
    }
    if (error_number_ == 0 && entry_ && is_executable_) {
        allow_running(fileno(file_));
    }
    if (std::fclose(file_) != 0 && error_number_ == 0) {
        error_number_ = errno;
    }
    file_ = nullptr;
    if (error_number_ == 0 && entry_) {
        if (renameat(*entry_->folder, temporary_.c_str(), *entry_->folder, entry_->name.c_str()) == 0) {
            temporary_.clear();
        } else {
            error_number_ = errno;
        }
    }
    discard();
    if (error_number_ != 0) {
        fail();
    }
}

}  // namespace tilewright
