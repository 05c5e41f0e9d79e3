#pragma once
// Files that are written. Not installed.
#include "runtime/files/output/folder_entry.h"
#include "runtime/files/output/pending_outputs.h"
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>

namespace tilewright {

// A file that is whole or absent. Until commit() it has no name, where the file system offers that
// (O_TMPFILE), and so it vanishes with the process, however that ends. On other file systems it is written
// under a temporary name in the same folder; without commit() the destructor removes it, and so does
// remove_pending_outputs() (files.h), which a handler of signals may call. commit() gives it its name, and
// the owner, group and permissions of an older file, which it replaces. What is not a regular file
// (/dev/null, a pipe) is written directly, and so is standard output (/dev/stdout).
class OutputFile {
public:
    // Errors: failed, with path and reason, when no file can be written there; memory.
    explicit OutputFile(const std::string &path);
    ~OutputFile();
    OutputFile(const OutputFile &) = delete;
    OutputFile &operator=(const OutputFile &) = delete;

    // Returns false when the disk does not take the bytes; fail() then throws the reason.
    bool write(const void *from, size_t bytes) noexcept;

    // Writes the bytes. Errors: failed.
    void put(std::string_view bytes);

    // Whether there are places in it: a regular file has them, a pipe has not.
    bool has_places() const {
        return entry_.has_value();
    }

    // The same at a place of a file that has them; write() continues behind it.
    bool write_at(int64_t position, const void *from, size_t bytes) noexcept;

    bool has_failed() const {
        return error_number_ != 0;
    }

    // Throws Error (failed) with the reason of the first failure.
    [[noreturn]] void fail() const;

    // Gives the file its temporary name, which proves that the folder takes one more. Errors: failed.
    void appear();

    // Whoever may read the file may run it too. Takes effect with commit(), as far as the file system can.
    void make_executable() {
        is_executable_ = true;
    }

    // Completes the file and gives it its name. Errors: failed; an older file is then as it was.
    void commit();

private:
    OutputFile() = default;

    template<typename Make>
    bool under_temporary_name(const Make &make);
    bool link();
    void discard() noexcept;

    std::string path_;                  // as the caller wrote it
    std::optional<FolderEntry> entry_;  // where it will be; nothing for what is written directly
    std::optional<struct stat> older_;  // the file that it replaces
    std::string temporary_;             // its name before commit(); empty while it has none
    PendingOutput *pending_ = nullptr;
    std::FILE *file_ = nullptr;
    int64_t position_ = 0;  // of the next byte
    bool is_executable_ = false;
    int error_number_ = 0;  // errno of the first failure
};

}  // namespace tilewright
