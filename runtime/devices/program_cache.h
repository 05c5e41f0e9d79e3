#pragma once
// Compiled programs of OpenCL and modules of CUDA on disk; tilewright/cache.h says what is kept, and where.
// Not installed.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace tilewright::driver {

// A file has the identity of its program (device, driver and source, in words), and the binary. Its name is
// made of checksums of the identity; programs with the same name replace each other.
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

    // The binary that was kept for exactly this identity. Files that are cut off or changed are removed.
    std::optional<std::string> find(const std::string &identity) const noexcept;

    // Keeps a binary, as far as the folder can be written: a program runs without it as well. `identity`
    // begins with a line that has the device's name.
    void keep(const std::string &identity, const std::string &binary) const noexcept;

    // Forgets the binary, because the driver does not take it.
    void remove(const std::string &identity) const noexcept;

private:
    std::filesystem::path file_of(const std::string &identity) const;
    void make_room() const;

    std::filesystem::path folder_;
    uint64_t most_;
};

// That of the user (cache_folder(), tilewright/cache.h).
const ProgramCache &program_cache();

}  // namespace tilewright::driver
