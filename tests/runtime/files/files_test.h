#pragma once
// The tests of output files and of arrays in files: a folder, and file systems with and without files that
// have no name.
#include "runtime/files/output/output_file.h"
#include "tests/runtime/files/refusing_system.h"
#include "tests/support/errors.h"
#include "tests/support/files.h"
#include "tests/support/process.h"
#include "tilewright/files.h"
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>

namespace tilewright {

namespace fs = std::filesystem;
using refusing_system::has_unnamed_files;

class FilesTest : public testing::Test {
protected:
    TestFolder folder;
    const Bytes older = bytes_of("the older file"), newer = bytes_of("the newer one");

    void write(OutputFile &file) {
        ASSERT_TRUE(file.write(newer.data(), newer.size()));
    }

    ~FilesTest() override {
        has_unnamed_files = true;
    }

    // Calls `action` with a file system that knows files without a name, where this one does, and with one
    // that does not.
    void both_ways(const std::function<void(bool unnamed)> &action) {
        for (const bool unnamed : {true, false}) {
            if (!unnamed || knows_unnamed_files(folder.path())) {
                SCOPED_TRACE(unnamed ? "without a name" : "under a temporary name");
                has_unnamed_files = unnamed;
                action(unnamed);
                has_unnamed_files = true;
            }
        }
    }

    struct stat about(const std::string &path) {
        struct stat about = {};
        EXPECT_EQ(lstat(path.c_str(), &about), 0) << path;
        return about;
    }
};

}  // namespace tilewright
