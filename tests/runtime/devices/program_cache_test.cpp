// Compiled programs on disk: what comes back, what is refused, what is bounded, and many at a time.
#include "runtime/devices/program_cache.h"
#include "tests/support/files.h"
#include "tilewright/cache.h"
#include <fstream>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace tilewright {
namespace {

namespace fs = std::filesystem;
using driver::ProgramCache;

class ProgramCacheTest : public testing::Test {
protected:
    std::vector<fs::path> files() const {
        std::vector<fs::path> found;
        for (const auto &entry : fs::directory_iterator(folder)) {
            found.push_back(entry.path());
        }
        return found;
    }

    TestFolder temporary;
    const fs::path folder = fs::path(temporary.file("kept")) / "deeper";
    const ProgramCache cache{folder};
};

TEST_F(ProgramCacheTest, WhatIsKeptComesBack) {
    EXPECT_FALSE(cache.find("device\nsource"));
    const std::string binary("\0\1binary\377", 9);
    cache.keep("device\nsource", binary);
    EXPECT_EQ(cache.find("device\nsource"), binary);
    EXPECT_FALSE(cache.find("device\nanother source"));
    cache.keep("device\nsource", "newer");
    EXPECT_EQ(cache.find("device\nsource"), "newer");
    EXPECT_EQ(files().size(), 1u);
    cache.remove("device\nsource");
    EXPECT_FALSE(cache.find("device\nsource"));
}

// Every byte that is missing, and every byte that is another one, is noticed. A file that does not begin as
// those of the cache is somebody else's, and stays.
TEST_F(ProgramCacheTest, ABrokenFileIsRemovedAndNeverUsed) {
    cache.keep("device\nsource", "a binary");
    const fs::path path = files().front();
    std::ifstream in(path, std::ios::binary);
    const std::string whole((std::istreambuf_iterator<char>(in)), {});
    const auto is_refused = [&](const std::string &content) {
        std::ofstream(path, std::ios::binary) << content;
        return !cache.find("device\nsource") && !fs::exists(path);
    };
    for (size_t n = 0; n < whole.size(); n++) {
        EXPECT_TRUE(is_refused(whole.substr(0, n))) << n << " bytes";
        std::string changed = whole;
        changed[n] ^= 4;
        if (n < 16) {
            std::ofstream(path, std::ios::binary) << changed;
            EXPECT_FALSE(cache.find("device\nsource")) << "byte " << n;
            EXPECT_TRUE(fs::exists(path)) << "byte " << n;
        } else {
            EXPECT_TRUE(is_refused(changed)) << "byte " << n;
        }
    }
    EXPECT_TRUE(is_refused(whole + "x"));
    EXPECT_FALSE(is_refused(whole));
}

TEST_F(ProgramCacheTest, TheOldestGoFirst) {
    const ProgramCache small(folder, 3000);
    for (const char *name : {"first", "second", "third"}) {
        small.keep(name, std::string(1000, 'x'));
        const auto hour = std::chrono::hours(name[0] == 'f' ? 3 : name[0] == 's' ? 2 : 1);
        for (const fs::path &path : files()) {
            if (fs::last_write_time(path) > fs::file_time_type::clock::now() - std::chrono::minutes(30)) {
                fs::last_write_time(path, fs::file_time_type::clock::now() - hour);
            }
        }
    }
    EXPECT_FALSE(small.find("first"));
    EXPECT_TRUE(small.find("second"));
    EXPECT_TRUE(small.find("third"));
}

TEST_F(ProgramCacheTest, WhereNothingCanBeKeptNothingIsLost) {
    const ProgramCache none{fs::path()};
    none.keep("device\nsource", "binary");
    EXPECT_FALSE(none.find("device\nsource"));
    const std::string file = temporary.file("file");
    std::ofstream(file) << "no folder";
    const ProgramCache impossible(fs::path(file) / "below");
    impossible.keep("device\nsource", "binary");
    EXPECT_FALSE(impossible.find("device\nsource"));
}

TEST_F(ProgramCacheTest, ManyMayWriteAndReadAtOnce) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 50; i++) {
                const std::string name = "program " + std::to_string(i % 5);
                cache.keep(name, std::string(5000, (char)('a' + t)));
                const auto found = cache.find(name);
                ASSERT_TRUE(!found || (found->size() == 5000 &&
                                          found->find_first_not_of(found->front()) == std::string::npos));
            }
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    EXPECT_EQ(files().size(), 5u);
}

TEST_F(ProgramCacheTest, ListsAndClearsWhatIsThere) {
    setenv("TILEWRIGHT_CACHE", folder.c_str(), 1);
    EXPECT_EQ(cache_folder(), folder.string());
    EXPECT_TRUE(cached_programs().empty());
    EXPECT_EQ(clear_cache(), 0u);
    cache.keep("device\nsource", "binary");
    std::ofstream(folder / "mine.txt") << "not a program";
    const auto programs = cached_programs();
    ASSERT_EQ(programs.size(), 1u);
    EXPECT_EQ(programs[0].device, "device");
    EXPECT_GT(programs[0].bytes, 6u);
    EXPECT_GT(programs[0].last_used, 1600000000);
    EXPECT_EQ(clear_cache(), 1u);
    EXPECT_TRUE(cached_programs().empty());
    EXPECT_TRUE(fs::exists(folder / "mine.txt"));
    setenv("TILEWRIGHT_CACHE", "off", 1);
    EXPECT_EQ(cache_folder(), "");
    unsetenv("TILEWRIGHT_CACHE");
}

}  // namespace
}  // namespace tilewright
