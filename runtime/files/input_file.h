#pragma once
// Files that are read. Not installed.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

namespace tilewright {

// A file that is read from its beginning to its end.
class InputFile {
public:
    enum class Kinds {
        regular,  // anything else is refused before it is opened: opening a pipe would wait for its other end
        regular_or_stream
    };

    // Errors: input, when it cannot be opened, is a directory or of another kind; memory.
    explicit InputFile(const std::string &path, Kinds kinds = Kinds::regular_or_stream);

    const std::string &path() const {
        return path_;
    }

    // Its length in bytes; nothing for what is not a regular file (a pipe).
    std::optional<int64_t> size() const {
        return size_;
    }

    // The number of bytes that were read.
    int64_t position() const {
        return position_;
    }

    // The next byte, which the next read() reads again; nothing at the file's end, or when the disk fails.
    std::optional<uint8_t> peek() noexcept;

    // Returns how many bytes it read: fewer than asked only at the file's end, or when the disk fails.
    size_t read(void *to, size_t bytes) noexcept;

    // Reads all of the bytes, or refuses the file as truncated.
    void read_whole(void *to, size_t bytes);

    // Throws Error (input): "cannot read 'PATH': WHY; NEXT".
    [[noreturn]] void refuse(const std::string &why, const std::string &next) const;

    // The same for a file from which read() returned too few bytes.
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
    int error_number_ = 0;  // errno of a failed read
};

}  // namespace tilewright
