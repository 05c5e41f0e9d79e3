#include "input_file.h"
#include <cerrno>
#include <cstring>
#include <sys/stat.h>

namespace tilewright {

namespace {

[[noreturn]] void refuse_file(const std::string &path, const std::string &why, const std::string &next) {
    Place place;
    place.value = path;
    throw Error(Fault::input, "cannot read " + in_quotes(path) + ": " + why + "; " + next, place);
}

}  // namespace

std::string in_quotes(const std::string &path) {
    std::string text = "'";
    for (const char c : path) {
        const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
        text += is_control ? '?' : c;
    }
    return text + "'";
}

InputFile::InputFile(const std::string &path) : path_(path), file_(std::fopen(path.c_str(), "rbe")) {
    if (!file_) {
        refuse_file(path, std::strerror(errno), "check the name and its permissions");
    }
    struct stat about = {};
    if (fstat(fileno(file_.get()), &about) == 0) {
        if (S_ISDIR(about.st_mode)) {
            refuse_file(path, "it is a directory", "name a file");
        }
        if (S_ISREG(about.st_mode)) {
            size_ = about.st_size;
        }
    }
}

size_t InputFile::read(void *to, size_t bytes) noexcept {
    const size_t count = std::fread(to, 1, bytes, file_.get());
    if (count < bytes && std::ferror(file_.get())) {
        fault_ = errno;
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
    if (fault_ != 0) {
        refuse(std::strerror(fault_), "check the disk that it is on");
    }
    if (position_ == 0) {
        refuse("the file is empty", "give one that was written to its end");
    }
    refuse("the file ends too early, after " + std::to_string(position_) + " bytes", "get a whole copy of it");
}

}  // namespace tilewright
