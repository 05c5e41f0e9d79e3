// Each operation on files fails once, at each of its calls: the program ends with its result, or with one
// line and the file that was there before. The list of operations is what the program and its libraries take
// of the C library.
#include "tests/command_line/command_line.h"
#include "tests/command_line/process/file_functions.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tilewright {
namespace {

namespace fs = std::filesystem;

// The file functions that a program asks the dynamic linker for, its shared libraries included.
Words functions_of(const std::string &program) {
    const Ran ran = run_program("/bin/sh",
        {"-c",
            TILEWRIGHT_NM " -D --undefined-only \"$0\" $(ldd \"$0\" | grep -oE '/[^ ]+' | grep -v /libc.so)",
            program});
    std::istringstream words(ran.out);
    std::string all = " ";
    for (std::string word; words >> word;) {
        all += word.substr(0, word.find('@')) + " ";
    }
    Words found;
#define FILE_FUNCTION(name, failure)                                                                         \
    if (all.find(" " #name " ") != std::string::npos) {                                                      \
        found.push_back(#name);                                                                              \
    }
    FILE_FUNCTIONS(FILE_FUNCTION)
#undef FILE_FUNCTION
    return found;
}

class FailingFiles : public CommandLine, public testing::WithParamInterface<const char *> {};

TEST_P(FailingFiles, EndInTheResultOrInOneLine) {
    NEEDS_OPERATOR("invert");
    make_image("image.png");
    const std::string kind = GetParam(), in = path("in." + kind), out = path("out." + kind),
                      old = "the file that was there before";
    succeed({"invert", path("image.png"), in, "--device", "cpu"});
    fs::remove(path("image.png"));
    const Words words = {"invert", in, out, "--device", "cpu"};
    succeed(words);
    const std::string expected = read_text(out);
    int failures = 0, operations = 0;
    for (const std::string &function : functions_of(TILEWRIGHT_APP)) {
        bool was_reached = true;
        for (int nth = 1; was_reached && nth < 200; nth++) {
            SCOPED_TRACE(function + ", call " + std::to_string(nth) + ", " + kind);
            std::ofstream(out) << old;
            const Ran ran =
                run(words, {"LD_PRELOAD=" TILEWRIGHT_FAILING_FILES, "TILEWRIGHT_TEST_FAILS=" + function,
                               "TILEWRIGHT_TEST_NTH=" + std::to_string(nth),
                               "TILEWRIGHT_TEST_REACHED=" + path("reached")});
            was_reached = fs::remove(path("reached"));
            operations += was_reached && nth == 1;
            failures += was_reached;
            if (ran.code == 0) {
                EXPECT_EQ(read_text(out), expected) << "another result";
                EXPECT_TRUE(ran.err.empty() || ran.err.starts_with("tilewright: ")) << ran.err;
            } else {
                EXPECT_TRUE(was_reached);
                expect_error_line(ran.err, {});
                EXPECT_GT(ran.code, 0);
                EXPECT_EQ(read_text(out), old);
            }
            for (const std::string &name : files()) {
                const bool is_ours = name == "in." + kind || name == "out." + kind;
                EXPECT_TRUE(is_ours || function.starts_with("unlink")) << "a file is left: " << name;
                is_ours || fs::remove(path(name));
            }
        }
    }
    printf("%d failures of %d operations\n", failures, operations);
    EXPECT_GT(operations, 5);
}

INSTANTIATE_TEST_SUITE_P(, FailingFiles, testing::Values("png", "npy", "tif", "jpg"),
    [](const auto &info) { return std::string(info.param); });

}  // namespace
}  // namespace tilewright
