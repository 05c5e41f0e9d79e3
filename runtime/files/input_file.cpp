#include "runtime/files/input_file.h"
#include "runtime/files/file_errors.h"
#include "tilewright/error.h"
#include <cerrno>
#include <cstring>
#include <sys/stat.h>

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

}  // namespace

InputFile::InputFile(const std::string &path, Kinds kinds) : path_(path) {
    struct stat about = {};
    if (stat(path.c_str(), &about) != 0) {
        refuse_file(path, errno, "check the name and its permissions");
    }
    if (S_ISDIR(about.st_mode)) {
        refuse_file(path, "it is a directory", "name a file");
    }
    if (S_ISREG(about.st_mode)) {
        size_ = about.st_size;
    } else if (kinds == Kinds::regular) {
        refuse_file(
            path, "it is no regular file, and reading it could wait for ever", "write it to a file first");
    }
    file_.reset(std::fopen(path.c_str(), "rbe"));
    if (!file_) {
        refuse_file(path, errno, "check the name and its permissions");
    }
}

std::optional<uint8_t> InputFile::peek() noexcept {
    uint8_t next = 0;
    if (read(&next, 1) != 1) {
        return {};
    }
    std::ungetc(next, file_.get());
    position_--;
    return next;
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
