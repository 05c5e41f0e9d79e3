#pragma once
// Descriptors of open files. Not installed.
#include <cerrno>
#include <cstdio>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace tilewright {

// The descriptor of an open file, which it closes; errno stays as it is.
class Descriptor {
public:
    explicit Descriptor(int number = -1) : number_(number) {}
    Descriptor(Descriptor &&other) noexcept : number_(other.release()) {}
    Descriptor &operator=(Descriptor &&other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor() {
        const int before = errno;
        close();
        errno = before;
    }

    explicit operator bool() const {
        return number_ >= 0;
    }
    int operator*() const {
        return number_;
    }
    // Returns false when what was written could not be kept.
    bool close() {
        const int number = release();
        return number < 0 || ::close(number) == 0;
    }
    // Gives the descriptor away.
    int release() {
        return std::exchange(number_, -1);
    }

private:
    int number_;
};

// Writes all of the bytes, whatever signals come meanwhile. Returns false, with errno, where that fails.
inline bool write_all(const Descriptor &file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(*file, bytes.data(), bytes.size());
        if (count == 0 || (count < 0 && errno != EINTR)) {
            return false;
        }
        bytes.remove_prefix(count > 0 ? static_cast<size_t>(count) : 0);
    }
    return true;
}

// A stream of the file, as fdopen() makes it. Null, with errno, where the file is not open or there is no
// memory; the file is closed then.
inline std::FILE *stream_of(Descriptor file, const char *mode) {
    std::FILE *stream = file ? fdopen(*file, mode) : nullptr;
    if (stream != nullptr) {
        file.release();
    }
    return stream;
}

}  // namespace tilewright
