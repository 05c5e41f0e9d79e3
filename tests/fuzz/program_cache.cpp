// A file of the cache of compiled programs. The first byte says whether the header of the rest is made right,
// because a random checksum is wrong.
#include "runtime/devices/program_cache.h"
#include "tests/fuzz/fuzz.h"
#include <filesystem>
#include <fstream>
#include <vector>
#include <zlib.h>

namespace {

using tilewright::driver::ProgramCache;
const std::string identity = "a device\nand its program";

// The one file of a folder that is the user's alone.
struct Cache {
    std::filesystem::path folder = [] {
        std::string name = (std::filesystem::temp_directory_path() / "fuzz-XXXXXX").string();
        tilewright::fuzz::require(mkdtemp(name.data()) != nullptr, "a folder can be made");
        return name;
    }();
    ProgramCache cache = ProgramCache(folder);
    std::filesystem::path file = [this] {
        cache.keep(identity, "its code");
        tilewright::fuzz::require(cache.find(identity) == "its code", "what was kept is found");
        return std::filesystem::directory_iterator(folder)->path();
    }();
    ~Cache() {
        std::filesystem::remove_all(folder);
    }
};

// As runtime/devices/program_cache.cpp writes a file: magic, three numbers, the identity, the binary.
std::vector<uint8_t> with_header(const uint8_t *data, size_t size) {
    std::vector<uint8_t> all(16 + 3 * sizeof(uint64_t));
    std::memcpy(all.data(), "tilewright prog\n", 16);
    all.insert(all.end(), identity.begin(), identity.end());
    all.insert(all.end(), data, data + size);
    const uint64_t numbers[] = {identity.size(), size, crc32_z(0, all.data() + 40, identity.size() + size)};
    std::memcpy(all.data() + 16, numbers, sizeof numbers);
    return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    using tilewright::fuzz::require;
    static const Cache cache;
    const bool is_right = size > 0 && data[0] == 1;
    const uint8_t *const rest = data + (size > 0 ? 1 : 0);
    const size_t rest_size = size - (rest - data);
    const std::vector<uint8_t> bytes =
        is_right ? with_header(rest, rest_size) : std::vector<uint8_t>(rest, rest + rest_size);
    std::ofstream(cache.file, std::ios::binary)
        .write(reinterpret_cast<const char *>(bytes.data()), (std::streamsize)bytes.size());
    std::filesystem::permissions(cache.file, std::filesystem::perms(0600));
    cache.cache.entries();
    const std::optional<std::string> found = cache.cache.find(identity);
    require(!is_right || found == std::string(rest, rest + rest_size), "a whole program is found");
    return 0;
}
