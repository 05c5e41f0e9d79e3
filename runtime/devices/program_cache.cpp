#include "runtime/devices/program_cache.h"
#include "tilewright/cache.h"
#include "tilewright/error.h"
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace tilewright {

namespace driver {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".program", temporary_ending = ".part";

// The beginning of a file. The numbers have the byte order of the machine, whose folder it is.
struct Header {
    std::array<char, 16> magic;
    uint64_t identity_bytes, binary_bytes, checksum;
};
constexpr std::array<char, 16> magic = {
    't', 'i', 'l', 'e', 'w', 'r', 'i', 'g', 'h', 't', ' ', 'p', 'r', 'o', 'g', '\n'};

uint64_t checksum_of(const std::string &text, uint64_t before = 0) {
    return crc32_z(before, reinterpret_cast<const unsigned char *>(text.data()), text.size());
}

struct Program {
    std::string identity, binary;
};

// What is in a file; nothing where it is no whole program.
std::optional<Program> read(const fs::path &path) {
    std::error_code none;
    const uint64_t bytes = fs::file_size(path, none);
    std::ifstream file(path, std::ios::binary);
    Header header;
    if (none || !file.read(reinterpret_cast<char *>(&header), sizeof header) || header.magic != magic ||
        header.identity_bytes > bytes || header.binary_bytes > bytes ||
        sizeof header + header.identity_bytes + header.binary_bytes != bytes) {
        return {};
    }
    Program program;
    program.identity.resize(header.identity_bytes);
    program.binary.resize(header.binary_bytes);
    file.read(program.identity.data(), (std::streamsize)header.identity_bytes);
    file.read(program.binary.data(), (std::streamsize)header.binary_bytes);
    if (!file || checksum_of(program.binary, checksum_of(program.identity)) != header.checksum) {
        return {};
    }
    return program;
}

struct Entry {
    fs::path path;
    uint64_t bytes;
    int64_t used;  // seconds since 1970
};

// The files of the folder whose names are those of programs, the last used one first.
std::vector<Entry> entries(const fs::path &folder) {
    std::vector<Entry> found;
    std::error_code none;
    for (fs::directory_iterator at(folder, none), end; !none && at != end; at.increment(none)) {
        struct stat file;
        if (at->path().extension() == ending && stat(at->path().c_str(), &file) == 0 &&
            S_ISREG(file.st_mode)) {
            found.push_back({at->path(), (uint64_t)file.st_size, file.st_mtime});
        }
    }
    std::sort(found.begin(), found.end(), [](const Entry &a, const Entry &b) { return a.used > b.used; });
    return found;
}

}  // namespace

fs::path ProgramCache::file_of(const std::string &identity) const {
    const auto *bytes = reinterpret_cast<const unsigned char *>(identity.data());
    return folder_ / fmt::format("{:08x}{:08x}{:08x}{}", crc32_z(0, bytes, identity.size()),
                         adler32_z(1, bytes, identity.size()), identity.size(), ending);
}

std::optional<std::string> ProgramCache::find(const std::string &identity) const noexcept try {
    if (folder_.empty()) {
        return {};
    }
    const fs::path path = file_of(identity);
    std::error_code none;
    if (!fs::exists(path, none)) {
        return {};
    }
    std::optional<Program> program = read(path);
    if (!program) {
        fs::remove(path, none);
        return {};
    }
    if (program->identity != identity) {
        return {};
    }
    fs::last_write_time(path, fs::file_time_type::clock::now(), none);  // the time of the last use
    return std::move(program->binary);
} catch (const std::exception &) {
    return {};
}

void ProgramCache::keep(const std::string &identity, const std::string &binary) const noexcept try {
    if (folder_.empty() || binary.empty()) {
        return;
    }
    std::error_code none;
    fs::create_directories(folder_, none);
    // The file is written under a name of its own and renamed, so that other processes see it whole or not at
    // all.
    std::string name = (folder_ / fmt::format("XXXXXX{}", temporary_ending)).string();
    const int descriptor = mkstemps(name.data(), temporary_ending.size());
    if (descriptor < 0) {
        return;
    }
    close(descriptor);
    const Header header{magic, identity.size(), binary.size(), checksum_of(binary, checksum_of(identity))};
    std::ofstream file(name, std::ios::binary);
    file.write(reinterpret_cast<const char *>(&header), sizeof header);
    file << identity << binary;
    file.close();
    if (file.good()) {
        fs::rename(name, file_of(identity), none);
    }
    fs::remove(name, none);  // where it is still there
    make_room();
} catch (const std::exception &) {
    return;  // nothing is kept
}

void ProgramCache::remove(const std::string &identity) const noexcept try {
    std::error_code none;
    if (!folder_.empty()) {
        fs::remove(file_of(identity), none);
    }
} catch (const std::exception &) {
    return;
}

// Removes the programs that were not used for the longest time, and what an ended process left unfinished.
void ProgramCache::make_room() const {
    uint64_t bytes = 0;
    std::error_code none;
    for (const Entry &entry : entries(folder_)) {
        bytes += entry.bytes;
        if (bytes > most_) {
            fs::remove(entry.path, none);
        }
    }
    const auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
    for (fs::directory_iterator at(folder_, none), end; !none && at != end; at.increment(none)) {
        std::error_code gone;
        if (at->path().extension() == temporary_ending && at->last_write_time(gone) < old && !gone) {
            fs::remove(at->path(), gone);
        }
    }
}

const ProgramCache &program_cache() {
    static const auto &found = *new ProgramCache(cache_folder());
    return found;
}

}  // namespace driver

std::string cache_folder() {
    const auto value = [](const char *name) {
        const char *text = getenv(name);
        return std::string(text ? text : "");
    };
    if (const std::string own = value("TILEWRIGHT_CACHE"); !own.empty()) {
        return own == "off" ? "" : own;
    }
    if (const std::string shared = value("XDG_CACHE_HOME"); !shared.empty()) {
        return shared + "/tilewright";
    }
    const std::string home = value("HOME");
    return home.empty() ? "" : home + "/.cache/tilewright";
}

std::vector<CachedProgram> cached_programs() {
    std::vector<CachedProgram> programs;
    for (const driver::Entry &entry : driver::entries(cache_folder())) {
        if (const auto program = driver::read(entry.path)) {
            const std::string device = program->identity.substr(0, program->identity.find('\n'));
            programs.push_back({entry.path.string(), device, entry.bytes, entry.used});
        }
    }
    return programs;
}

size_t clear_cache() {
    size_t count = 0;
    for (const driver::Entry &entry : driver::entries(cache_folder())) {
        std::error_code failed;
        count += std::filesystem::remove(entry.path, failed);
        if (failed) {
            throw Error(Fault::failed,
                fmt::format("it cannot be removed: {}; remove it by hand", failed.message()),
                {.operation = "cache", .argument = "file", .value = entry.path.string()});
        }
    }
    return count;
}

}  // namespace tilewright
