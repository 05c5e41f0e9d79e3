// Compiled OpenCL programs on disk, as two processes after each other meet them, and the command `cache`.
#include "tests/command_line/command_line.h"
#include <filesystem>
#include <fstream>

namespace tilewright {
namespace {

TEST_F(CommandLine, ALaterProcessUsesWhatTheFirstOneCompiled) {
    NEEDS_DEVICE("opencl");
    const Words kept = {"TILEWRIGHT_CACHE=" + path("kept")};
    make_image("in.png", 64, 48);
    const Words call = {"transpose", path("in.png"), path("out.png"), "--device", "opencl", "--check"};
    ASSERT_EQ(run(call, kept).code, 0);
    const json first = run_json({"cache", "list", "--json"}, kept)["programs"];
    ASSERT_FALSE(first.empty());
    ASSERT_EQ(run(call, kept).code, 0);
    EXPECT_EQ(run_json({"cache", "list", "--json"}, kept)["programs"].size(), first.size());

    // A file that is cut off, or that somebody changed, never reaches the driver.
    for (const json &program : first) {
        std::filesystem::resize_file(
            program["file"].get<std::string>(), program["bytes"].get<uint64_t>() / 2);
    }
    EXPECT_TRUE(run_json({"cache", "list", "--json"}, kept)["programs"].empty());
    ASSERT_EQ(run(call, kept).code, 0);
    EXPECT_EQ(run_json({"cache", "list", "--json"}, kept)["programs"].size(), first.size());
}

TEST_F(CommandLine, CacheSaysWhereItIsAndIsCleared) {
    const Words kept = {"TILEWRIGHT_CACHE=" + path("kept")};
    EXPECT_EQ(run({"cache", "path"}, kept).out, path("kept") + "\n");
    EXPECT_EQ(run({"cache", "list"}, kept).out, "0 programs, 0 B\n");
    EXPECT_EQ(run({"cache", "clear"}, kept).out, "0 programs removed\n");
    EXPECT_NE(
        run({"cache", "path"}, {"TILEWRIGHT_CACHE=off"}).out.find("nothing is kept"), std::string::npos);
    expect_refusal(2, {"cache"}, {"action"});
    expect_refusal(2, {"cache", "cleer"}, {"cleer", "list, clear or path", "clear"});
    expect_refusal(2, {"cache", "clear", "--json"}, {"--json"});
}

}  // namespace
}  // namespace tilewright
