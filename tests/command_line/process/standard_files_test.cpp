// Standard input and output as files, and files that are no regular ones.
#include "tests/command_line/command_line.h"
#include "tests/support/arrays.h"
#include <filesystem>

namespace tilewright {
namespace {

namespace fs = std::filesystem;

class StandardFiles : public CommandLine {
protected:
    void SetUp() override {
        make_image("in.png");
    }

    // Runs a line of the shell, in which $T is the program, in the folder of the files.
    Ran shell(const std::string &line) const {
        return run_program("/bin/bash", {"-c", line},
            {.environment = {"T=" TILEWRIGHT_APP, "TILEWRIGHT_DEVICE=cpu"}, .folder = folder_.path()});
    }

    void expect_expected(const std::string &line) const {
        SCOPED_TRACE(line);
        fs::remove(path("out.png"));
        const Ran ran = shell(line);
        EXPECT_EQ(ran.code, 0) << ran.err;
        EXPECT_EQ(read_text(path("out.png")), read_text(path("expected.png")));
    }
};

TEST_F(StandardFiles, AreReadAndWritten) {
    NEEDS_OPERATOR("invert");
    ASSERT_EQ(shell("$T invert in.png expected.png").code, 0);
    expect_expected("$T invert - out.png <in.png");
    expect_expected("cat in.png | $T invert - out.png");
    expect_expected("$T invert /dev/stdin out.png <in.png");
    expect_expected("$T invert <(cat in.png) out.png");
    expect_expected("$T invert in.png - >out.png");
    expect_expected("cat in.png | $T invert - - | cat >out.png");
    expect_expected("$T invert in.png /dev/stdout >out.png");
    expect_expected("$T invert in.png >(cat >out.png) --format png; wait $!");
    // A pipe that has its bytes, and whose writer has ended: it is read as it is open.
    expect_expected(
        "mkfifo pipe; cat in.png >pipe & exec 3<pipe; wait; timeout 60 $T invert /dev/fd/3 out.png");
    expect_expected("mkdir ./-; $T invert - out.png <in.png; code=$?; rmdir ./-; exit $code");
    EXPECT_EQ(shell("$T invert in.png /dev/null").code, 0);
    EXPECT_EQ(shell("$T invert in.png out --format png && cmp out expected.png").code, 0);
}

// Over 1 MB, where the image's size is looked at first: a file as standard input has one place to read on
// from.
TEST_F(StandardFiles, AreReadOnceWhereTheyAreLarge) {
    NEEDS_OPERATOR("invert");
    for (const char *name : {"in.png", "in.tif", "in.npy"}) {
        write_array(path(name), random_array<uint8_t>({1100, 1100}));
        const std::string in = name, line = "$T invert - out.png <" + in;
        ASSERT_EQ(shell("$T invert " + in + " expected.png").code, 0);
        expect_expected(line);
        expect_expected(line + " --memory 4M");
        expect_expected("$T pipeline invert - out.png <" + in);
        expect_expected("cat " + in + " | $T invert - out.png");
    }
}

// Sums of colours read a file once per channel, which a pipe and standard input do not allow.
TEST_F(StandardFiles, AreReadOnceForAllChannels) {
    NEEDS_OPERATOR("column_sum");
    write_array(path("in.png"), random_array<uint8_t>({60, 70, 3}));
    ASSERT_EQ(shell("$T column_sum in.png expected.png --format npy").code, 0);
    for (const std::string from : {"- <in.png", "<(cat in.png)", "/dev/fd/5 5<in.png"}) {
        expect_expected("$T column_sum " + from + " out.png --format npy --memory 4M");
    }
    const Ran small = shell("cat in.png | $T column_sum - out.csv --memory 20K");
    EXPECT_EQ(small.code, 2);
    expect_error_line(small.err, {"--memory", "read once for all channels", "raise it"});
}

TEST_F(StandardFiles, AreAppendedToWhereTheyStand) {
    NEEDS_OPERATOR("invert");
    ASSERT_EQ(shell("$T invert in.png expected.png; echo before >out; $T invert in.png - >>out").code, 0);
    EXPECT_EQ(read_text(path("out")), "before\n" + read_text(path("expected.png")));
}

TEST_F(StandardFiles, HaveTheKindOfTheInputOrTheOneThatIsAsked) {
    NEEDS_OPERATOR("column_sum");
    EXPECT_EQ(
        shell("$T column_sum in.png - >out && $T column_sum in.png out.npy && cmp out out.npy").code, 0);
    const Ran text = shell("$T column_sum in.png - --format csv");
    EXPECT_EQ(std::count(text.out.begin(), text.out.end(), '\n'), 53) << text.err;
    EXPECT_EQ(shell("$T column_sum in.png out.csv && cat out.csv").out, text.out);
    expect_refusal(2, {"column_sum", path("in.png"), "-", "--format", "png"}, {"PNG", "u32"});
    expect_refusal(2, {"column_sum", path("in.png"), "-", "--format", "gif"}, {"--format = gif", "png"});
}

TEST_F(StandardFiles, ThatCannotBeUsedAreRefused) {
    NEEDS_OPERATOR("invert");
    const auto refused = [&](const std::string &line, int code, const Words &words) {
        SCOPED_TRACE(line);
        const Ran ran = shell(line);
        EXPECT_EQ(ran.code, code);
        expect_error_line(ran.err, words);
    };
    refused("$T invert - out.png </dev/null", 3, {"/dev/stdin", "empty"});
    refused("$T invert - out.png <&-", 3, {"/dev/stdin"});
    refused("$T invert - out.png <.", 3, {"/dev/stdin", "it is a directory; send a file"});
    refused("head -c 60 in.png | $T invert - out.png", 3, {"/dev/stdin", "too early"});
    refused("$T invert in.png - >/dev/full", 1, {"/dev/stdout", "No space"});
    refused("$T invert in.png - >&-", 1, {"/dev/stdout"});
    refused("$T invert in.png - --json >out.png", 2, {"--json", "standard output"});
    if (has_operator("matmul")) {
        refused("$T matmul - - out.npy <in.png", 2, {"only one input", "standard input"});
    }
    EXPECT_FALSE(fs::exists(path("out.png")) && fs::file_size(path("out.png")) > 0);
}

}  // namespace
}  // namespace tilewright
