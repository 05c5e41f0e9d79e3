#pragma once
#include "tilewright/error.h"
#include <cstdio>
#include <string>

namespace tilewright {

// A file that is whole or absent. It is written under a temporary name beside its place, and takes its name (and the place
// of an older file) at commit(). Without commit() nothing stays: the destructor removes the temporary file, and so does
// remove_pending_outputs() (files.h), which a handler of signals may call.
// What is no regular file (/dev/null, a pipe) is written directly.
class OutputFile {
public:
    // Errors: failed, with path and reason, when no file can be written there.
    explicit OutputFile(const std::string &destination);
    ~OutputFile();
    OutputFile(const OutputFile &) = delete;
    OutputFile &operator=(const OutputFile &) = delete;

    // The name under which it is written; for writers that want a name instead of write().
    const std::string &path() const {
        return path_;
    }

    // Returns false when the disk does not take them; fail() then throws the reason.
    bool write(const void *from, size_t bytes) noexcept;
    [[noreturn]] void fail() const;

    // Completes the file and gives it its name. Errors: failed; an older file is then as it was.
    void commit();

private:
    struct Pending;
    friend void remove_pending_outputs() noexcept;

    void discard() noexcept;

    std::string destination_;  // as the caller wrote it
    std::string target_;       // where it goes, links followed
    std::string path_;
    Pending *pending_ = nullptr;
    std::FILE *file_ = nullptr;
    int fault_ = 0;
};

}  // namespace tilewright
