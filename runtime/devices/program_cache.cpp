#include "runtime/devices/program_cache.h"
#include "runtime/errors/plain_text.h"
#include "runtime/process/immortal.h"
#include "tilewright/cache.h"
#include "tilewright/error.h"
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <random>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace tilewright {

namespace driver {

namespace {

// Names: 24 digits and the ending of a program; until it is complete, a dot and 16 digits more, and the other
// ending.
constexpr std::string_view ending = ".program", temporary_ending = ".part";
constexpr size_t digits = 24, temporary_digits = 16;

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

std::string digits_of(const std::string &identity) {
    const auto *bytes = reinterpret_cast<const unsigned char *>(identity.data());
    return fmt::format("{:08x}{:08x}{:08x}", crc32_z(0, bytes, identity.size()),
        adler32_z(1, bytes, identity.size()), identity.size());
}

std::string name_of(const std::string &identity) {
    return digits_of(identity) + std::string(ending);
}

bool are_digits(std::string_view text, size_t count) {
    return text.size() == count && text.find_first_not_of("0123456789abcdef") == text.npos;
}

bool is_name(std::string_view name) {
    return name.ends_with(ending) && are_digits(name.substr(0, name.size() - ending.size()), digits);
}

bool is_temporary_name(std::string_view name) {
    return name.size() == digits + 1 + temporary_digits + temporary_ending.size() &&
           name.ends_with(temporary_ending) && are_digits(name.substr(0, digits), digits) &&
           name[digits] == '.' && are_digits(name.substr(digits + 1, temporary_digits), temporary_digits);
}

// Fewer than asked only where the file has no more, or the disk fails.
size_t read_at(const Descriptor &file, void *to, size_t bytes, size_t at) {
    size_t done = 0;
    while (done < bytes) {
        const ssize_t count =
            pread(*file, static_cast<char *>(to) + done, bytes - done, static_cast<off_t>(at + done));
        if (count > 0) {
            done += static_cast<size_t>(count);
        } else if (count == 0 || errno != EINTR) {
            break;
        }
    }
    return done;
}

// A file that this program wrote.
struct Written {
    Descriptor file;
    struct stat about = {};
    Header header = {};
    bool is_whole = false;

    uint64_t bytes() const {
        return static_cast<uint64_t>(about.st_size);
    }
};

// A file that was cut off may be one of ours with fewer bytes than the magic has.
std::optional<Written> open_written(const Descriptor &folder, const std::string &name) {
    Written written;
    written.file = open_own_file(folder, name, written.about);
    if (!written.file) {
        return {};
    }
    Header &header = written.header;
    const size_t count = read_at(written.file, &header, sizeof header, 0);
    if (std::memcmp(header.magic.data(), magic.data(), std::min(count, magic.size())) != 0) {
        return {};
    }
    const uint64_t rest = written.bytes() - count;
    written.is_whole = count == sizeof header && !others_may_write(written.about) &&
                       header.identity_bytes <= rest && header.binary_bytes == rest - header.identity_bytes;
    return written;
}

struct Program {
    std::string identity, binary;
};

// What is in a file whose header is right; nothing where its checksum is another one.
std::optional<Program> read(const Written &written) {
    Program program;
    program.identity.resize(written.header.identity_bytes);
    program.binary.resize(written.header.binary_bytes);
    const size_t at = sizeof written.header + program.identity.size();
    const bool is_read =
        read_at(written.file, program.identity.data(), program.identity.size(), sizeof written.header) ==
            program.identity.size() &&
        read_at(written.file, program.binary.data(), program.binary.size(), at) == program.binary.size();
    if (!is_read || checksum_of(program.binary, checksum_of(program.identity)) != written.header.checksum) {
        return {};
    }
    return program;
}

// The first line of the identity, as far as a name goes.
std::string device_of(const Written &written) {
    std::string line(std::min<uint64_t>(written.is_whole ? written.header.identity_bytes : 0, 256), '\0');
    line.resize(read_at(written.file, line.data(), line.size(), sizeof written.header));
    return line.substr(0, line.find('\n'));
}

// None in a folder that is not open.
std::vector<std::string> names_in(const Descriptor &folder) {
    std::vector<std::string> names;
    const int again = openat(*folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const std::unique_ptr<DIR, int (*)(DIR *)> list(again >= 0 ? fdopendir(again) : nullptr, closedir);
    if (!list && again >= 0) {
        close(again);
    }
    while (const dirent *entry = list ? readdir(list.get()) : nullptr) {
        names.emplace_back(entry->d_name);
    }
    return names;
}

std::vector<ProgramCache::Entry> entries_in(const Descriptor &folder) {
    std::vector<ProgramCache::Entry> found;
    for (const std::string &name : names_in(folder)) {
        if (const auto written = is_name(name) ? open_written(folder, name) : std::nullopt) {
            found.push_back(
                {name, device_of(*written), written->bytes(), written->about.st_mtime, written->is_whole});
        }
    }
    std::sort(found.begin(), found.end(), [](const auto &a, const auto &b) { return a.used > b.used; });
    return found;
}

}  // namespace

std::string ProgramCache::why_not() const {
    return is_off() ? "" : open_own_folder(folder_, false).why_not;
}

// Says once what keeps a folder from being used.
Descriptor ProgramCache::open_folder(bool make) const {
    if (is_off()) {
        return Descriptor();
    }
    OwnFolder opened = open_own_folder(folder_, make);
    if (!opened.why_not.empty() && !has_warned_.exchange(true)) {
        const std::string line = fmt::format(
            "tilewright: warning: no compiled programs are kept in '{}': {}; let TILEWRIGHT_CACHE name a "
            "folder that is yours alone, or set it to off\n",
            plain_text(folder_.string(), '?'), opened.why_not);
        std::fputs(line.c_str(), stderr);
    }
    return std::move(opened.folder);
}

std::optional<std::string> ProgramCache::find(const std::string &identity) const noexcept try {
    const Descriptor folder = open_folder(false);
    const std::string name = name_of(identity);
    const auto written = folder ? open_written(folder, name) : std::nullopt;
    if (!written) {
        return {};
    }
    std::optional<Program> program;
    if (written->is_whole && written->header.identity_bytes == identity.size() && written->bytes() <= most_) {
        program = read(*written);
    }
    if (!program) {
        unlinkat(*folder, name.c_str(), 0);
        return {};
    }
    if (program->identity != identity) {
        return {};
    }
    futimens(*written->file, nullptr);  // the time of the last use
    return std::move(program->binary);
} catch (const std::exception &) {
    return {};
}

void ProgramCache::keep(const std::string &identity, const std::string &binary) const noexcept try {
    const Descriptor folder = binary.empty() ? Descriptor() : open_folder(true);
    if (!folder) {
        return;
    }
    struct stat about;
    const std::string name = name_of(identity);
    if (fstatat(*folder, name.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0 && !open_written(folder, name)) {
        return;  // something else has that name
    }
    // The file is written under a name of its own and renamed, so that other processes see it whole or not at
    // all.
    std::random_device random;
    const std::string temporary =
        fmt::format("{}.{:08x}{:08x}{}", digits_of(identity), random(), random(), temporary_ending);
    Descriptor file(openat(
        *folder, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!file) {
        return;
    }
    const Header header{magic, identity.size(), binary.size(), checksum_of(binary, checksum_of(identity))};
    const bool is_written = write_all(file, {reinterpret_cast<const char *>(&header), sizeof header}) &&
                            write_all(file, identity) && write_all(file, binary) && file.close();
    if (!is_written || renameat(*folder, temporary.c_str(), *folder, name.c_str()) != 0) {
        unlinkat(*folder, temporary.c_str(), 0);
    }
    make_room(folder);
} catch (const std::exception &) {
    return;  // nothing is kept
}

void ProgramCache::remove(const std::string &identity) const noexcept try {
    const Descriptor folder = open_folder(false);
    const std::string name = name_of(identity);
    if (folder && open_written(folder, name)) {
        unlinkat(*folder, name.c_str(), 0);
    }
} catch (const std::exception &) {
    return;
}

std::vector<ProgramCache::Entry> ProgramCache::entries() const {
    return entries_in(open_folder(false));
}

size_t ProgramCache::clear() const {
    const Descriptor folder = open_folder(false);
    size_t count = 0;
    for (const Entry &entry : entries_in(folder)) {
        if (unlinkat(*folder, entry.name.c_str(), 0) == 0) {
            count += entry.is_whole ? 1 : 0;
        } else if (errno != ENOENT) {
            throw Error(Fault::failed,
                fmt::format("it cannot be removed: {}; remove it by hand", strerror(errno)),
                {.operation = "cache", .argument = "file", .value = (folder_ / entry.name).string()});
        }
    }
    return count;
}

// Removes the programs that were not used for the longest time, and what an ended process left unfinished.
void ProgramCache::make_room(const Descriptor &folder) const {
    uint64_t bytes = 0;
    for (const Entry &entry : entries_in(folder)) {
        if (entry.bytes > most_ - bytes) {
            unlinkat(*folder, entry.name.c_str(), 0);
        } else {
            bytes += entry.bytes;
        }
    }
    constexpr time_t hour = 3600;
    for (const std::string &name : names_in(folder)) {
        struct stat about;
        if (is_temporary_name(name) && open_own_file(folder, name, about) &&
            about.st_mtime < time(nullptr) - hour) {
            unlinkat(*folder, name.c_str(), 0);
        }
    }
}

const ProgramCache &program_cache() {
    return immortal([] { return ProgramCache(cache_folder()); });
}

}  // namespace driver

std::string cache_folder() {
    return user_folder("TILEWRIGHT_CACHE", "XDG_CACHE_HOME", ".cache", "tilewright");
}

std::vector<CachedProgram> cached_programs() {
    const std::string folder = cache_folder();
    std::vector<CachedProgram> programs;
    for (const driver::ProgramCache::Entry &entry : driver::ProgramCache(folder).entries()) {
        if (entry.is_whole) {
            programs.push_back({folder + "/" + entry.name, entry.device, entry.bytes, entry.used});
        }
    }
    return programs;
}

size_t clear_cache() {
    return driver::ProgramCache(cache_folder()).clear();
}

}  // namespace tilewright
