// Commands that a signal ends: they end at once, and leave no child and no file but a report of `bench`,
// which says that it is not complete. What `verify` found until then is printed.
#include "tests/command_line/command_line.h"
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

namespace tilewright {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// Waits until `happened`, for a minute at most: other tests may keep the machine busy.
bool eventually(const std::function<bool()> &happened) {
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (!happened()) {
        if (std::chrono::steady_clock::now() > end) {
            return false;
        }
        std::this_thread::sleep_for(200us);
    }
    return true;
}

// Whether there is such a process, and it has not ended.
bool is_running(const std::string &id) {
    std::string stat;
    std::getline(std::ifstream("/proc/" + id + "/stat"), stat);  // empty where there is none
    const size_t name_end = stat.rfind(") ");
    return name_end != std::string::npos && stat[name_end + 2] != 'Z';
}

class Interrupted : public CommandLine, public testing::WithParamInterface<std::pair<int, int>> {};

TEST_P(Interrupted, ALongBenchEndsAtOnce) {
    const auto [signal, code] = GetParam();
    const Words arguments = {"bench", operators().front(), "--device", "cpu", "--size", "64x64", "--repeats",
        "1000000", "--limit", "600", "--json", path("times.json")};
    Process bench(TILEWRIGHT_APP, arguments, {.out = path("table")});
    const auto has_begun = [&] { return read_text(path("table")).ends_with("verified\n"); };
    EXPECT_TRUE(eventually(has_begun));
    const auto start = std::chrono::steady_clock::now();
    kill(bench.id(), signal);
    const Ran ran = bench.wait();
    EXPECT_EQ(ran.code, code) << ran.err;
    EXPECT_LT(std::chrono::steady_clock::now() - start, 60s) << "where it goes on, it takes 600 s";
    ASSERT_EQ(files(), (Words{"table", "times.json"}));
    const json report = json::parse(read_text(path("times.json")));
    EXPECT_EQ(report["complete"], false) << "what was timed is kept";
    EXPECT_TRUE(report["context"].contains("commit"));
}

// The count of a run that was too long is not lost.
TEST_P(Interrupted, AVerifySaysHowManyResultsItCompared) {
    const std::string op = operators().front();
    Process verify(TILEWRIGHT_APP,
        {"verify", op, "--schedule", "reference", "--device", "cpu", "--random", "1000000", "--seconds", "2"},
        {.out = path("verdicts")});
    EXPECT_TRUE(eventually([&] { return read_text(path("verdicts")).starts_with("ok "); })) << "of one type";
    EXPECT_TRUE(is_running(std::to_string(verify.id()))) << "another type has as much time";
    const auto [signal, code] = GetParam();
    kill(verify.id(), signal);
    const Ran ran = verify.wait();
    EXPECT_EQ(ran.code, code) << ran.err;
    const std::string said = "tilewright: verify: a signal ended it after ";
    ASSERT_TRUE(ran.err.starts_with(said)) << ran.err;
    EXPECT_GT(std::stoi(ran.err.substr(said.size())), 0) << ran.err;
}

TEST_P(Interrupted, AShowLeavesNeitherItsGeneratorNorFiles) {
    NEEDS_OPERATOR("transpose");
    fs::create_directories(path("temporary"));
    const fs::path generator = path("transpose.generator");
    std::ofstream(generator) << "#!/bin/sh\necho $$ >'" << path("id.part") << "' && mv '" << path("id.part")
                             << "' '" << path("id") << "'\nexec sleep 600\n";
    fs::permissions(generator, fs::perms::owner_all);
    Process show(TILEWRIGHT_APP, {"show", "transpose", "--schedule", "reference", "--target", "cpu"},
        {.environment = {"TILEWRIGHT_GENERATORS=" + folder_.path(), "TMPDIR=" + path("temporary")}});
    const bool seen = eventually([&] { return fs::exists(path("id")); });
    std::string id = read_text(path("id"));
    id = id.substr(0, id.find('\n'));
    EXPECT_TRUE(seen && is_running(id)) << id;
    const auto [signal, code] = GetParam();
    kill(show.id(), signal);
    EXPECT_EQ(show.wait().code, code);
    EXPECT_TRUE(eventually([&] { return !is_running(id); })) << id;
    EXPECT_TRUE(fs::is_empty(path("temporary")));
}

INSTANTIATE_TEST_SUITE_P(By, Interrupted, testing::Values(std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}),
    [](const auto &info) { return info.param.first == SIGINT ? "SIGINT" : "SIGTERM"; });

}  // namespace
}  // namespace tilewright
