#pragma once
// Files that are read. Not installed.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright {

// A file that is read from its beginning to its end.
class InputFile {
public:
    enum class Kinds {
        regular,  // anything else is refused before it is opened: opening a pipe would wait for its other
                  // end. What this process has open already (/dev/fd/63) is taken.
        regular_or_stream
    };

    // The path /dev/stdin is the standard input of this process. Errors: input, when the file cannot be
    // opened, is a directory or of another kind, or a terminal; memory.
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

    // The next bytes, at most four, which the next read() reads again; fewer at the file's end, or when the
    // disk fails.
    std::string peek() noexcept;

    // Returns how many bytes it read: fewer than asked only at the file's end, or when the disk fails.
    size_t read(void *to, size_t bytes) noexcept;

    // Whether the disk failed; refuse_truncated() says how.
    bool has_failed() const {
        return error_number_ != 0;
    }

    // Reads all of the bytes, or refuses the file as truncated.
    void read_whole(void *to, size_t bytes);

    // Bytes that grow without a second copy of them: realloc() moves large ones as pages.
    struct Rest {
        std::unique_ptr<char, decltype(&std::free)> data = {nullptr, std::free};
        size_t size = 0;

        std::string_view text() const {
            return {data.get(), size};
        }
    };

    // All bytes from here on. Errors: input, when there are more than `most`, with what to do `next`; memory.
    Rest read_rest(int64_t most, const std::string &next = raise_limits);

    // Sets the place of the next read(), from the file's beginning, as fseeko() does. For a file of known
    // size alone. Returns false where there is no such place.
    bool seek(int64_t position) noexcept;

    // Keeps the rest of a stream in memory, so that it has a size and places. To be called before the first
    // read(). Errors: input, when it is over `most` bytes; memory.
    void make_seekable(int64_t most);

    // The bytes of it that are kept in memory.
    int64_t kept_bytes() const {
        return static_cast<int64_t>(kept_.size);
    }

    // Throws Error (input): "cannot read 'PATH': WHY; NEXT".
    [[noreturn]] void refuse(const std::string &why, const std::string &next) const;

    // The same for a file from which read() returned too few bytes.
    [[noreturn]] void refuse_truncated() const;

private:
    static const char *const raise_limits;

    struct Close {
        void operator()(std::FILE *file) const {
            std::fclose(file);
        }
    };

    void open(Kinds kinds);
    void open_descriptor(int given);

    std::string path_;
    Rest kept_;  // the bytes of a stream that was made seekable
    std::unique_ptr<std::FILE, Close> file_;
    std::optional<int64_t> size_;
    int64_t position_ = 0;
    int error_number_ = 0;  // errno of a failed read
};

}  // namespace tilewright
