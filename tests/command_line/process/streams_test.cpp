// Outputs and standard streams that cannot be written, and a host without memory.
#include "tests/command_line/command_line.h"
#include <algorithm>
#include <filesystem>

namespace tilewright {
namespace {

namespace fs = std::filesystem;

TEST_F(CommandLine, AnOutputThatCannotBeWrittenIsRefusedAtOnce) {
    NEEDS_OPERATOR("invert");
    make_image("in.png");
    // The input is missing too: the output is looked at first.
    expect_refusal(
        1, {"invert", path("missing.png"), path("no/such/folder/out.png")}, {"no/such/folder/out.png"});
    expect_refusal(
        1, {"bench", "invert", "--json", path("no/such/folder/times.json")}, {"no/such/folder/times.json"});
    fs::create_directory(path("folder.png"));
    for (const std::string &folder : {path("folder.png"), path("."), folder_.path()}) {
        expect_refusal(
            1, {"invert", path("in.png"), folder}, {folder, "it is a directory; name a file in it"});
    }
    expect_refusal(1, {"invert", path("in.png"), path("none/")}, {"there is no such directory; make it"});
}

TEST_F(CommandLine, AFullStandardOutputIsAnError) {
    if (!fs::exists("/dev/full")) {
        GTEST_SKIP() << "no /dev/full here";
    }
    const Ran ran = run_program(TILEWRIGHT_APP, {"devices"}, {.out = "/dev/full"});
    EXPECT_EQ(ran.code, 1);
    EXPECT_EQ(ran.err.rfind("tilewright: error: standard output", 0), 0u) << ran.err;
}

TEST_F(CommandLine, AStandardErrorThatCannotBeWrittenChangesNoExitCode) {
    NEEDS_OPERATOR("invert");
    make_image("in.png");
    const std::string in = path("in.png"), out = path("out.png");
    succeed({"invert", in, path("expected.png")});
    const auto code = [&](const std::string &redirection, const Words &arguments) {
        Words words = {"-c", "exec \"$0\" \"$@\" " + redirection, TILEWRIGHT_APP};
        words.insert(words.end(), arguments.begin(), arguments.end());
        return run_program("/bin/sh", words, {.environment = bare_machine}).code;
    };
    for (const std::string closed :
        {"2>&-", "2>/dev/full", "<&- 2>&-", "<&- >&- 2>&-", ">/dev/full 2>/dev/full"}) {
        EXPECT_EQ(code(closed, {"nosuch"}), 2) << closed;
        EXPECT_EQ(code(closed, {"invert", path("missing.png"), out}), 3) << closed;
        EXPECT_EQ(code(closed, {"invert", in, out, "--device", "cuda"}), 4) << closed;
        fs::remove(out);
        EXPECT_EQ(code(closed, {"invert", in, out, "--stats", "--check"}), 0) << closed;
        EXPECT_EQ(read_text(out), read_text(path("expected.png"))) << closed;
        const bool loses_data = closed.find('>') < closed.find("2>");
        EXPECT_EQ(code(closed, {"list", "invert"}), loses_data ? 1 : 0) << closed;
        EXPECT_EQ(code(closed, {"verify", "invert", "--schedule", "reference"}), loses_data ? 1 : 0)
            << closed;
    }
}

// However early it is that there is no memory any more: the program says so, and its exit code too.
TEST_F(CommandLine, AHostWithoutMemoryEndsInOneLine) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "not run here: AddressSanitizer takes no other malloc() in place of its own";
#endif
    int code = 5;
    size_t refused = 0;
    for (int calls = 1; code == 5; calls += calls / 2 + 1) {
        ASSERT_LT(calls, 10000000);
        const Ran ran = run({"nosuch"}, {"LD_PRELOAD=" TILEWRIGHT_FAILING_MALLOC,
                                            "TILEWRIGHT_TEST_MALLOC_FAILS=" + std::to_string(calls)});
        code = ran.code;
        refused += code == 5;
        EXPECT_EQ(ran.err.rfind(
                      code == 5 ? "tilewright: error: out of memory" : "tilewright: error: no command", 0),
            0u)
            << ran.err;
        EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    }
    EXPECT_EQ(code, 2);
    EXPECT_GT(refused, 5u);
}

}  // namespace
}  // namespace tilewright
