// Which folders and files the cache of compiled programs takes for its own: it runs what is in them, and
// removes what is too much.
#include "runtime/devices/program_cache.h"
#include "runtime/measured/measured.h"
#include "tests/support/errors.h"
#include "tests/support/files.h"
#include "tests/support/process.h"
#include "tilewright/cache.h"
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

namespace tilewright {
namespace {

namespace fs = std::filesystem;
using driver::ProgramCache;

constexpr uid_t somebody = 65534;
const std::string identity = "device\nsource";

class ProgramCacheTrust : public testing::Test {
protected:
    static mode_t mode_of(const fs::path &path) {
        struct stat about = {};
        EXPECT_EQ(lstat(path.c_str(), &about), 0) << path;
        return about.st_mode & 07777;
    }

    // The file of the only program that is kept.
    std::string kept_file() const {
        const auto entries = ProgramCache(folder).entries();
        EXPECT_EQ(entries.size(), 1u);
        return entries.empty() ? "" : (folder / entries[0].name).string();
    }

    // Neither finds nor keeps, and says why in one line.
    void expect_off(const fs::path &path, const std::string &why) const {
        SCOPED_TRACE(why);
        const ProgramCache off(path);
        testing::internal::CaptureStderr();
        EXPECT_FALSE(off.find(identity));
        off.keep("device\nanother", "binary");
        EXPECT_FALSE(off.find("device\nanother"));
        EXPECT_TRUE(off.entries().empty());
        EXPECT_EQ(off.clear(), 0u);
        const std::string said = testing::internal::GetCapturedStderr();
        const std::string line =
            "tilewright: warning: no compiled programs are kept in '" + path.string() + "': ";
        EXPECT_EQ(said.rfind(line, 0), 0u) << said;
        EXPECT_NE(said.find(why), std::string::npos) << said;
        EXPECT_NE(said.find("TILEWRIGHT_CACHE"), std::string::npos) << said;
        EXPECT_EQ(said.find('\n'), said.size() - 1) << said;
        EXPECT_EQ(off.why_not().find(why) == std::string::npos, !fs::exists(path));
    }

    void TearDown() override {
        for (const char *name : {"TILEWRIGHT_MEASURED", "TILEWRIGHT_CACHE"}) {
            unsetenv(name);
        }
    }

    TestFolder temporary;
    const fs::path folder = temporary.file("kept");
    const ProgramCache cache{folder};
};

TEST_F(ProgramCacheTrust, WhatIsNewIsForTheUserAlone) {
    const mode_t before = umask(0);
    ProgramCache(folder / "deeper").keep(identity, "binary");
    umask(before);
    EXPECT_EQ(mode_of(folder), 0700u);
    EXPECT_EQ(mode_of(folder / "deeper"), 0700u);
    for (const auto &entry : fs::directory_iterator(folder / "deeper")) {
        EXPECT_EQ(mode_of(entry.path()), 0600u);
    }
}

TEST_F(ProgramCacheTrust, AFolderThatOthersCouldHaveFilledIsNotUsed) {
    cache.keep(identity, "binary");
    for (const mode_t mode : {0777, 0770, 0707, 01777}) {
        chmod(folder.c_str(), mode);
        expect_off(folder, "others may write to it");
    }
    chmod(folder.c_str(), 0755);
    EXPECT_EQ(cache.find(identity), "binary");
    const fs::path link = temporary.file("link");
    fs::create_directory_symlink(folder, link);
    expect_off(link, "it is a link");
    expect_off(link / "", "it is a link");
    const fs::path file = temporary.file("file");
    write_bytes(file, {});
    expect_off(file, "it is no folder");
    EXPECT_EQ(cache.find(identity), "binary");
}

TEST_F(ProgramCacheTrust, AnotherUsersFolderIsNotUsed) {
    cache.keep(identity, "binary");
    if (chown(folder.c_str(), somebody, somebody) != 0) {
        GTEST_SKIP() << "not run here: only root gives folders away";
    }
    expect_off(folder, "it belongs to user 65534, and this program runs as user 0");
    expect_off(folder / "below", "the folder that it would be in belongs to user 65534");
    EXPECT_FALSE(fs::exists(folder / "below"));
}

TEST_F(ProgramCacheTrust, AFileThatOthersMayWriteIsCompiledAgain) {
    cache.keep(identity, "binary");
    for (const mode_t mode : {0666, 0620}) {
        chmod(kept_file().c_str(), mode);
        EXPECT_FALSE(cache.find(identity));
        cache.keep(identity, "binary");
        EXPECT_EQ(cache.find(identity), "binary");
        EXPECT_EQ(mode_of(kept_file()), 0600u);
    }
    const std::string file = kept_file();
    if (chown(file.c_str(), somebody, somebody) == 0) {
        EXPECT_FALSE(cache.find(identity));
        cache.keep(identity, "newer");
        EXPECT_FALSE(cache.find(identity));
        EXPECT_TRUE(fs::exists(file));
    }
}

// What the system would wait for, and what leads elsewhere, under the name of a program.
TEST_F(ProgramCacheTrust, OnlyARegularFileIsOpenedOrReplaced) {
    cache.keep(identity, "binary");
    const std::string file = kept_file(), elsewhere = temporary.file("elsewhere");
    fs::rename(file, elsewhere);
    const auto stays = [&](const char *what) {
        EXPECT_FALSE(cache.find(identity)) << what;
        cache.keep(identity, "binary");
        EXPECT_FALSE(cache.find(identity)) << what;
        EXPECT_EQ(cache.clear(), 0u) << what;
        EXPECT_EQ(fs::remove(file), true) << what;
    };
    ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
    stays("a pipe");
    fs::create_symlink(elsewhere, file);
    stays("a link");
    fs::create_directory(file);
    stays("a folder");
    EXPECT_EQ(names_in(folder), Names{});
}

TEST_F(ProgramCacheTrust, FilesOfOthersAreNeitherCountedNorRemoved) {
    const std::string number(24, 'a');
    const Names foreign = {"0123.program", number + ".111111111111111.part",
        number + ".1111111111111111.park", number + ".program", "film.mkv.part", "notes.program"};
    cache.keep("device\nfirst", "binary");
    for (const std::string &name : foreign) {
        write_bytes(folder / name, bytes_of("mine, and longer than forty bytes; not a program"));
        fs::last_write_time(folder / name, fs::file_time_type::clock::now() - std::chrono::hours(2));
    }
    const fs::path unfinished = folder / (number + ".1111111111111111.part"),
                   unfinished_now = folder / (number + ".2222222222222222.part");
    write_bytes(unfinished, {1});
    write_bytes(unfinished_now, {1});
    fs::last_write_time(unfinished, fs::file_time_type::clock::now() - std::chrono::hours(2));

    ProgramCache(folder, 100).keep("device\nsecond", "binary");  // there is room for one
    EXPECT_FALSE(fs::exists(unfinished));
    EXPECT_TRUE(fs::remove(unfinished_now));
    EXPECT_EQ(cache.entries().size(), 1u);
    EXPECT_EQ(cache.clear(), 1u);
    EXPECT_EQ(names_in(folder), foreign);
}

// A file with holes that says of itself that it is a program of so many bytes.
void make_large(const std::string &path, uint64_t bytes) {
    const int file = open(path.c_str(), O_WRONLY);
    uint64_t lengths[2] = {identity.size(), bytes - 40 - identity.size()};
    EXPECT_EQ(pwrite(file, lengths, sizeof lengths, 16), (ssize_t)sizeof lengths);
    EXPECT_EQ(ftruncate(file, (off_t)bytes), 0);
    close(file);
}

TEST_F(ProgramCacheTrust, LargeFilesAreNotRead) {
    cache.keep(identity, "binary");
    const std::string file = kept_file();
    const auto peak = [] {
        rusage usage = {};
        getrusage(RUSAGE_SELF, &usage);
        return usage.ru_maxrss;  // KiB
    };
    const int status = in_child([&] {
        const long before = peak();
        make_large(file, uint64_t(200) << 20);
        const bool is_listed = cache.entries().size() == 1 && cache.entries()[0].device == "device";
        make_large(file, uint64_t(1) << 30);
        const bool is_found = cache.find(identity).has_value();
        _exit(!is_listed ? 2 : is_found ? 3 : peak() - before > (64 << 10) ? 4 : fs::exists(file) ? 5 : 0);
    });
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(ProgramCacheTrust, RelativeBaseFoldersArePassedOver) {
    const auto folders = [&](const char *base, const char *home) {
        const int status = in_child([&] {
            unsetenv("TILEWRIGHT_CACHE");
            unsetenv("TILEWRIGHT_MEASURED");
            for (const char *name : {"XDG_CACHE_HOME", "XDG_CONFIG_HOME"}) {
                setenv(name, base, 1);
            }
            setenv("HOME", home, 1);
            write_bytes(temporary.file("said"), bytes_of(cache_folder() + " " + measured_folder()));
        });
        EXPECT_EQ(status, 0);
        return read_text(temporary.file("said"));
    };
    EXPECT_EQ(folders("/base", "/home"), "/base/tilewright /base/tilewright/measured");
    for (const char *relative : {".", "cache", "~/.cache", ""}) {
        EXPECT_EQ(folders(relative, "/home"), "/home/.cache/tilewright /home/.config/tilewright/measured");
        EXPECT_EQ(folders(relative, relative), " ");
    }
}

}  // namespace
}  // namespace tilewright
