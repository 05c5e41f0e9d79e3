// Arrays in files of either kind: which kind it is, what is refused, and checks before the work.
#include "tests/runtime/files/files_test.h"
#include <thread>
#include <unistd.h>

namespace tilewright {
namespace {

TEST_F(FilesTest, TheEndingSaysWhatIsWrittenAndTheContentWhatIsRead) {
    Array image(Type::u8, {3, 5, 3});
    image.as<uint8_t>()[4] = 77;
    PngMetadata metadata, read;
    metadata.gamma = .5;
    for (const auto &[name, is_png] :
        {std::pair("a.png", true), {"a.PNG", true}, {"a.npy", false}, {"a.Npy", false}}) {
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
    for (const char *name : {"a.gif", "a", "a.png.bmp", ".png", "dir.png/a"}) {
        SCOPED_TRACE(name);
        expect_error(Fault::usage, "end it in .png (u8, u16) or .npy (any type)",
            [&] { write_array(folder.file(name), array); });
        expect_error(Fault::usage, "end it in .png (u8, u16) or .npy (any type)",
            [&] { check_output(folder.file(name)); });
    }
    expect_error(Fault::usage, "PNG holds u8 and u16", [&] { write_array(folder.file("a.png"), array); });
    write_bytes(folder.file("text.png"), bytes_of("text"));
    expect_error(
        Fault::input, "neither a PNG nor an .npy file", [&] { read_array(folder.file("text.png")); });
    write_bytes(folder.file("many.npz"), bytes_of("PK\3\4"));
    expect_error(
        Fault::input, "save one of its arrays by numpy.save", [&] { read_array(folder.file("many.npz")); });
    write_bytes(folder.file("empty.npy"), {});
    expect_error(Fault::input, "the file is empty", [&] { read_array(folder.file("empty.npy")); });
    expect_error(Fault::input, "No such file", [&] { read_array(folder.file("absent.npy")); });
    expect_error(Fault::input, "no regular file", [&] { read_array("/dev/null"); });
    write_bytes(folder.file("cut.png"), {0x89, 'P', 'N'});
    expect_error(Fault::input, "ends too early, after 3 bytes", [&] { read_array(folder.file("cut.png")); });
}

TEST_F(FilesTest, APipeIsRefusedWithoutWaitingForAWriter) {
    const std::string path = folder.file("pipe.npy");
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    const int status = in_child([&] {
        alarm(60);  // where it would wait for ever
        expect_error(Fault::input, "it is no regular file", [&] { read_array(path); });
        _exit(HasFailure() ? 1 : 0);
    });
    EXPECT_EQ(status, 0);

    // One reader of one kind reads from a pipe.
    Array array(Type::f32, {3, 4});
    std::thread writer([&] { write_npy(path, array); });
    EXPECT_EQ(read_npy(path).shape(), array.shape());
    writer.join();
}

TEST(ErrorLine, HoldsNothingThatSteersATerminal) {
    const std::vector<std::pair<std::string, std::string>> quoted = {
        {"plain.png", "plain.png"},
        {"a\nb\tc\x1b[2Jd\x7f", "a?b?c?[2Jd?"},
        {"a\u0085b\u009b2Jc", "a?b?2Jc"},  // of the second block of control characters
        {"\u00a0\u00e9\u03bc\u2192\u6f22\U0001f600", "\u00a0\u00e9\u03bc\u2192\u6f22\U0001f600"},
        {"raw \x9b, Latin-1 \xe9.", "raw ?, Latin-1 ?."},
        {"cut \xe2\x86", "cut ??"},
        {"longer than needed \xc0\x9b, \xe0\x82\x9b, \xf0\x80\x82\x9b", "longer than needed ??, ???, ????"},
        {"a surrogate \xed\xa0\x80, too high \xf4\x90\x80\x80", "a surrogate ???, too high ????"},
    };
    for (const auto &[path, shown] : quoted) {
        SCOPED_TRACE(shown);
        expect_error(
            Fault::usage, "cannot write '" + shown + "/x': ", [&path = path] { check_output(path + "/x"); });
    }
    EXPECT_STREQ(Error(Fault::failed, "one\n\ntwo\u0090three \u00e9\x9b\n").what(), "one two three \u00e9?");
}

TEST_F(FilesTest, AnOutputIsCheckedBeforeTheWork) {
    check_output(folder.file("a.png"));
    check_output(folder.file("a.png"), Type::u16, {4, 5, 3});
    check_output(folder.file("a.npy"), Type::c64, {7});
    expect_error(
        Fault::usage, "PNG holds u8 and u16", [&] { check_output(folder.file("a.png"), Type::f32, {4, 5}); });
    expect_error(Fault::usage, "images (h, w)", [&] { check_output(folder.file("a.png"), Type::u8, {4}); });
    expect_error(Fault::failed, "No such file", [&] { check_output(folder.file("absent/a.npy")); });
    expect_error(
        Fault::failed, "No such file", [&] { check_output(folder.file("absent/a.npy"), Type::u8, {4}); });
    EXPECT_EQ(folder.names(), Names{});
}

// An array that was never made has no shape.
TEST_F(FilesTest, NoFileHoldsAnArrayWithoutElements) {
    for (const char *name : {"a.png", "a.jpg", "a.tif", "a.npy", "a.csv", "a.txt"}) {
        expect_error(Fault::usage, "write", [&] { write_array(folder.file(name), Array()); });
        if (kind_of_name(name) != FileKind::npy) {
            expect_error(Fault::usage, "write", [&] { check_output(folder.file(name), Type::u8, {0, 3}); });
            expect_error(Fault::usage, "write", [&] { check_output(folder.file(name), Type::u8, {}); });
        }
    }
    EXPECT_EQ(folder.names(), Names{});
}

TEST_F(FilesTest, ANumberThatIsNoKindIsRefused) {
    const auto none = static_cast<FileKind>(9);
    expect_error(Fault::usage, "kind: takes png",
        [&] { write_array(folder.file("a.png"), none, Array(Type::u8, {3, 5})); });
    expect_error(Fault::usage, "kind: takes png", [&] { check_kind(none, Type::u8, {3, 5}); });
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
    const std::string file = folder.file("file"), other = folder.file("other"),
                      absent = folder.file("absent");
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
