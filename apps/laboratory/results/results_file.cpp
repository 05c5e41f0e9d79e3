// Reads, mends and appends lines.
#include "apps/laboratory/results/results_file.h"
#include "tilewright/error.h"
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilewright::app {

namespace {

// How each line begins, so that a part of one is known.
std::string beginning() {
    return fmt::format("{{\"version\":{}", json_version);
}

bool may_be_part_of_a_line(const std::string &text) {
    const std::string begin = beginning();
    const size_t length = std::min(text.size(), begin.size());
    return text.compare(0, length, begin, 0, length) == 0;
}

}  // namespace

ResultsFile::ResultsFile(const std::string &path, bool goes_on) : path_(path), goes_on_(goes_on) {
    made_ = access(path.c_str(), F_OK) != 0;
    file_ = Descriptor(open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666));
    if (!file_) {
        refuse(fmt::format("it cannot be opened: {}; name another file", strerror(errno)));
    }
    struct stat about = {};
    if (fstat(*file_, &about) != 0 || !S_ISREG(about.st_mode)) {
        throw Error(Fault::usage,
            "it is no regular file; results are read again and mended, so give "
            "the name of a file of their own",
            {.argument = "--results", .value = path_});
    }
    if (flock(*file_, LOCK_EX | LOCK_NB) != 0) {
        refuse("another process writes to it; wait for its end, or take another file");
    }
    read();
}

ResultsFile::~ResultsFile() {
    if (made_ && size_ == 0) {
        unlink(path_.c_str());
    }
}

void ResultsFile::refuse(const std::string &message) const {
    throw Error(Fault::failed, message, {.argument = "--results", .value = path_});
}

void ResultsFile::read() {
    std::string text;
    std::array<char, 65536> piece;
    for (ssize_t size; (size = ::read(*file_, piece.data(), piece.size())) != 0;) {
        if (size < 0 && errno != EINTR) {
            refuse(fmt::format("it cannot be read: {}", strerror(errno)));
        }
        text.append(piece.data(), size > 0 ? (size_t)size : 0);
    }
    size_ = text.size();
    size_t begin = 0, number = 1;
    for (size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1, number++) {
        take_line(text.substr(begin, end - begin), number);
    }
    if (begin < text.size()) {
        mend(text.substr(begin), number);
    }
}

void ResultsFile::take_line(const std::string &text, size_t number) {
    const auto bad = [&](const std::string &message) {
        throw Error(Fault::input, fmt::format("line {}: {}", number, message),
            {.argument = "--results", .value = path_});
    };
    Json line = json_in(text, fmt::format("{}, line {}", path_, number));
    if (!line.is_object() || !line.contains("version")) {
        bad("it is no JSON object of a results file; give another file, or take the line out");
    }
    if (line["version"] != json_version) {
        bad(fmt::format("it is of version {}, and this program reads version {}; give another file",
            line["version"].dump(), json_version));
    }
    lines_.push_back(std::move(line));
}

// The last line has no end: its process ended while it was written. It is left out, or gets its end.
void ResultsFile::mend(const std::string &text, size_t number) {
    if (Json::accept(text)) {
        take_line(text, number);
        if (::write(*file_, "\n", 1) != 1) {
            refuse(fmt::format("it cannot be written: {}", strerror(errno)));
        }
        size_++;
        return;
    }
    if (!may_be_part_of_a_line(text)) {
        take_line(text, number);  // which refuses it
    }
    cut_to(size_ - text.size());
    note_ = fmt::format("{}: its last line was cut off ({} bytes), and is left out", path_, text.size());
}

void ResultsFile::cut_to(size_t bytes) {
    if (ftruncate(*file_, (off_t)bytes) != 0) {
        refuse(fmt::format("the part of a line at its end cannot be removed: {}", strerror(errno)));
    }
    size_ = bytes;
}

void ResultsFile::append(const Json &line) {
    const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    if (!write_all(file_, text)) {
        const int fault = errno;
        cut_to(size_);
        refuse(fmt::format("it cannot be written: {}; the results before this one are in it{}",
            strerror(fault), goes_on_ ? ", and the same command goes on from there" : ""));
    }
    size_ += text.size();
    lines_.push_back(line);
}

}  // namespace tilewright::app
