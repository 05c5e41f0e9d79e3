#pragma once
// The tests of PNG files: bytes that are read as a file, or refused.
#include "tests/support/errors.h"
#include "tests/support/files.h"
#include "tilewright/png.h"
#include <gtest/gtest.h>
#include <random>
#include <string>

namespace tilewright {

class PngTest : public testing::Test {
protected:
    TestFolder folder;
    std::mt19937 random{2026};

    // Reads bytes as a file.
    Png read(const Bytes &bytes, const PngLimits &limits = {}) {
        const std::string path = folder.file("sample.png");
        write_bytes(path, bytes);
        return read_png(path, limits);
    }

    std::string expect_refused(const Bytes &bytes, const std::string &words, const PngLimits &limits = {}) {
        const std::string line = expect_error(Fault::input, words, [&] { read(bytes, limits); });
        EXPECT_NE(line.find("sample.png"), std::string::npos) << line;
        return line;
    }
};

}  // namespace tilewright
