#pragma once
#include "tilewright/error.h"
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

namespace tilewright {

// A path as an error line shows it: in quotes, without control characters.
std::string in_quotes(const std::string &path);

// A file that is read from its beginning to its end.
class InputFile {
public:
    // Errors: input, when it cannot be opened, or is a directory.
    explicit InputFile(const std::string &path);

    const std::string &path() const {
        return path_;
    }

    // Its length in bytes; unknown for what is no regular file (a pipe).
    std::optional<int64_t> size() const {
        return size_;
    }

    // How many bytes were read.
    int64_t position() const {
        return position_;
    }

    // Returns how many bytes it read: fewer than asked only at the file's end, or after a fault of the disk.
    size_t read(void *to, size_t bytes) noexcept;

    // Reads all of them, or refuses the file as truncated.
    void read_whole(void *to, size_t bytes);

    // Throws Error (input): "cannot read 'PATH': WHY; NEXT".
    [[noreturn]] void refuse(const std::string &why, const std::string &next) const;

    // The same, after read() returned too little.
    [[noreturn]] void refuse_truncated() const;

private:
    struct Close {
        void operator()(std::FILE *file) const {
            std::fclose(file);
        }
    };

    std::string path_;
    std::unique_ptr<std::FILE, Close> file_;
    std::optional<int64_t> size_;
    int64_t position_ = 0;
    int fault_ = 0;  // errno of a failed read
};

}  // namespace tilewright
