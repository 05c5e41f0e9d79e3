// `bench`: what it times and writes, what it gives up, peers, and its progress on a terminal.
#include "tests/command_line/command_line.h"
#include "tests/support/arrays.h"
#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <pty.h>
#include <regex>
#include <set>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilewright {
namespace {

TEST_F(CommandLine, BenchVerifiesWhatItTimesAndWritesJson) {
    const std::string op = operators().front();
    const Ran ran = succeed({"bench", op, "--device", "cpu", "--size", "96x64", "--batch", "3", "--repeats",
        "5", "--json", path("times.json")});
    const json report = json::parse(read_text(path("times.json")));
    EXPECT_EQ(report["version"], 2);
    for (const char *key : {"date", "commit", "halide", "llvm", "num_cpus", "caches", "devices"}) {
        EXPECT_TRUE(report["context"].contains(key)) << key;
    }
    ASSERT_FALSE(report["runs"].empty());
    size_t timed = 0;
    for (const json &one : report["runs"]) {
        expect_has(ran.out, {one["variant"].get<std::string>()});
        if (one.contains("skipped")) {
            continue;
        }
        timed++;
        EXPECT_EQ(one["time_unit"], "ms");
        EXPECT_GT(one["real_time"].get<double>(), 0);
        EXPECT_LE(one["batch"]["p10"].get<double>(), one["batch"]["median"].get<double>());
        EXPECT_LE(one["batch"]["median"].get<double>(), one["batch"]["p90"].get<double>());
        EXPECT_GT(one["host_call"]["median"].get<double>(), 0);
        if (one["chosen"] == true) {
            EXPECT_GT(one["prepared"]["median"].get<double>(), 0);
        }
        EXPECT_GT(one["first_call_ms"].get<double>(), 0);
        EXPECT_EQ(one["iterations"], 3);
        EXPECT_EQ(one["repetitions"], 5);
        EXPECT_GE(one["buffer_sets"].get<int>(), 2);
        EXPECT_TRUE(one["verified"]) << one;
        EXPECT_NE(one["verified_by"], one["variant"]) << one;
    }
    EXPECT_GE(timed, 2u);
}

// Small data of a CPU stays in the cache; of larger data there are so many sets that no cache holds them.
TEST_F(CommandLine, BenchFindsSmallDataInTheCache) {
    NEEDS_OPERATOR("transpose");
    const auto report_of = [&](const std::string &size) {
        return run_json({"bench", "transpose", "--type", "u8", "--device", "cpu", "--schedule", "tuned_any",
            "--size", size, "--batch", "1", "--repeats", "3", "--json", "-"});
    };
    EXPECT_EQ(report_of("64x64")["runs"][0]["buffer_sets"], 2);
    EXPECT_EQ(report_of("1500x1600")["runs"][0]["buffer_sets"], 2) << "2.4 MB";
    const json large = report_of("1500x1700");
    double cache = 0;
    for (const json &bytes : large["context"]["caches"]) {
        cache = std::max(cache, bytes.get<double>());
    }
    EXPECT_GT(large["runs"][0]["buffer_sets"].get<double>() * 2 * 1500 * 1700, std::min(cache, 128e6));
}

TEST_F(CommandLine, BenchToStandardOutputIsJsonAlone) {
    const json report = run_json({"bench", operators().front(), "--device", "cpu", "--schedule", "reference",
        "--size", "33", "--batch", "1", "--repeats", "3", "--json", "-"});
    EXPECT_FALSE(report["runs"].empty());
}

TEST_F(CommandLine, BenchGivesUpWhatTakesTooLongAtAnySize) {
    NEEDS_OPERATOR("matmul");
    // 2^27 multiplications without any schedule take longer than a quarter of a millisecond on any machine.
    const Words arguments = {"bench", "matmul", "--type", "f32", "--device", "cpu", "--schedule", "reference",
        "--size", "512x512", "--limit", ".001"};
    const Ran ran = succeed(arguments);
    expect_has(ran.out, {"not timed: a call would take about"});
    EXPECT_TRUE(ran.out.ends_with("\n# not timed: 1 of 1; their lines say why\n")) << ran.out;
    Words as_json = arguments;
    as_json.insert(as_json.end(), {"--json", "-"});
    EXPECT_EQ(run_json(as_json)["not_timed"], 1);
}

TEST_F(CommandLine, BenchRecordsTheSizeThatRan) {
    const auto run_of = [&](const std::string &op, const std::string &type, const std::string &size) {
        const json report = run_json({"bench", op, "--type", type, "--device", "cpu", "--schedule",
            "reference", "--size", size, "--batch", "1", "--repeats", "3", "--json", "-"});
        return report["runs"][0];
    };
    if (has_operator("min_plus_convolution")) {
        const json vectors = run_of("min_plus_convolution", "f32", "70x30");
        EXPECT_EQ(vectors["width"], 70);
        EXPECT_EQ(vectors["height"], 1);
        EXPECT_EQ(vectors["inputs"], (json{"f32 (70)", "f32 (70)"}));
    }
    if (has_operator("fresnel")) {
        const json field = run_of("fresnel", "c64", "100x40");
        EXPECT_EQ(field["width"], 100);
        EXPECT_EQ(field["height"], 100);
    }
    if (has_operator("invert")) {
        const json image = run_of("invert", "u8", "70x30");
        EXPECT_EQ(image["width"], 70);
        EXPECT_EQ(image["height"], 30);
        EXPECT_EQ(image["inputs"], (json{"u8 (30, 70)"}));
    }
}

// The settings that a workload times by itself must be ones that its operator takes.
TEST_F(CommandLine, BenchTimesEverySettingOfEveryOperator) {
    const json report = run_json({"bench", "--device", "cpu", "--schedule", "reference", "--size", "64x64",
        "--batch", "1", "--repeats", "3", "--limit", ".001", "--json", "-"});
    std::set<std::string> timed;
    for (const json &run : report["runs"]) {
        timed.insert(run["operator"]);
    }
    for (const std::string &op : operators()) {
        EXPECT_TRUE(timed.contains(op)) << op;
    }
}

TEST_F(CommandLine, BenchTakesTheFlagsOfOperators) {
    NEEDS_OPERATOR("fft2d");
    Words words = {"bench", "fft2d", "--device", "cpu", "--schedule", "reference", "--size", "100x60",
        "--batch", "1", "--repeats", "3"};
    words.insert(words.end(), {"--json", "-", "--pad"});
    const json padded = run_json(words)["runs"][0];
    EXPECT_EQ(padded["width"], 100);
    EXPECT_EQ(padded["height"], 60);
    EXPECT_EQ(padded["settings"], "pad=yes");
    EXPECT_TRUE(padded.contains("real_time")) << padded;
    if (has_operator("invert")) {
        expect_refusal(2, {"bench", "invert", "--pad"}, {"--pad", "invert", "no options"});
    }
}

TEST_F(CommandLine, BenchFindsAWrongResult) {
    NEEDS_DEVICE("opencl");
    const Ran ran = run({"bench", operators().front(), "--device", "opencl", "--schedule", "tuned", "--size",
                            "64", "--batch", "1", "--repeats", "3"},
        failing_driver("drop-launches"));
    EXPECT_EQ(ran.code, 6) << ran.err;
    expect_has(ran.out, {"WRONG"});
}

TEST_F(CommandLine, BenchKeepsTheCodeOfAWrongResultWhereItsFilesCannotBeWritten) {
    NEEDS_OPERATOR("transpose");
    NEEDS_DEVICE("opencl");
    const Ran ran = run({"bench", "transpose", "--schedule", "padded", "--type", "u8", "--device", "opencl",
                            "--size", "64x64", "--batch", "1", "--repeats", "3", "--report", "/dev/full"},
        failing_driver("drop-launches"));
    EXPECT_EQ(ran.code, 6) << ran.err;
    expect_has(ran.err, {"/dev/full", "gave a wrong result"});
}

// The second line of the results file is too much; what was timed before is in both files.
TEST_F(CommandLine, BenchEndsWhereTheResultsFileIsFull) {
    const std::string op = operators().front();
    constexpr rlim_t most = 2000;
    const Ran ran = run_program(TILEWRIGHT_APP,
        {"bench", op, "--device", "cpu", "--size", "64x64", "--batch", "1", "--repeats", "3", "--results",
            path("runs.jsonl")},
        {.prepare = [] {
            const rlimit limit = {most, most};
            setrlimit(RLIMIT_FSIZE, &limit);
        }});
    EXPECT_EQ(ran.code, 1);
    expect_error_line(ran.err, {"runs.jsonl", "File too large", "before this one are in it"});
    EXPECT_EQ(ran.err.find("goes on"), std::string::npos) << ran.err;
    const std::string text = read_text(path("runs.jsonl"));
    ASSERT_FALSE(text.empty());
    EXPECT_EQ(text.back(), '\n');
    EXPECT_LE(text.size(), most);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        EXPECT_TRUE(json::accept(line)) << line;
    }
}

TEST_F(CommandLine, BenchTimesPeersToo) {
    NEEDS_OPERATOR("transpose");
    const Ran ran = succeed({"bench", "transpose", "--device", "cpu", "--type", "u8", "--schedule", "tuned",
        "--size", "130x70", "--batch", "2", "--repeats", "3", "--peers", "--json", path("times.json")});
    size_t peers = 0;
    const json report = json::parse(read_text(path("times.json")));
    for (const json &one : report["runs"]) {
        if (one.contains("peer")) {
            peers++;
            EXPECT_TRUE(one["verified"].get<bool>() || one["unverified"] == "it only copies") << one;
        }
    }
    EXPECT_GE(peers, 2u);
}

// Whatever libraries this build found, their results are verified. Images that are no multiple of 64 bytes
// have gaps between rows.
TEST_F(CommandLine, BenchTimesLibrariesToo) {
    std::set<std::string> found, ran_on;
    for (const auto &[op, size, device] :
        std::initializer_list<std::array<std::string, 3>>{{"transpose", "130x70", "cpu"},
            {"column_sum", "130x70", "cpu"}, {"row_sum", "130x70", "cpu"}, {"invert", "130x70", "cpu"},
            {"matmul", "130x70", "cpu"}, {"gaussian_blur", "130x70", "cpu"}, {"fft2d", "128x64", "cpu"},
            {"fft2d", "125x64", "opencl"}, {"transpose", "140x37", "cuda"}, {"column_sum", "140x37", "cuda"},
            {"row_sum", "140x37", "cuda"}, {"matmul", "208x208", "cuda"}, {"fft2d", "125x64", "cuda"},
            {"recursive_gaussian", "140x37", "cuda"}, {"min_plus_convolution", "7001x1", "cuda"}}) {
        if (!has_operator(op) || !has_device(device)) {
            continue;
        }
        Words words = {"bench", op, "--device", device, "--schedule", "tuned", "--size", size, "--batch", "1",
            "--repeats", "3", "--peers", "--json", path("times.json")};
        if (device == "cuda") {
            words.insert(words.end(), {"--row-pitch", "0"});
        }
        const Ran ran = run(words);
        ASSERT_EQ(ran.code, 0) << op << ": " << ran.err << ran.out;
        ran_on.insert(device);
        const json report = json::parse(read_text(path("times.json")));
        for (const json &one : report["runs"]) {
            const std::string peer = one.value("peer", "");
            if (!peer.empty() && !peer.starts_with("plain") && !peer.starts_with("memcpy")) {
                found.insert(device);
                EXPECT_TRUE(one["verified"].get<bool>()) << one;
            }
        }
    }
    std::istringstream devices(TILEWRIGHT_DEVICES_WITH_PEERS);
    for (std::string device; devices >> device;) {
        EXPECT_EQ(found.contains(device), ran_on.contains(device)) << device;
    }
}

// Runs a program on a terminal of its own, and returns what it wrote there. `look` gets what is there so far.
std::string on_terminal(
    const char *program, const Words &arguments, int &code,
    const std::function<void(const std::string &)> &look = [](const std::string &) {}) {
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
    if (child == 0) {
        std::vector<char *> argv = {const_cast<char *>(program)};
        for (const std::string &argument : arguments) {
            argv.push_back(const_cast<char *>(argument.c_str()));
        }
        argv.push_back(nullptr);
        execv(program, argv.data());
        _exit(127);
    }
    std::string written;
    char buffer[4096];
    for (ssize_t n; (n = read(terminal, buffer, sizeof buffer)) > 0;) {
        written.append(buffer, (size_t)n);
        look(written);
    }
    int status = 0;
    waitpid(child, &status, 0);
    close(terminal);
    code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return written;
}

TEST_F(CommandLine, LongWorkShowsItsProgressOnATerminalOnly) {
    // About two seconds, however many variants there are: the bar comes after the first of them.
    const std::string op = operators().front();
    const json all = run_json({"list", op, "--json"});
    size_t variants = 0;
    for (const json &variant : all["operators"][0]["variants"]) {
        variants += variant["backend"] == "cpu";
    }
    ASSERT_GE(variants, 3u);
    const Words arguments = {"bench", op, "--device", "cpu", "--size", "256x256", "--batch", "10",
        "--repeats", "100000", "--limit", std::to_string(2. / (double)variants)};
    int code = -1;
    const std::string seen = on_terminal(TILEWRIGHT_APP, arguments, code);
    EXPECT_EQ(code, 0) << seen;
    EXPECT_TRUE(std::regex_search(seen, std::regex("bench \\[#*-*\\] [0-9]+/[0-9]+ about [0-9]+ s left")))
        << seen;
    const Ran quiet = succeed(arguments);
    EXPECT_EQ(quiet.err, "");
}

// The input comes slowly until the bar is there, which is after a second.
TEST_F(CommandLine, BandsShowTheirRateOnATerminal) {
    NEEDS_OPERATOR("invert");
    write_array(path("in.png"), random_array<uint8_t>({1100, 1100}));
    int code = -1;
    const std::regex bar("invert \\[#+-*\\] [0-9]+/100 %, [0-9.]+ [kM]?B/s");
    const std::string seen = on_terminal("/bin/bash",
        {"-c",
            "(head -c 600000; for i in {1..60}; do [ -e $0.seen ] || sleep .2; head -c 10000; done; cat) <$0 "
            "| " TILEWRIGHT_APP " invert - $0.out.png --memory 100K --device cpu",
            path("in.png")},
        code, [&](const std::string &written) {
            if (std::regex_search(written, bar)) {
                std::ofstream(path("in.png.seen"));
            }
        });
    EXPECT_EQ(code, 0) << seen;
    EXPECT_TRUE(std::regex_search(seen, bar)) << seen;
}

// Each process loads and times everything anew; errors are those of the processes.
TEST_F(CommandLine, BenchTimesInSeveralProcesses) {
    NEEDS_OPERATOR("transpose");
    const Ran ran = succeed({"bench", "transpose", "--device", "cpu", "--type", "u8", "--size", "64x64",
        "--schedule", "reference", "--repeats", "3", "--batch", "1", "--processes", "2", "--json",
        path("times.json"), "--results", path("times.jsonl")});
    expect_has(ran.out, {"2 processes"});
    const json report = json::parse(read_text(path("times.json")));
    ASSERT_EQ(report["runs"].size(), 2u);
    EXPECT_EQ(report["runs"][1]["process"], 2);
    EXPECT_TRUE(report["runs"][1]["verified"]);
    const Ran compared = run({"compare", path("times.json"), path("times.jsonl"), "--all"});
    expect_has(compared.out, {"2+2"});
    expect_refusal(2, {"bench", "transpose", "--schedule", "tund", "--device", "cpu", "--processes=2"},
        {"tund", "did you mean 'tuned'"});
}

}  // namespace
}  // namespace tilewright
