#include "runtime/files/input_file.h"
#include "runtime/errors/plain_text.h"
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

// The same for what the system says.
[[noreturn]] void refuse_file(const std::string &path, int fault, const std::string &next) {
    if (fault == ENOMEM) {
        throw_no_memory("read", path);
    }
    refuse_file(path, std::strerror(fault), next);
}

}  // namespace

void throw_no_memory(const char *verb, const std::string &path) {
    Place place;
    place.value = path;
    throw Error(Fault::memory, std::string("no memory to ") + verb + " " + in_quotes(path) + "; free some", place);
}

std::string in_quotes(const std::string &path) {
    std::string text = "'";
    text += plain_text(path, '?');
    return text + "'";
}

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
        refuse_file(path, "it is no regular file, and its beginning must be read twice", "write it to a file first");
    }
    file_.reset(std::fopen(path.c_str(), "rbe"));
    if (!file_) {
        refuse_file(path, errno, "check the name and its permissions");
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
        refuse_file(path_, fault_, "check the disk that it is on");
    }
    if (position_ == 0) {
        refuse("the file is empty", "give one that was written to its end");
    }
    refuse("the file ends too early, after " + std::to_string(position_) + " bytes", "get a whole copy of it");
}

}  // namespace tilewright
