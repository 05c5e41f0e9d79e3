// Files of a test.
#include "tests/support/files.h"
#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <unistd.h>

namespace tilewright {

namespace fs = std::filesystem;

TestFolder::TestFolder(Of what) {
    std::error_code none;
    const auto memory = fs::space("/dev/shm", none);
    const bool has_room = !none && memory.available > (uint64_t(1) << 30);
    const fs::path parent = what == Of::data && has_room ? "/dev/shm" : fs::temp_directory_path();
    std::string name = (parent / "tilewright-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
        throw std::runtime_error("no folder can be made in " + name);
    }
    path_ = name;
}

TestFolder::~TestFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

Names TestFolder::names() const {
    return names_in(path());
}

Names names_in(const std::string &folder) {
    Names names;
    for (const auto &entry : fs::directory_iterator(folder)) {
        names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

bool knows_unnamed_files(const std::string &folder) {
    const int file = ::open(folder.c_str(), O_WRONLY | O_TMPFILE, 0600);
    return file >= 0 && close(file) == 0;
}

Bytes read_bytes(const std::string &path) {
    return bytes_of(read_text(path));
}

std::string read_text(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file.is_open()) << path;
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_bytes(const std::string &path, const Bytes &bytes) {
    // Removed, not truncated: a file system that then writes to the disk at once makes thousands of files
    // slow.
    fs::remove(path);
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    file.close();
    ASSERT_TRUE(file.good()) << path;
}

}  // namespace tilewright
