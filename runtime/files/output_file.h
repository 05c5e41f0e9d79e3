#pragma once
#include "tilewright/error.h"
#include <cstdio>
#include <optional>
#include <string>
#include <sys/stat.h>

namespace tilewright {

// A name in a folder, whether or not there is a file of that name. The folder is held open, so that neither the length of its
// path nor a change of the working folder matters.
class FolderEntry {
public:
    // Follows links, the last one even where it leads to no file yet. Null, with errno, when there is no such folder.
    static std::optional<FolderEntry> find(std::string path);

    FolderEntry(int folder, std::string name) : folder(folder), name(std::move(name)) {
    }
    FolderEntry(FolderEntry &&other) noexcept;
    FolderEntry &operator=(FolderEntry &&other) noexcept;
    ~FolderEntry();

    int folder = -1;
    std::string name;
};

// A file that is whole or absent. Until commit() it has no name where the file system offers that (O_TMPFILE), and so vanishes
// with the process, however that ends. Elsewhere it is written under a temporary name beside its place; without commit() the
// destructor removes it, and so does remove_pending_outputs() (files.h), which a handler of signals may call.
// commit() gives it its name, and the place, owner, group and permissions of an older file.
// What is no regular file (/dev/null, a pipe) is written directly.
class OutputFile {
public:
    // Errors: failed, with path and reason, when no file can be written there; memory.
    explicit OutputFile(const std::string &destination);
    ~OutputFile();
    OutputFile(const OutputFile &) = delete;
    OutputFile &operator=(const OutputFile &) = delete;

    // Returns false when the disk does not take them; fail() then throws the reason.
    bool write(const void *from, size_t bytes) noexcept;
    [[noreturn]] void fail() const;

    // Gives the file its temporary name, which proves that the folder takes one more. Errors: failed.
    void appear();

    // Completes the file and gives it its name. Errors: failed; an older file is then as it was.
    void commit();

private:
    struct Pending;
    friend void remove_pending_outputs() noexcept;

    OutputFile() = default;

    template<typename Make>
    bool under_temporary_name(const Make &make);
    bool link();
    void discard() noexcept;

    std::string destination_;           // as the caller wrote it
    std::optional<FolderEntry> entry_;  // where it goes; null for what is written directly
    std::optional<struct stat> older_;  // the file that it replaces
    std::string temporary_;             // its name before commit(); empty while it has none
    Pending *pending_ = nullptr;
    std::FILE *file_ = nullptr;
    int fault_ = 0;
};

}  // namespace tilewright
