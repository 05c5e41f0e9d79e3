#pragma once
// Files of a test: a folder that the test's end removes, and whole files as bytes or as text.
#include <cstdint>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tilewright {

using Bytes = std::vector<uint8_t>;
using Names = std::vector<std::string>;

class TestFolder {
public:
    // Data lives in memory where there is room: thousands of small files take a minute on a busy disk.
    // Programs that a test runs need a folder on the disk, because many systems run none from memory.
    enum class Of { data, programs };
    explicit TestFolder(Of what = Of::data);
    ~TestFolder();
    TestFolder(const TestFolder &) = delete;
    TestFolder &operator=(const TestFolder &) = delete;

    std::string file(const std::string &name) const {
        return (path_ / name).string();
    }
    std::string path() const {
        return path_.string();
    }
    // The names of what it holds, in order.
    Names names() const;

private:
    std::filesystem::path path_;
};

// The names of what a folder holds, in order.
Names names_in(const std::string &folder);

// Whether the file system of a folder can make files that have no name yet (O_TMPFILE).
bool knows_unnamed_files(const std::string &folder);

// The whole file. The test fails where there is none.
Bytes read_bytes(const std::string &path);
std::string read_text(const std::string &path);

void write_bytes(const std::string &path, const Bytes &bytes);

inline Bytes bytes_of(const std::string &text) {
    return {text.begin(), text.end()};
}

}  // namespace tilewright
