#pragma once
// What the tests of files share: a folder that goes away, whole files as bytes, and errors that must come.
#include "tilewright/array.h"
#include "tilewright/error.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

namespace tilewright {

class TemporaryFolder {
public:
    TemporaryFolder() {
        // In memory where there is room: thousands of small files take a minute on a busy disk.
        std::error_code none;
        const auto memory = std::filesystem::space("/dev/shm", none);
        const bool has_room = !none && memory.available > (uint64_t(1) << 30);
        const std::filesystem::path place = has_room ? "/dev/shm" : std::filesystem::temp_directory_path();
        std::string name = (place / "tilewright-test-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) {
            throw std::runtime_error("no folder can be made in " + name);
        }
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder &operator=(const TemporaryFolder &) = delete;

    std::string file(const std::string &name) const {
        return (path_ / name).string();
    }
    std::string path() const {
        return path_.string();
    }

    // The names of what it holds, in order.
    std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const auto &entry : std::filesystem::directory_iterator(path_)) {
            names.push_back(entry.path().filename().string());
        }
        std::sort(names.begin(), names.end());
        return names;
    }

private:
    std::filesystem::path path_;
};

using Bytes = std::vector<uint8_t>;

inline Bytes read_bytes(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file.is_open()) << path;
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void write_bytes(const std::string &path, const Bytes &bytes) {
    // Not truncated: a file system that then writes to the disk at once makes thousands of files slow.
    std::filesystem::remove(path);
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    file.close();
    ASSERT_TRUE(file.good()) << path;
}

inline Bytes bytes_of(const std::string &text) {
    return {text.begin(), text.end()};
}

// Calls `action`, which must throw an Error of that class, in one line that holds `words`. Returns the line.
template<typename Action>
std::string expect_error(Fault fault, const std::string &words, const Action &action) {
    try {
        action();
    } catch (const Error &error) {
        const std::string line = error.what();
        EXPECT_EQ(error.fault(), fault) << line;
        EXPECT_NE(line.find(words), std::string::npos) << "'" << words << "' is not in: " << line;
        EXPECT_EQ(line.find('\n'), std::string::npos) << line;
        return line;
    }
    ADD_FAILURE() << "no error, where one with '" << words << "' was expected";
    return "";
}

// Row y of an array, as elements.
template<typename T>
const T *row_of(const Array &array, int64_t y) {
    return array.as<T>() + y * array.strides()[0];
}

}  // namespace tilewright
