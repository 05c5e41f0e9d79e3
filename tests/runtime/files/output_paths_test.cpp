// Output files: the paths and links by which they are named, devices, and paths that cannot be written.
#include "tests/runtime/files/files_test.h"
#include <unistd.h>

namespace tilewright {
namespace {

TEST_F(FilesTest, AnOutputMayBeNamedFromTheWorkingFolder) {
    both_ways([&](bool) {
        const fs::path before = fs::current_path();
        fs::current_path(folder.path());
        {
            OutputFile file("out");
            write(file);
            fs::current_path(before);
            file.commit();
        }
        EXPECT_EQ(folder.names(), Names{"out"});
    });
}

TEST_F(FilesTest, AWorkingFolderMayBeDeeperThanAPathIsLong) {
    const int status = in_child([&] {
        const std::string name(250, 'd');
        int depth = 0;
        if (chdir(folder.path().c_str()) != 0) {
            _exit(1);
        }
        for (; depth < 20; depth++) {
            if (mkdir(name.c_str(), 0700) != 0 || chdir(name.c_str()) != 0) {
                _exit(2);
            }
        }
        const Array image(Type::u8, {3, 4});
        check_output("out.png");
        write_array("out.png", image);
        const bool is_right =
            read_array("out.png").shape() == image.shape() && same_file("absent", "./absent");
        unlink("out.png");
        for (; depth > 0; depth--) {
            if (chdir("..") != 0 || rmdir(name.c_str()) != 0) {
                _exit(3);
            }
        }
        _exit(is_right ? 0 : 4);
    });
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(FilesTest, ALinkStaysAndItsFileIsReplaced) {
    both_ways([&](bool) {
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
        fs::remove(link);
    });
}

TEST_F(FilesTest, ALinkToNoFileYetIsFollowed) {
    fs::create_directory(folder.file("there"));
    const std::string file = folder.file("there/file"), link = folder.file("link");
    fs::create_symlink("there/second", link);
    fs::create_symlink(folder.file("third"), folder.file("there/second"));
    fs::create_symlink("./there/../there/file", folder.file("third"));
    EXPECT_TRUE(same_file(link, file));
    check_writable(link);
    EXPECT_FALSE(fs::exists(file));
    OutputFile output(link);
    write(output);
    output.commit();
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(file)));
    EXPECT_EQ(read_bytes(file), newer);
    EXPECT_EQ(folder.names(), (Names{"link", "there", "third"}));

    fs::create_symlink("absent/file", folder.file("nowhere"));
    expect_error(Fault::failed, "make the directory first", [&] { check_writable(folder.file("nowhere")); });
    fs::create_symlink("absent/", folder.file("to_a_folder"));
    expect_error(
        Fault::failed, "make the directory first", [&] { check_writable(folder.file("to_a_folder")); });
    fs::create_symlink("loop", folder.file("loop"));
    expect_error(Fault::failed, "cannot write", [&] { check_writable(folder.file("loop")); });
}

TEST_F(FilesTest, ADeviceIsWrittenNotReplaced) {
    check_writable("/dev/null");
    OutputFile file("/dev/null");
    write(file);
    file.commit();
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    Array array(Type::f32, {100000});
    write_npy("/dev/null", array);
    expect_error(Fault::failed, "cannot write '/dev/full': No space left on device",
        [&] { write_npy("/dev/full", array); });
    expect_error(
        Fault::failed, "No space left on device", [&] { write_png("/dev/full", Array(Type::u8, {64, 64})); });
}

TEST_F(FilesTest, UnwritablePathsAreRefusedAtOnce) {
    fs::create_directory(folder.file("directory"));
    write_bytes(folder.file("file"), older);
    for (const auto &[path, words] :
        {std::pair<std::string, std::string>("", "the name is empty"), {folder.path(), "it is a directory"},
            {folder.file("directory/"), "it is a directory"}, {folder.file("absent/"), "no such directory"},
            {folder.file("absent/out.npy"), "No such file or directory"},
            {folder.file("file/out.npy"), "Not a directory"},
            {folder.file(std::string(300, 'n')), "too long"},
            {folder.file(std::string(5000, 'n')), "too long"}, {"/proc/out.npy", ""}}) {
        SCOPED_TRACE(path);
        expect_error(Fault::failed, words, [&path = path] { check_writable(path); });
        expect_error(Fault::failed, words, [&path = path] { OutputFile file(path); });
    }
    check_writable(folder.file("new"));
    check_writable(folder.file(std::string(255, 'n')));
    check_writable(folder.file("file"));
    EXPECT_EQ(read_bytes(folder.file("file")), older);
    EXPECT_EQ(folder.names(), (Names{"directory", "file"}));
}

}  // namespace
}  // namespace tilewright
