// Output files that are whole or absent, and arrays in files of either kind.
#include "tilewright/files.h"
#include "files.h"
#include "output_file.h"
#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilewright {
namespace {

namespace fs = std::filesystem;

class FilesTest : public testing::Test {
protected:
    TemporaryFolder folder;
    const Bytes older = bytes_of("the older file"), newer = bytes_of("the newer one");

    void write(OutputFile &file) {
        ASSERT_TRUE(file.write(newer.data(), newer.size()));
    }

    // Runs `action` in a process of its own; returns its status, as waitpid gives it.
    template<typename Action>
    int in_child(const Action &action) {
        const pid_t child = fork();
        if (child == 0) {
            action();
            _exit(0);
        }
        int status = -1;
        EXPECT_EQ(waitpid(child, &status, 0), child);
        return status;
    }
};

using Names = std::vector<std::string>;

// --- output files ---------------------------------------------------------------------------------------------------------

TEST_F(FilesTest, AnOutputAppearsWhenItIsComplete) {
    const std::string path = folder.file("out");
    for (const bool has_older : {false, true}) {
        if (has_older) {
            write_bytes(path, older);
        }
        OutputFile file(path);
        write(file);
        EXPECT_EQ(fs::path(file.path()).parent_path(), folder.path());
        EXPECT_NE(file.path(), path);
        EXPECT_EQ(fs::exists(path), has_older);
        if (has_older) {
            EXPECT_EQ(read_bytes(path), older);
        }
        file.commit();
        EXPECT_EQ(read_bytes(path), newer);
        EXPECT_EQ(folder.names(), Names{"out"});
        file.commit();  // again is nothing
        EXPECT_EQ(read_bytes(path), newer);
    }
}

TEST_F(FilesTest, AnOutputThatIsGivenUpLeavesNothing) {
    const std::string path = folder.file("out");
    write_bytes(path, older);
    {
        OutputFile file(path);
        write(file);
        EXPECT_EQ(folder.names().size(), 2u);
    }
    EXPECT_EQ(folder.names(), Names{"out"});
    EXPECT_EQ(read_bytes(path), older);
}

TEST_F(FilesTest, AnOutputMayBeNamedFromTheWorkingFolder) {
    const fs::path before = fs::current_path();
    fs::current_path(folder.path());
    {
        OutputFile file("out");
        write(file);
        fs::current_path(before);
        file.commit();
    }
    EXPECT_EQ(folder.names(), Names{"out"});
}

TEST_F(FilesTest, PermissionsAreTheUsersOrTheOlderFiles) {
    const std::string path = folder.file("out");
    auto mode = [&] {
        struct stat about = {};
        EXPECT_EQ(stat(path.c_str(), &about), 0);
        return about.st_mode & 0777;
    };
    const mode_t before = umask(027);
    {
        OutputFile file(path);
        file.commit();
    }
    umask(before);
    EXPECT_EQ(mode(), 0640u);
    ASSERT_EQ(chmod(path.c_str(), 0604), 0);
    {
        OutputFile file(path);
        file.commit();
    }
    EXPECT_EQ(mode(), 0604u);
}

TEST_F(FilesTest, ALinkStaysAndItsFileIsReplaced) {
    fs::create_directory(folder.file("there"));
    const std::string file = folder.file("there/file"), link = folder.file("link");
    write_bytes(file, older);
    fs::create_symlink("there/file", link);
    OutputFile output(link);
    write(output);
    output.commit();
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_EQ(read_bytes(file), newer);
    EXPECT_EQ(folder.names(), (Names{"link", "there"}));
}

TEST_F(FilesTest, ADeviceIsWrittenNotReplaced) {
    check_writable("/dev/null");
    OutputFile file("/dev/null");
    write(file);
    file.commit();
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    Array array(Type::f32, {100000});
    write_npy("/dev/null", array);
    expect_error(Fault::failed, "cannot write '/dev/full': No space left on device", [&] { write_npy("/dev/full", array); });
    expect_error(Fault::failed, "No space left on device", [&] { write_png("/dev/full", Array(Type::u8, {64, 64})); });
}

TEST_F(FilesTest, UnwritablePathsAreRefusedAtOnce) {
    fs::create_directory(folder.file("directory"));
    write_bytes(folder.file("file"), older);
    for (const auto &[path, words] : {std::pair<std::string, std::string>("", "the name is empty"),
                                      {folder.path(), "it is a directory"},
                                      {folder.file("directory/"), "it is a directory"},
                                      {folder.file("absent/"), "no such directory"},
                                      {folder.file("absent/out.npy"), "No such file or directory"},
                                      {folder.file("file/out.npy"), "Not a directory"},
                                      {folder.file(std::string(300, 'n')), "too long"},
                                      {folder.file(std::string(5000, 'n')), "too long"},
                                      {"/proc/out.npy", ""}}) {
        SCOPED_TRACE(path);
        expect_error(Fault::failed, words, [&] { check_writable(path); });
        expect_error(Fault::failed, words, [&] { OutputFile file(path); });
    }
    check_writable(folder.file("new"));
    check_writable(folder.file(std::string(255, 'n')));
    check_writable(folder.file("file"));
    EXPECT_EQ(read_bytes(folder.file("file")), older);
    EXPECT_EQ(folder.names(), (Names{"directory", "file"}));
}

TEST_F(FilesTest, PermissionsAreRespected) {
    if (geteuid() == 0) {
        GTEST_SKIP() << "not run here: root may write everywhere";
    }
    const std::string path = folder.file("file");
    write_bytes(path, older);
    ASSERT_EQ(chmod(path.c_str(), 0444), 0);
    expect_error(Fault::failed, "Permission denied", [&] { check_writable(path); });
    ASSERT_EQ(chmod(folder.path().c_str(), 0555), 0);
    expect_error(Fault::failed, "Permission denied", [&] { check_writable(folder.file("new")); });
    ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
}

TEST_F(FilesTest, AFullDiskLeavesTheOlderFile) {
    const std::string png = folder.file("out.png"), npy = folder.file("out.npy");
    write_bytes(png, older);
    write_bytes(npy, older);
    const int status = in_child([&] {
        signal(SIGXFSZ, SIG_IGN);
        const rlimit limit = {20000, 20000};  // bytes a file
        setrlimit(RLIMIT_FSIZE, &limit);
        Array image(Type::u8, {400, 400});
        uint32_t random = 1;
        for (int64_t i = 0; i < 400 * image.strides()[0]; i++) {
            image.as<uint8_t>()[i] = uint8_t((random = random * 1664525u + 1013904223u) >> 24);
        }
        int refused = 0;
        for (const std::string &path : {png, npy}) {
            try {
                write_array(path, image);
            } catch (const Error &error) {
                refused += error.fault() == Fault::failed ? 1 : 0;
            }
        }
        _exit(refused);
    });
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 2);
    EXPECT_EQ(read_bytes(png), older);
    EXPECT_EQ(read_bytes(npy), older);
    EXPECT_EQ(folder.names(), (Names{"out.npy", "out.png"}));
}

TEST_F(FilesTest, ASignalsHandlerRemovesWhatIsPending) {
    write_bytes(folder.file("a"), older);
    const int status = in_child([&] {
        signal(SIGTERM, [](int number) {
            remove_pending_outputs();
            _exit(128 + number);
        });
        OutputFile a(folder.file("a")), b(folder.file("b")), c(folder.file("c"));
        write(a);
        write(b);
        c.commit();
        raise(SIGTERM);
    });
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 143);
    EXPECT_EQ(folder.names(), (Names{"a", "c"}));
    EXPECT_EQ(read_bytes(folder.file("a")), older);
}

TEST_F(FilesTest, RemovingWhatIsPendingTwiceOrNotAtAllIsHarmless) {
    remove_pending_outputs();
    auto file = std::make_unique<OutputFile>(folder.file("a"));
    remove_pending_outputs();
    remove_pending_outputs();
    EXPECT_EQ(folder.names(), Names{});
    expect_error(Fault::failed, "cannot write", [&] { file->commit(); });
    file.reset();
    OutputFile next(folder.file("b"));
    next.commit();
    remove_pending_outputs();
    EXPECT_EQ(folder.names(), Names{"b"});
}

// --- either kind ----------------------------------------------------------------------------------------------------------

TEST_F(FilesTest, TheEndingSaysWhatIsWrittenAndTheContentWhatIsRead) {
    Array image(Type::u8, {3, 5, 3});
    image.as<uint8_t>()[4] = 77;
    PngMetadata metadata, read;
    metadata.gamma = .5;
    for (const auto &[name, is_png] : {std::pair("a.png", true), {"a.PNG", true}, {"a.npy", false}, {"a.Npy", false}}) {
        SCOPED_TRACE(name);
        write_array(folder.file(name), image, metadata);
        fs::rename(folder.file(name), folder.file("without_ending"));
        read.gamma = 9;
        const Array again = read_array(folder.file("without_ending"), &read);
        EXPECT_EQ(again.shape(), image.shape());
        EXPECT_EQ(again.as<uint8_t>()[4], 77);
        EXPECT_EQ(read.gamma, is_png ? std::optional(.5) : std::nullopt);
        EXPECT_EQ(read_array(folder.file("without_ending")).type(), Type::u8);
    }
}

TEST_F(FilesTest, OtherFilesAreRefused) {
    const Array array(Type::f32, {4});
    for (const char *name : {"a.jpg", "a", "a.png.tif", ".png", "dir.png/a"}) {
        SCOPED_TRACE(name);
        expect_error(Fault::usage, "end it in .png (u8, u16) or .npy (any type)", [&] { write_array(folder.file(name), array); });
        expect_error(Fault::usage, "end it in .png (u8, u16) or .npy (any type)", [&] { check_output(folder.file(name)); });
    }
    expect_error(Fault::usage, "PNG holds u8 and u16", [&] { write_array(folder.file("a.png"), array); });
    write_bytes(folder.file("text.png"), bytes_of("text"));
    expect_error(Fault::input, "neither a PNG nor an .npy file", [&] { read_array(folder.file("text.png")); });
    write_bytes(folder.file("empty.npy"), {});
    expect_error(Fault::input, "the file is empty", [&] { read_array(folder.file("empty.npy")); });
    expect_error(Fault::input, "No such file", [&] { read_array(folder.file("absent.npy")); });
    expect_error(Fault::input, "no regular file", [&] { read_array("/dev/null"); });
    write_bytes(folder.file("cut.png"), {0x89, 'P', 'N'});
    expect_error(Fault::input, "ends too early, after 3 bytes", [&] { read_array(folder.file("cut.png")); });
}

TEST_F(FilesTest, AnOutputIsCheckedBeforeTheWork) {
    check_output(folder.file("a.png"));
    check_output(folder.file("a.png"), Type::u16, {4, 5, 3});
    check_output(folder.file("a.npy"), Type::c64, {7});
    expect_error(Fault::usage, "PNG holds u8 and u16", [&] { check_output(folder.file("a.png"), Type::f32, {4, 5}); });
    expect_error(Fault::usage, "images (h, w)", [&] { check_output(folder.file("a.png"), Type::u8, {4}); });
    expect_error(Fault::failed, "No such file", [&] { check_output(folder.file("absent/a.npy")); });
    expect_error(Fault::failed, "No such file", [&] { check_output(folder.file("absent/a.npy"), Type::u8, {4}); });
    EXPECT_EQ(folder.names(), Names{});
}

TEST_F(FilesTest, LimitsReachTheReaders) {
    write_array(folder.file("a.png"), Array(Type::u8, {3, 5}));
    write_array(folder.file("a.npy"), Array(Type::u8, {3, 5}));
    FileLimits limits;
    limits.png.pixels = 14;
    limits.npy.bytes = 14;
    expect_error(Fault::input, "the limit is 14", [&] { read_array(folder.file("a.png"), nullptr, limits); });
    expect_error(Fault::input, "the limit is 14", [&] { read_array(folder.file("a.npy"), nullptr, limits); });
}

TEST_F(FilesTest, OneFileIsKnownUnderItsNames) {
    const std::string file = folder.file("file"), other = folder.file("other"), absent = folder.file("absent");
    write_bytes(file, older);
    write_bytes(other, older);
    fs::create_symlink("file", folder.file("symlink"));
    fs::create_hard_link(file, folder.file("hard"));
    fs::create_directory(folder.file("directory"));
    EXPECT_TRUE(same_file(file, file));
    EXPECT_TRUE(same_file(file, folder.file("symlink")));
    EXPECT_TRUE(same_file(file, folder.file("hard")));
    EXPECT_TRUE(same_file(file, folder.file("directory/../file")));
    EXPECT_TRUE(same_file(file, fs::relative(file).string()));
    EXPECT_FALSE(same_file(file, other));
    EXPECT_FALSE(same_file(file, absent));
    EXPECT_FALSE(same_file(absent, file));
    EXPECT_TRUE(same_file(absent, folder.file("directory/../absent")));
    EXPECT_FALSE(same_file(absent, folder.file("absent2")));
}

}  // namespace
}  // namespace tilewright
