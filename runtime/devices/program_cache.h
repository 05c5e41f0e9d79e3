#pragma once
// Compiled programs of OpenCL on disk; tilewright/cache.h says what is kept, and where. Not installed.
#include "runtime/process/user_folder.h"
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::driver {

// A file has the identity of its program (device, driver and source, in words), and the binary. Its name is
// made of checksums of the identity; programs with the same name replace each other. A file is one of the
// cache when it has such a name, is the user's, and begins as a program does; no other file is read,
// replaced, counted or removed.
class ProgramCache {
public:
    static constexpr uint64_t most_bytes = uint64_t(256) << 20;

    // Keeps nothing where `folder` is empty.
    explicit ProgramCache(std::filesystem::path folder, uint64_t most = most_bytes)
        : folder_(std::move(folder)), most_(most) {}

    // Whether nothing is kept.
    bool is_off() const {
        return folder_.empty();
    }

    // Why a folder that is there is not used (OwnFolder); empty where it is.
    std::string why_not() const;

    // The binary that was kept for exactly this identity. Files that are cut off or changed are removed.
    std::optional<std::string> find(const std::string &identity) const noexcept;

    // Keeps a binary, as far as the folder can be written: a program runs without it as well. `identity`
    // begins with a line that has the device's name.
    void keep(const std::string &identity, const std::string &binary) const noexcept;

    // Forgets the binary, because the driver does not take it.
    void remove(const std::string &identity) const noexcept;

    // A file of the cache. `is_whole`: as far as its length and permissions say.
    struct Entry {
        std::string name, device;
        uint64_t bytes;
        int64_t used;  // seconds since 1970
        bool is_whole;
    };

    // The last used one first.
    std::vector<Entry> entries() const;

    // Removes them, and says how many programs they were. Errors: failed, with the path.
    size_t clear() const;

private:
    Descriptor open_folder(bool make) const;
    void make_room(const Descriptor &folder) const;

    std::filesystem::path folder_;
    uint64_t most_;
    mutable std::atomic<bool> has_warned_ = false;
};

// That of the user (cache_folder(), tilewright/cache.h).
const ProgramCache &program_cache();

}  // namespace tilewright::driver
