// What cuda_peers keeps of its runs, where it ends and where it is ended.
#include "apps/laboratory/cuda_peers/results.h"
#include "apps/laboratory/results/timed_runs.h"
#include "tests/support/files.h"
#include "tests/support/process.h"
#include <csignal>
#include <fstream>
#include <gtest/gtest.h>

namespace peers {
namespace {

const Json about = {
    {"version", 2}, {"program", "cuda_peers"}, {"context", {{"device_name", "a GPU"}, {"driver", "1.2"}}}};

Json run_of(const std::string &peer) {
    return {{"peer", peer}, {"operator", "transpose"}, {"type", "u8"}, {"backend", "cuda"},
        {"device", "cuda:0"}, {"data", "u8 64x64"}, {"real_time", .5},
        {"batch", {{"median", .5}, {"p10", .4}, {"p90", .6}}}};
}

class PeersResults : public testing::Test {
protected:
    const tilewright::TestFolder folder_;
    const std::string json_ = folder_.file("peers.json"), lines_ = folder_.file("peers.jsonl");

    // The names of the peers in a file, as `tilewright report` reads it.
    static std::vector<std::string> peers_in(const std::string &path) {
        std::vector<std::string> names;
        for (const auto &run : tilewright::app::read_timed_file(path).runs) {
            EXPECT_EQ(run.p10, .4);
            names.push_back(run.schedule);
        }
        return names;
    }

    bool is_complete() const {
        return Json::parse(tilewright::read_text(json_)).at("complete");
    }
};

TEST_F(PeersResults, AreInBothFiles) {
    const int status = tilewright::in_child([&] {
        Results results(json_, lines_, about);
        results.add(run_of("one"));
        results.add(run_of("two"));
        results.end();
    });
    EXPECT_EQ(status, 0);
    EXPECT_EQ(peers_in(json_), (std::vector<std::string>{"one", "two"}));
    EXPECT_EQ(peers_in(lines_), (std::vector<std::string>{"one", "two"}));
    EXPECT_TRUE(is_complete());
}

TEST_F(PeersResults, AreKeptWhereASignalEndsTheProgram) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        const int status = tilewright::in_child([&] {
            Results results(json_, lines_, about);
            results.add(run_of("before the signal"));
            kill(getpid(), signal);
            pause();
        });
        ASSERT_TRUE(WIFEXITED(status));
        EXPECT_EQ(WEXITSTATUS(status), 128 + signal);
        EXPECT_EQ(peers_in(json_), std::vector<std::string>{"before the signal"});
        EXPECT_FALSE(is_complete());
    }
    EXPECT_EQ(peers_in(lines_).size(), 3u) << "each program appends to the file";
}

TEST_F(PeersResults, AreKeptWhereAnErrorEndsTheProgram) {
    const int status = tilewright::in_child([&] {
        try {
            Results results(json_, lines_, about);
            results.add(run_of("before the error"));
            throw std::bad_alloc();
        } catch (const std::bad_alloc &) {
        }
    });
    EXPECT_EQ(status, 0);
    EXPECT_EQ(peers_in(json_), std::vector<std::string>{"before the error"});
    EXPECT_FALSE(is_complete());
}

TEST_F(PeersResults, RefuseFilesThatCannotBeWritten) {
    const auto why = [&](const std::string &json, const std::string &lines) {
        tilewright::in_child([&] {
            try {
                Results results(json, lines, about);
                results.add(run_of("one"));
                results.end();
            } catch (const std::runtime_error &error) {
                std::ofstream(folder_.file("why")) << error.what();
            }
        });
        return tilewright::read_text(folder_.file("why"));
    };
    EXPECT_NE(
        why(json_, folder_.file("none/lines")).find("none/lines: cannot be written"), std::string::npos);
    EXPECT_NE(why(folder_.file("none/json"), lines_).find("none/json: cannot be written"), std::string::npos);
    EXPECT_NE(why(json_, "/dev/full").find("/dev/full: cannot be written"), std::string::npos);
    tilewright::write_bytes(lines_, tilewright::bytes_of("{\"version\":2"));
    EXPECT_NE(why(json_, lines_).find("cut off"), std::string::npos);
}

}  // namespace
}  // namespace peers
