// `explore` as a user meets it.
#include "tests/command_line/command_line.h"
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <sys/file.h>
#include <sys/resource.h>
#include <thread>

namespace tilewright {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class Explore : public CommandLine {
protected:
    void SetUp() override {
        if (!has_operator("transpose")) {
            GTEST_SKIP() << "this build has no operator transpose";
        }
        fs::create_directory(path("tmp"));
    }

    // A search of one variant, on data that all its points serve. A point takes a second.
    Words small(const Words &more) const {
        Words words = {"explore", "transpose", "--schedule", "tuned_small", "--type", "u8", "--size",
            "1100x300", "--device", "cpu", "--limit", ".02", "--budget", "100"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }

    Ran explore(const Words &more, Words environment = {}) const {
        environment.push_back("TMPDIR=" + path("tmp"));
        return run(small(more), environment);
    }

    std::string results() const {
        return path("results.jsonl");
    }

    // The lines of the results file, each of which must be whole.
    std::vector<json> lines() const {
        std::vector<json> all;
        std::istringstream text(read_text(results()));
        for (std::string line; std::getline(text, line);) {
            all.push_back(json::parse(line, nullptr, false));
            EXPECT_TRUE(all.back().is_object()) << line;
        }
        return all;
    }

    // How many points have lines. A search that finds better values times them, and the own ones, again.
    size_t count_of_points() const {
        const std::vector<json> all = lines();
        return (size_t)std::count_if(
            all.begin(), all.end(), [](const json &line) { return !line.contains("again"); });
    }

    size_t count_of_lines() const {
        std::ifstream file(results());
        return (size_t)std::count(std::istreambuf_iterator<char>(file), {}, '\n');
    }

    static bool eventually(const std::function<bool()> &happened) {
        for (int i = 0; i < 6000 && !happened(); i++) {
            std::this_thread::sleep_for(10ms);
        }
        return happened();
    }

    // A search in which every library that is built has the fault.
    Ran explore_with(const std::string &fault, const Words &more = {}) const {
        fs::copy_file(
            TILEWRIGHT_FAULTY_GENERATOR, path("transpose.generator"), fs::copy_options::overwrite_existing);
        Words words = {"--points", "2", "--results", results()};
        words.insert(words.end(), more.begin(), more.end());
        return explore(words, {"TILEWRIGHT_GENERATORS=" + folder_.path(), "TILEWRIGHT_TEST_FAULT=" + fault,
                                  "TILEWRIGHT_TEST_GENERATOR=" TILEWRIGHT_TRANSPOSE_GENERATOR});
    }

    // The variant's own values were timed, and the other point was kept with this reason.
    void expect_failed_point(const Ran &ran, const std::string &reason) const {
        EXPECT_EQ(ran.code, 0) << ran.err;
        const std::vector<json> all = lines();
        ASSERT_EQ(all.size(), 2u);
        EXPECT_TRUE(all[0].contains("real_time")) << all[0];
        EXPECT_FALSE(all[1].contains("real_time"));
        EXPECT_NE(all[1].value("failed", "").find(reason), std::string::npos) << all[1];
        EXPECT_TRUE(eventually([&] { return fs::is_empty(path("tmp")); }));
    }
};

TEST_F(Explore, KeepsEachPointAndGoesOn) {
    const Ran first = explore({"--points", "3", "--results", results()});
    ASSERT_EQ(first.code, 0) << first.err;
    expect_has(first.out, {"transpose/tuned_small/u8/cpu"});
    const Ran second = explore({"--points", "2", "--results", results()});
    ASSERT_EQ(second.code, 0) << second.err;
    expect_has(second.err, {"has 3 points of this search"});
    std::set<json> points;
    for (const json &line : lines()) {
        EXPECT_EQ(line["version"], 2);
        EXPECT_EQ(line["varies"], "transpose/tuned_small/u8/cpu");
        EXPECT_EQ(line["device"], "cpu");
        EXPECT_TRUE(line["context"].contains("device_name"));
        EXPECT_TRUE(line.contains("failed") || line.contains("skipped") || line["verified"]) << line;
        if (!line.contains("again")) {
            EXPECT_TRUE(points.insert(line["tunables"]).second) << line;
        }
    }
    EXPECT_EQ(points.size(), 5u);
    EXPECT_TRUE(eventually([&] { return fs::is_empty(path("tmp")); }));
}

TEST_F(Explore, RefusesBadInput) {
    expect_refusal(2, {"explore"}, {"at least one operator", "transpose"});
    expect_refusal(2, {"explore", "transpos"}, {"transpos", "transpose"});
    expect_refusal(2, small({"--budget", "0"}), {"--budget"});
    expect_refusal(2, small({"--points", "0"}), {"--points"});
    expect_refusal(2, {"explore", "transpose", "--schedule", "fast"}, {"fast", "there are reference"});
    expect_refusal(2, {"explore", "transpose", "--type", "u7"}, {"u7", "known"});
    expect_refusal(2, {"explore", "transpose", "--size", "3x"}, {"--size", "3x"});
    expect_refusal(2, {"explore", "transpose", "--device", "tpu"}, {"tpu"});
    expect_refusal(4, {"explore", "transpose", "--device", "cpu", "--schedule", "shared"}, {"list"});
    expect_refusal(2, {"explore", "transpose", "--bundle", path("b"), "--device", "cuda:1"}, {"cuda:1"});
    expect_refusal(2, small({"--sigma", "3"}), {"--sigma", "transpose"});
    expect_refusal(2, small({"--crop"}), {"--crop", "name a file"});
    expect_refusal(2, small({"--input", path("tmp")}), {"--size", "leave one of the two out"});
    expect_refusal(3, {"explore", "transpose", "--device", "cpu", "--input", path("none.png")}, {"none.png"});
    make_image("image.png");
    expect_refusal(2,
        {"explore", "transpose", "--device", "cpu", "--input", path("image.png"), "--bundle", path("b")},
        {"--input", "bundle"});
    expect_refusal(1, small({"--results", path("none/r.jsonl")}), {"none/r.jsonl", "No such file"});
    expect_refusal(1, small({"--results", path("tmp")}), {"tmp", "directory"});
    expect_refusal(2, small({"--results", "/dev/full"}), {"/dev/full", "regular file"});
    expect_refusal(3, {"explore", "--bundled", path("tmp")}, {"no bundle"});
}

TEST_F(Explore, RefusesAFileThatHasNoResults) {
    for (const auto &[text, reason] : {std::pair{"not JSON\n", "line 1"}, {"not JSON", "line 1"},
             {"[]\n", "line 1"}, {"{\"version\":1}\n", "version 1"},
             {"{\"version\":2}\n{\"version\":3}\n", "line 2: it is of version 3"}}) {
        write_bytes(results(), bytes_of(text));
        expect_refusal(3, small({"--results", results()}), {"results.jsonl", reason});
        EXPECT_EQ(read_text(results()), text);
    }
}

TEST_F(Explore, LeavesOutALineThatWasCutOff) {
    ASSERT_EQ(explore({"--points", "1", "--results", results()}).code, 0);
    const std::string whole = read_text(results());
    std::ofstream(results(), std::ios::app) << whole.substr(0, whole.size() / 2);
    const Ran ran = explore({"--points", "1", "--results", results()});
    EXPECT_EQ(ran.code, 0) << ran.err;
    expect_has(ran.err, {"its last line was cut off"});
    EXPECT_GE(lines().size(), 2u);
    EXPECT_EQ(read_text(results()).rfind(whole, 0), 0u);
}

TEST_F(Explore, KeepsALastLineThatLacksOnlyItsEnd) {
    ASSERT_EQ(explore({"--points", "1", "--results", results()}).code, 0);
    const std::string whole = read_text(results());
    write_bytes(results(), bytes_of(whole.substr(0, whole.size() - 1)));
    const Ran ran = explore({"--points", "1", "--results", results()});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.err.find("cut off"), std::string::npos) << ran.err;
    EXPECT_EQ(read_text(results()).rfind(whole, 0), 0u) << "the end is put there before the next line";
    lines();
}

TEST_F(Explore, RefusesAFileThatAnotherOneWritesTo) {
    const int file = open(results().c_str(), O_RDWR | O_CREAT, 0666);
    ASSERT_EQ(flock(file, LOCK_EX), 0);
    expect_refusal(1, small({"--results", results()}), {"results.jsonl", "another process"});
    close(file);
}

TEST_F(Explore, SharesItsFileWithNoOtherExplorer) {
    Process first(
        TILEWRIGHT_APP, small({"--results", results()}), {.environment = {"TMPDIR=" + path("tmp")}});
    ASSERT_TRUE(eventually([&] { return count_of_lines() >= 1; }));
    expect_refusal(1, small({"--results", results()}), {"results.jsonl", "another process"});
    const size_t before = count_of_lines();
    EXPECT_TRUE(eventually([&] { return count_of_lines() > before; }));  // the first one goes on
    kill(first.id(), SIGINT);
    EXPECT_EQ(first.wait().code, 130);
    lines();
}

// A file system of one page, which only the new process sees.
TEST_F(Explore, SaysThatTheFileSystemIsFull) {
    const std::string small_disk = path("disk");
    fs::create_directory(small_disk);
    const std::string script = "mount -t tmpfs -o size=4k none \"$1\" || exit 77; d=\"$1\"; shift; \"$@\"; "
                               "code=$?; cat \"$d/results.jsonl\"; exit $code";
    Words words = {"-rm", "sh", "-c", script, "sh", small_disk, TILEWRIGHT_APP};
    for (const std::string &word : small({"--results", small_disk + "/results.jsonl"})) {
        words.push_back(word);
    }
    const Ran ran = run_program("/usr/bin/unshare", words, {.environment = {"TMPDIR=" + path("tmp")}});
    if (ran.code == 77 || ran.err.starts_with("unshare:") || ran.code == 127) {
        GTEST_SKIP() << "not run here: no file system can be mounted: " << ran.err;
    }
    EXPECT_EQ(ran.code, 1);
    expect_error_line(ran.err, {"results.jsonl", "No space left", "goes on from there"});
    expect_has(ran.out, {"best values"});
    std::istringstream out(ran.out.substr(ran.out.find("{\"version\"")));
    size_t whole = 0;
    for (std::string line; std::getline(out, line); whole++) {
        EXPECT_TRUE(json::accept(line)) << line;
    }
    EXPECT_GE(whole, 1u);
}

TEST_F(Explore, SaysThatTheDiskIsFullAndKeepsWhatItHas) {
    constexpr rlim_t most = 4000;
    const Ran ran = run_program(TILEWRIGHT_APP, small({"--results", results()}), {.prepare = [] {
        const rlimit limit = {most, most};
        setrlimit(RLIMIT_FSIZE, &limit);
    }});
    EXPECT_EQ(ran.code, 1);
    expect_error_line(ran.err, {"results.jsonl", "File too large", "goes on from there"});
    EXPECT_GE(lines().size(), 1u);
    EXPECT_LE(fs::file_size(results()), most);
    EXPECT_EQ(read_text(results()).back(), '\n');
}

TEST_F(Explore, EndsWithItsTableWhereItIsInterrupted) {
    Process process(
        TILEWRIGHT_APP, small({"--results", results()}), {.environment = {"TMPDIR=" + path("tmp")}});
    ASSERT_TRUE(eventually([&] { return count_of_lines() >= 2; }));
    kill(process.id(), SIGINT);
    const Ran ran = process.wait();
    EXPECT_EQ(ran.code, 130);
    expect_has(ran.out, {"best values"});
    const size_t before = lines().size();
    EXPECT_TRUE(eventually([&] { return fs::is_empty(path("tmp")); }));
    const Ran next = explore({"--points", "1", "--results", results()});
    EXPECT_EQ(next.code, 0) << next.err;
    EXPECT_GT(lines().size(), before);
}

TEST_F(Explore, LosesNothingWhereItIsKilled) {
    Process process(
        TILEWRIGHT_APP, small({"--results", results()}), {.environment = {"TMPDIR=" + path("tmp")}});
    ASSERT_TRUE(eventually([&] { return count_of_lines() >= 2; }));
    kill(process.id(), SIGKILL);  // often when the next point makes its temporary folder
    EXPECT_EQ(process.wait().code, -SIGKILL);
    EXPECT_GE(lines().size(), 2u);
    EXPECT_TRUE(eventually([&] { return fs::is_empty(path("tmp")); }));
    const Ran next = explore({"--points", "1", "--results", results()});
    EXPECT_EQ(next.code, 0) << next.err;
}

// Once the folder is there, the process that measures points and its group are killed, as by the search.
TEST_F(Explore, LeavesNoFolderOfAProcessThatIsKilledAtOnce) {
    const Ran ran = explore({"--points", "2", "--results", results()},
        {std::string("LD_PRELOAD=") + TILEWRIGHT_AT_CALL, "ASAN_OPTIONS=verify_asan_link_order=0",
            "TILEWRIGHT_TEST_CALL=mkdir", "TILEWRIGHT_TEST_GROUP=1",
            "TILEWRIGHT_TEST_SIGNAL=" + std::to_string(SIGKILL)});
    expect_failed_point(ran, "it crashed: signal 9");
}

TEST_F(Explore, KeepsAPointThatCrashes) {
    expect_failed_point(explore_with("crash"), "it crashed: signal 11");
}

TEST_F(Explore, KeepsAPointThatHangs) {
    expect_failed_point(explore_with("hang", {"--hang", "6"}), "it hangs: no answer after 6 s");
}

TEST_F(Explore, KeepsAPointThatIsWrong) {
    expect_failed_point(explore_with("wrong"), "wrong result: ");
}

TEST_F(Explore, SearchesByABundleElsewhere) {
    const Ran made = explore({"--points", "2", "--bundle", path("bundle")});
    ASSERT_EQ(made.code, 0) << made.err;
    expect_has(made.out, {"2 points of 1 variants"});
    fs::create_directory(path("elsewhere"));
    const Words environment = {"TMPDIR=" + path("tmp"), "TILEWRIGHT_GENERATORS=/nonexistent"};
    const Ran ran = run_program(path("bundle"), {"--budget", "100", "--results", results()},
        {.environment = environment, .folder = path("elsewhere")});
    ASSERT_EQ(ran.code, 0) << ran.err;
    size_t verified = 0;
    for (const json &line : lines()) {
        verified += !line.contains("again") && line.contains("verified") && line["verified"];
    }
    EXPECT_EQ(verified, 3u) << ran.out;
    EXPECT_TRUE(fs::is_empty(path("tmp")));
    const Ran next = explore({"--points", "1", "--results", results()});
    expect_has(next.err, {"has 3 points of this search"});
}

TEST_F(Explore, TakesTheOptionsOfTheOperator) {
    NEEDS_OPERATOR("gaussian_blur");
    const auto explore_sigma = [&](const char *sigma) {
        return run({"explore", "gaussian_blur", "--schedule", "tuned_any", "--type", "f32", "--size",
                       "300x200", "--device", "cpu", "--limit", ".1", "--sigma", sigma, "--points", "2",
                       "--results", results()},
            {"TMPDIR=" + path("tmp")});
    };
    ASSERT_EQ(explore_sigma("2.5").code, 0);
    ASSERT_EQ(count_of_points(), 2u);  // one set of data, not one per sigma of the workload
    for (const json &line : lines()) {
        expect_has(line["settings"].get<std::string>(), {"sigma=2.5"});
        EXPECT_TRUE(line["verified"].get<bool>()) << line;
    }
    const Ran other = explore_sigma("4");  // of another sigma nothing is known
    EXPECT_EQ(other.err, "");
    EXPECT_EQ(count_of_points(), 4u);
    expect_has(explore_sigma("2.5").err, {"has 2 points of this search"});
}

TEST_F(Explore, TakesAFileInPlaceOfRandomData) {
    const Array image = make_image("photo.png", 311, 1203);
    const auto explore_file = [&] {
        return run({"explore", "transpose", "--schedule", "tuned_any", "--device", "cpu", "--limit", ".02",
                       "--input", path("photo.png"), "--points", "1", "--results", results()},
            {"TMPDIR=" + path("tmp")});
    };
    const Ran ran = explore_file();
    ASSERT_EQ(ran.code, 0) << ran.err;
    expect_has(ran.out, {"photo.png"});
    ASSERT_EQ(lines().size(), 1u);
    const json line = lines().front();
    expect_has(line["data"].get<std::string>(), {"photo.png"});
    EXPECT_EQ(line["width"], 1203);
    EXPECT_EQ(line["height"], 311);
    EXPECT_TRUE(line["verified"].get<bool>()) << line;
    EXPECT_TRUE(eventually([&] { return fs::is_empty(path("tmp")); }));
    expect_has(explore_file().err, {"has 1 points of this search"});
}

// The page would be larger than a file may be; the search itself succeeded.
TEST_F(Explore, PrintsItsTableWhereTheReportCannotBeWritten) {
    constexpr rlim_t most = 50000;
    const Ran ran = run_program(TILEWRIGHT_APP,
        small({"--points", "1", "--results", results(), "--report", path("page.html")}),
        {.environment = {"TMPDIR=" + path("tmp")}, .prepare = [] {
             const rlimit limit = {most, most};
             setrlimit(RLIMIT_FSIZE, &limit);
         }});
    EXPECT_EQ(ran.code, 1);
    expect_has(ran.err, {"page.html"});
    expect_has(ran.out, {"best values"});
    EXPECT_FALSE(fs::exists(path("page.html")));
}

TEST_F(Explore, PutsPageAndResultsInAFolder) {
    const Ran ran = explore({"--points", "1", "--report", path("report")});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(names_in(path("report")), (Names{"report.html", "results.jsonl"}));
    EXPECT_NE(explore({"--points", "1", "--report", path("report")}).err.find("has 1 points of this search"),
        std::string::npos);
    write_bytes(path("file"), {});
    expect_refusal(1, small({"--report", path("file")}), {"--report", "file", "folder cannot be made"});
    expect_refusal(2, small({"--report", path("page.html")}), {"--report", "--results"});
}

TEST_F(Explore, KeepsWhatWasMeasuredBeforeTheDeviceWasLost) {
    NEEDS_DEVICE("opencl");
    Process process(TILEWRIGHT_APP,
        {"explore", "transpose", "--schedule", "padded", "--type", "u8", "--size", "256x256", "--device",
            "opencl", "--limit", ".02", "--results", results(), "--report", path("page.html")},
        {.environment = failing_driver("lost:" + path("lost"))});
    ASSERT_TRUE(eventually([&] { return count_of_lines() >= 2; }));
    write_bytes(path("lost"), {});
    const Ran ran = process.wait();
    EXPECT_EQ(ran.code, 4) << ran.err;
    expect_has(ran.err, {"known good call"});
    expect_has(ran.out, {"transpose/padded/u8/opencl"});
    EXPECT_TRUE(fs::exists(path("page.html")));
    size_t timed = 0;
    for (const json &line : lines()) {
        timed += line.contains("real_time");
    }
    EXPECT_GE(timed, 2u);
}

// The driver's library is one that runs no kernel.
TEST_F(Explore, StopsWhereTheDeviceIsLost) {
    NEEDS_DEVICE("opencl");
    const Ran ran = run({"explore", "transpose", "--schedule", "padded", "--type", "u8", "--size", "256x256",
                            "--device", "opencl", "--results", results()},
        failing_driver("drop-launches"));
    EXPECT_EQ(ran.code, 4) << ran.err;
    expect_error_line(ran.err, {"opencl", "known good call", "tilewright doctor"});
    EXPECT_FALSE(fs::exists(results()));
}

}  // namespace
}  // namespace tilewright
