// Compiled OpenCL programs on disk, as two processes after each other meet them, and the command `cache`.
#include "tests/command_line/command_line.h"
#include <algorithm>
#include <filesystem>
#include <fstream>

namespace tilewright {
namespace {

// PoCL keeps its programs itself, unless it is told not to; then they are kept like those of other drivers.
TEST_F(CommandLine, ALaterProcessUsesWhatTheFirstOneCompiled) {
    NEEDS_DEVICE("opencl");
    const Words kept = {"TILEWRIGHT_CACHE=" + path("kept"), "POCL_KERNEL_CACHE=0"};
    make_image("in.png", 64, 48);
    const Words call = {"transpose", path("in.png"), path("out.png"), "--device", "opencl", "--check"};
    succeed(call, kept);
    const json first = run_json({"cache", "list", "--json"}, kept)["programs"];
    ASSERT_FALSE(first.empty());
    succeed(call, kept);
    EXPECT_EQ(run_json({"cache", "list", "--json"}, kept)["programs"].size(), first.size());

    // A file that is cut off, or that somebody changed, never reaches the driver.
    for (const json &program : first) {
        std::filesystem::resize_file(
            program["file"].get<std::string>(), program["bytes"].get<uint64_t>() / 2);
    }
    EXPECT_TRUE(run_json({"cache", "list", "--json"}, kept)["programs"].empty());
    succeed(call, kept);
    EXPECT_EQ(run_json({"cache", "list", "--json"}, kept)["programs"].size(), first.size());
}

// Machine code that others could have put there is not loaded, and one line says why.
TEST_F(CommandLine, AFolderThatOthersMayWriteToKeepsNoPrograms) {
    NEEDS_DEVICE("opencl");
    namespace fs = std::filesystem;
    const Words kept = {"TILEWRIGHT_CACHE=" + path("kept"), "POCL_KERNEL_CACHE=0"};
    fs::create_directory(path("kept"));
    fs::permissions(path("kept"), fs::perms::all);
    make_image("in.png", 64, 48);
    const Ran ran = succeed({"transpose", path("in.png"), path("out.png"), "--device", "opencl"}, kept);
    expect_has(ran.err, {"warning: no compiled programs are kept in '" + path("kept") +
                            "': others may write to it (its mode is 777"});
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_TRUE(fs::is_empty(path("kept")));
    const Ran doctor = run({"doctor"}, kept);
    expect_has(doctor.out, {"warn  program cache     " + path("kept") + " is not used: others may write"});
}

TEST_F(CommandLine, TheCacheIsNeverInAFolderThatDependsOnWhereTheProgramRuns) {
    const Words none = {"TILEWRIGHT_CACHE=", "XDG_CACHE_HOME=.", "HOME=" + path("home")};
    EXPECT_EQ(run({"cache", "path"}, none).out, path("home/.cache/tilewright") + "\n");
    const Words relative = {"TILEWRIGHT_CACHE=", "XDG_CACHE_HOME=cache", "HOME=home"};
    EXPECT_NE(run({"cache", "path"}, relative).out.find("nothing is kept"), std::string::npos);
    const Words whole = {"TILEWRIGHT_CACHE=", "XDG_CACHE_HOME=" + path("cache")};
    EXPECT_EQ(run({"cache", "path"}, whole).out, path("cache/tilewright") + "\n");
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
