#include "runtime/files/input_file.h"
#include "runtime/files/file_errors.h"
#include "runtime/process/descriptor.h"
#include "tilewright/error.h"
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilewright {

namespace {

[[noreturn]] void refuse_file(const std::string &path, const std::string &why, const std::string &next) {
    throw Error(Fault::input, "cannot read " + in_quotes(path) + ": " + why + "; " + next, {.value = path});
}

// The same with the system's reason.
[[noreturn]] void refuse_file(const std::string &path, int error_number, const std::string &next) {
    if (error_number == ENOMEM) {
        throw_no_memory("read", path);
    }
    refuse_file(path, std::strerror(error_number), next);
}

// The descriptor of this process that a path names; nothing for other paths.
std::optional<int> descriptor_of(const std::string &path) {
    for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
        int descriptor = 0;
        const char *end = path.data() + path.size();
        if (path.starts_with(folder) &&
            std::from_chars(path.data() + folder.size(), end, descriptor).ptr == end) {
            return descriptor;
        }
    }
    return std::nullopt;
}

}  // namespace

InputFile::InputFile(const std::string &path, Kinds kinds) : path_(path) {
    if (path == "/dev/stdin") {
        open_descriptor(STDIN_FILENO);
    } else {
        open(kinds);
    }
}

void InputFile::open(Kinds kinds) {
    struct stat about = {};
    if (stat(path_.c_str(), &about) != 0) {
        refuse_file(path_, errno, "check the name and its permissions");
    }
    if (S_ISDIR(about.st_mode)) {
        refuse_file(path_, "it is a directory", "name a file");
    }
    if (S_ISREG(about.st_mode)) {
        size_ = about.st_size;
    } else if (const std::optional<int> descriptor = descriptor_of(path_)) {
        open_descriptor(*descriptor);  // opening a pipe again could wait for ever
        return;
    } else if (kinds == Kinds::regular) {
        refuse_file(path_, "it is no regular file, and reading it could wait for ever",
            "write it to a file first, or give it as standard input");
    }
    file_.reset(std::fopen(path_.c_str(), "rbe"));
    if (!file_) {
        refuse_file(path_, errno, "check the name and its permissions");
    }
}

// A descriptor of its own, so that closing the file leaves the given one open.
void InputFile::open_descriptor(int given) {
    if (isatty(given) != 0) {
        refuse_file(path_, "it is a terminal", "name a file, or send one to standard input");
    }
    file_.reset(stream_of(Descriptor(fcntl(given, F_DUPFD_CLOEXEC, 3)), "rb"));
    if (!file_) {
        refuse_file(path_, errno, "open standard input for reading");
    }
    struct stat about = {};
    if (fstat(fileno(file_.get()), &about) != 0) {
        return;
    }
    if (S_ISDIR(about.st_mode)) {
        refuse_file(path_, "it is a directory", "send a file to standard input");
    }
    if (S_ISREG(about.st_mode) && lseek(fileno(file_.get()), 0, SEEK_CUR) == 0) {
        size_ = about.st_size;
    }
}

std::string InputFile::peek() noexcept {
    char next[4];  // glibc and musl take back as many
    const size_t count = read(next, sizeof(next));
    for (size_t i = count; i > 0; i--) {
        std::ungetc(static_cast<uint8_t>(next[i - 1]), file_.get());
    }
    position_ -= static_cast<int64_t>(count);
    return {next, count};
}

size_t InputFile::read(void *to, size_t bytes) noexcept {
    const size_t count = std::fread(to, 1, bytes, file_.get());
    if (count < bytes && std::ferror(file_.get())) {
        error_number_ = errno;
    }
    position_ += static_cast<int64_t>(count);
    return count;
}

void InputFile::read_whole(void *to, size_t bytes) {
    if (read(to, bytes) != bytes) {
        refuse_truncated();
    }
}

const char *const InputFile::raise_limits =
    "raise PngLimits::bytes (--max-bytes of the program) or, for text, NpyLimits::bytes if the file is to be "
    "trusted";

InputFile::Rest InputFile::read_rest(int64_t most, const std::string &next) {
    Rest rest;
    constexpr size_t step = size_t(1) << 20;
    size_t room = 0;
    for (size_t count = step; count == step;) {
        if (room - rest.size < step) {
            room = std::max(2 * room, step);
            char *const before = rest.data.release();
            void *const larger = std::realloc(before, room);
            rest.data.reset(larger != nullptr ? static_cast<char *>(larger) : before);
            if (larger == nullptr) {
                throw_no_memory("read", path_);
            }
        }
        count = read(rest.data.get() + rest.size, step);
        rest.size += count;
        if (rest.size > static_cast<size_t>(std::max<int64_t>(most, 0))) {
            refuse("it has more than " + std::to_string(most) + " bytes, which is the limit", next);
        }
    }
    if (has_failed()) {
        refuse_truncated();
    }
    return rest;
}

bool InputFile::seek(int64_t position) noexcept {
    if (fseeko(file_.get(), position, SEEK_SET) != 0) {
        return false;
    }
    position_ = position;
    return true;
}

void InputFile::make_seekable(int64_t most) {
    if (size_) {
        return;
    }
    kept_ = read_rest(most);
    if (kept_.size == 0) {
        refuse_truncated();
    }
    file_.reset(fmemopen(kept_.data.get(), kept_.size, "rb"));
    if (!file_) {
        throw_no_memory("read", path_);
    }
    size_ = kept_bytes();
    position_ = 0;
}

void InputFile::refuse(const std::string &why, const std::string &next) const {
    refuse_file(path_, why, next);
}

void InputFile::refuse_truncated() const {
    if (error_number_ != 0) {
        refuse_file(path_, error_number_, "check the disk that it is on");
    }
    if (position_ == 0) {
        refuse("the file is empty", "give one that was written to its end");
    }
    refuse(
        "the file ends too early, after " + std::to_string(position_) + " bytes", "get a whole copy of it");
}

}  // namespace tilewright
