// `compare`: verdicts, what only one file has, and files that are none.
#include "tests/command_line/command_line.h"
#include <fstream>
#include <iterator>
#include <sstream>
#include <sys/stat.h>

namespace tilewright {
namespace {

// A file of times: of each variant its median, with an interval of +- 1 %.
class Compare : public CommandLine {
protected:
    struct Time {
        std::string variant;
        double ms, spread = .01;
    };

    static json run_of(const Time &time) {
        return {{"variant", time.variant}, {"operator", "transpose"}, {"type", "u8"}, {"backend", "cpu"},
            {"device", "cpu"}, {"data", "u8 640x480"}, {"verified", true}, {"wrong", ""},
            {"batch", {{"median", time.ms}, {"p10", time.ms * (1 - time.spread)},
                          {"p90", time.ms * (1 + time.spread)}}}};
    }

    std::string file(const std::string &name, const std::vector<Time> &times,
        const std::string &device_name = "a CPU") const {
        json runs = json::array();
        for (const Time &time : times) {
            runs.push_back(run_of(time));
        }
        return write(
            name, json{{"version", 2}, {"context", {{"device_name", device_name}}}, {"runs", runs}}.dump());
    }

    // The name of a variant and its times, one of each process.
    using Times = std::vector<std::pair<std::string, std::vector<double>>>;

    static Times times_of_one_binary() {
        std::ifstream lines(TILEWRIGHT_ONE_BINARY);
        Times times;
        for (std::string line; std::getline(lines, line);) {
            std::istringstream words(line);
            auto &[name, values] = times.emplace_back();
            words >> name;
            values.assign(std::istream_iterator<double>(words), {});
        }
        return times;
    }

    // A file of `bench --processes`.
    std::string runs_file(const std::string &name, const Times &times, size_t from, size_t count) const {
        json runs = json::array();
        for (const auto &[of, values] : times) {
            for (size_t i = 0; i < count; i++) {
                runs.push_back(run_of({of, values.at(from + i)}));
                runs.back()["process"] = i + 1;
            }
        }
        const json context = {{"device_name", "a CPU"}};
        return write(name, json{{"version", 2}, {"context", context}, {"runs", runs}}.dump());
    }

    static std::string fmt_name(double factor, int i) {
        return (factor == 1 ? "before" : "after") + std::to_string(i) + ".json";
    }

    // Whether a line has both: a ratio, and behind it the verdict at its end.
    static bool has_verdict(const std::string &text, const std::string &ratio, const std::string &verdict) {
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            if (line.find(ratio) != std::string::npos && line.ends_with("  " + verdict)) {
                return true;
            }
        }
        return false;
    }

    std::string write(const std::string &name, const std::string &text) const {
        std::ofstream(path(name)) << text;
        return path(name);
    }
};

const char *const variant = "transpose/reference/u8/cpu", *const other = "transpose/tuned_any/u8/cpu";

TEST_F(Compare, OneRunOfEachSideIsAGuideOnly) {
    const std::string before = file("a.json", {{variant, 1}, {other, 1}});
    const Ran ran = succeed({"compare", before, file("b.json", {{variant, 1.1}, {other, .9}})});
    EXPECT_TRUE(has_verdict(ran.out, "1.100", "perhaps slower")) << ran.out;
    EXPECT_TRUE(has_verdict(ran.out, "0.900", "perhaps faster")) << ran.out;
    expect_has(ran.out, {"2 compared: 0 slower, 0 faster, 0 within noise",
                            "a guide only: 1 perhaps slower, 1 perhaps faster", "bench --processes 6"});
    // Outside the spread of calls, but only by 1.5 %; and by 30 %, but inside the spread.
    for (const Time &after : {Time{variant, 1.015, .001}, Time{variant, 1.3, .4}}) {
        const Ran same = run({"compare", file("c.json", {{variant, 1, .001}}), file("d.json", {after})});
        expect_has(same.out, {"1 within noise"});
    }
}

// The times of 4 variants by 240 processes of one binary, one after another, on a busy machine: the medians
// of processes differ by 11 to 20 % (standard deviation).
TEST_F(Compare, TwentyComparisonsOfOneBinaryWithItselfSayNothing) {
    constexpr size_t runs = 6, comparisons = 20;
    const auto times = times_of_one_binary();
    ASSERT_EQ(times.size(), 4u);
    size_t differ = 0;  // by more than the threshold, which alone would be a verdict
    for (size_t i = 0; i < comparisons; i++) {
        const std::string before = runs_file("a.json", times, 2 * i * runs, runs),
                          after = runs_file("b.json", times, (2 * i + 1) * runs, runs);
        const Ran ran = succeed({"compare", before, after, "--json"});
        const json report = json::parse(ran.out);
        EXPECT_EQ(report["within_noise"], 4) << i << ": " << ran.out;
        EXPECT_EQ(report["runs_needed"], 0);
        for (const json &row : report["runs"]) {
            differ += std::abs(row["ratio"].get<double>() - 1) > .02 ? 1 : 0;
        }
    }
    EXPECT_GT(differ, 20u);
}

TEST_F(Compare, FiveRunsFindFivePercent) {
    const std::vector<double> quiet = {1.002, .998, 1.009, .995, 1.013};
    Times before = {{variant, quiet}}, after = before;
    for (double &ms : after[0].second) {
        ms *= 1.05;
    }
    const std::string a = runs_file("a.json", before, 0, 5), b = runs_file("b.json", after, 0, 5);
    const Ran slower = run({"compare", a, b});
    EXPECT_EQ(slower.code, 7);
    EXPECT_TRUE(has_verdict(slower.out, "1.050", "slower")) << slower.out;
    expect_has(slower.out, {"0.0079"});  // 2 of 252
    expect_has(slower.err, {"1 of 1 variants are slower"});
    succeed({"compare", a, b, "--threshold", "6"});
    EXPECT_TRUE(has_verdict(run({"compare", b, a}).out, "0.952", "faster"));
    // Of two variants, 5 runs cannot say it by the corrected probability; 6 can.
    before.push_back({other, quiet});
    after.push_back({other, quiet});
    const Ran guide =
        succeed({"compare", runs_file("c.json", before, 0, 5), runs_file("d.json", after, 0, 5), "--all"});
    EXPECT_TRUE(has_verdict(guide.out, "1.050", "perhaps slower")) << guide.out;
    expect_has(guide.out, {"bench --processes 6"});
    EXPECT_EQ(run({"compare", runs_file("c.json", before, 0, 5), runs_file("d.json", after, 0, 5), "--alpha",
                      ".05"})
                  .code,
        7);
}

// Files of single runs around --after, as a shell makes them of before*.json.
TEST_F(Compare, TakesSeveralFilesOfEachSide) {
    std::vector<std::string> words = {"compare"};
    for (const double factor : {1., 1.1}) {
        for (int i = 0; i < 5; i++) {
            words.push_back(file(fmt_name(factor, i), {{variant, factor + i * .001}}));
        }
        if (factor == 1) {
            words.push_back("--after");
        }
    }
    const Ran ran = run(words);
    EXPECT_EQ(ran.code, 7) << ran.err;
    expect_has(ran.out, {"5+5"});
    std::erase(words, "--after");
    expect_refusal(2, words, {"--after between the files before and those after"});
}

TEST_F(Compare, NamesWhatOneFileHas) {
    const Ran ran = succeed({"compare", file("a.json", {{variant, 1}, {other, 1}}),
        file("b.json", {{variant, 1}, {"peer/x/u8/cpu", 1}}), "--json"});
    const json report = json::parse(ran.out);
    ASSERT_EQ(report["runs"].size(), 1u);
    EXPECT_EQ(report["runs"][0]["verdict"], "within noise");
    EXPECT_EQ(report["only_before"][0]["variant"], other);
    EXPECT_EQ(report["only_after"][0]["variant"], "peer/x/u8/cpu");
}

// "cuda:0" is another device on another machine, and the same device may have another word.
TEST_F(Compare, DevicesAreKnownByTheirNames) {
    const std::string before = file("a.json", {{variant, 1}});
    const Ran refused = run({"compare", before, file("b.json", {{variant, 2}}, "another CPU")});
    EXPECT_EQ(refused.code, 3);
    expect_has(refused.err, {"cpu (a CPU, another CPU); take files of one machine"});
    json there = run_of({variant, 1.2}), here = run_of({variant, 1});
    there["device"] = "opencl:1";
    here["device"] = "opencl:0";
    const auto context = [](const char *word) {
        return json{{"devices", {{{"device", word}, {"name", "a GPU"}}}}};
    };
    const Ran ran = succeed({"compare",
        write("c.json", json{{"version", 2}, {"context", context("opencl:0")}, {"runs", {here}}}.dump()),
        write("d.json", json{{"version", 2}, {"context", context("opencl:1")}, {"runs", {there}}}.dump())});
    EXPECT_TRUE(has_verdict(ran.out, "1.200", "perhaps slower")) << ran.out;
}

TEST_F(Compare, AWrongResultHasACodeOfItsOwn) {
    json wrong = run_of({variant, 1});
    wrong["wrong"] = "element 3 differs";
    wrong["verified"] = false;
    const std::string after =
        write("b.json", json{{"version", 2}, {"context", json::object()}, {"runs", {wrong}}}.dump());
    const Ran ran = run({"compare", file("a.json", {{variant, 1}}), after});
    EXPECT_EQ(ran.code, 6);
    expect_has(ran.out, {"element 3 differs"});
}

TEST_F(Compare, ReadsLinesOfWhichTheLastIsCutOff) {
    const std::string before = file("a.json", {{variant, 1}});
    json line = run_of({variant, 1.2});
    line["version"] = 2;
    line["context"] = {{"device_name", "a CPU"}};
    const std::string text = line.dump();
    const Ran ran = succeed({"compare", before, write("b.jsonl", text + "\n" + text.substr(0, 40))});
    expect_has(ran.out, {"its last line is cut off"});
}

TEST_F(Compare, RefusesOtherFiles) {
    const std::string good = file("a.json", {{variant, 1}});
    expect_refusal(3, {"compare", path("none.json"), good}, {"none.json", "cannot read", "No such file"});
    expect_refusal(3, {"compare", good, write("b.json", "hello")}, {"b.json", "no JSON object"});
    expect_refusal(
        3, {"compare", good, write("c.json", R"({"version": 9, "runs": []})")}, {"c.json", "version 9"});
    expect_refusal(
        3, {"compare", good, write("g.json", R"({"version": 1, "runs": []})")}, {"g.json", "version 1"});
    expect_refusal(3, {"compare", good, write("f.json", R"({"version": 4294967298, "runs": []})")},
        {"f.json", "version 4294967298"});
    expect_refusal(3, {"compare", good, write("d.json", R"({"version": 2, "context": {}, "runs": []})")},
        {"d.json", "no run"});
    expect_refusal(3, {"compare", good, write("e.json", R"({"version": 2, "context": {}, "runs": [7]})")},
        {"e.json", "run 1 names no variant"});
    expect_refusal(2, {"compare", good}, {"the file after it is missing"});
}

// The parts of such a text would be freed, copied and printed one inside the other.
TEST_F(Compare, RefusesWhatIsNestedDeep) {
    const std::string good = file("a.json", {{variant, 1}}), deep(300000, '['), ends(300000, ']'),
                      words = "nested more than 64 deep";
    const std::string begin = R"({"version": 2, "context": {)",
                      runs = R"("runs": [{"variant": ")" + std::string(variant) +
                             R"(", "operator": "transpose")",
                      times = R"(, "batch": {"median": 1}}]})";
    for (const std::string &text :
        {begin + "}, " + runs + R"(, "tunables": {"x": )" + deep + ends + "}" + times,
            begin + R"("x": )" + deep + ends + "}, " + runs + times, deep, deep + ends}) {
        const std::string bad = write("b.json", text);
        expect_refusal(3, {"compare", good, bad}, {"b.json", words});
        expect_refusal(3, {"report", bad, "--output", path("page.html")}, {"b.json", words});
        expect_refusal(3, {"calibrate", "--from", bad, "--output", path("times.json")}, {"b.json", words});
    }
    const std::string line = R"({"version": 2, "x": )" + deep + ends + "}\n";
    NEEDS_OPERATOR("transpose");
    expect_refusal(3,
        {"explore", "transpose", "--type", "u8", "--budget", "1", "--device", "cpu", "--results",
            write("c.jsonl", line)},
        {"c.jsonl", "line 1", words});
    EXPECT_EQ(files(), (Names{"a.json", "b.json", "c.jsonl"}));
}

// A pipe with a name may have no writer; one that a shell made has.
TEST_F(Compare, ReadsPipesThatAreOpenAlready) {
    const std::string good = file("a.json", {{variant, 1}});
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    const Words words = {"pipe", "no regular file", "standard input"};
    expect_refusal(3, {"compare", good, path("pipe")}, words);
    expect_refusal(3, {"report", path("pipe"), "--output", path("page.html")}, words);
    expect_refusal(3, {"calibrate", "--from", path("pipe"), "--output", path("times.json")}, words);
    for (const char *command :
        {R"("$0" compare "$1" <(cat "$1"))", R"(cat "$1" | "$0" compare "$1" /dev/stdin)"}) {
        const Ran ran = run_program("/bin/bash", {"-c", command, TILEWRIGHT_APP, good});
        EXPECT_EQ(ran.code, 0) << ran.err;
        expect_has(ran.out, {"1 compared"});
    }
}

// ------------------------------------------------------------------------------------------- the page

TEST_F(Compare, AReportIsOnePageWithAllTimes) {
    const std::string times = file("times.json", {{variant, 1}, {other, .25}});
    const Ran ran = succeed({"report", times, "--output", path("page.html")});
    const std::string page = read_text(path("page.html"));
    EXPECT_LT(page.size(), 3u << 20);
    expect_has(page, {variant, "0.2475 to 0.2525"});
    // First the answer: how many times as fast as the reference, as no peer was timed.
    EXPECT_LT(page.find("4 ×"), page.find("id=\"roofline\""));
    expect_has(page, {"on the CPU of data in its cache"});
    // Nothing is loaded from elsewhere, and no name is left unfilled. Behind the data stand the scripts, in
    // whose code such words may occur.
    const std::string before_scripts = page.substr(0, page.find("id=\"data\""));
    for (const char *word : {"<script src", "<link", "<img", "@import", "{{"}) {
        EXPECT_EQ(before_scripts.find(word), std::string::npos) << word;
    }
    EXPECT_EQ(files(), (Names{"page.html", "times.json"}));
}

TEST_F(Compare, AReportEscapesWhatFilesSay) {
    const std::string times =
        write("times.json", json{{"version", 2}, {"context", {{"device_name", "<script>alert(1)</script>"}}},
                                {"runs", {run_of({variant, 1})}}}
                                .dump());
    succeed({"report", times, "--output", path("page.html")});
    EXPECT_EQ(read_text(path("page.html")).find("<script>alert"), std::string::npos);
}

TEST_F(Compare, AReportThatCannotBeMadeLeavesNoFile) {
    expect_refusal(3, {"report", path("none.json"), "--output", path("page.html")}, {"none.json"});
    EXPECT_EQ(files(), (Names{}));
}

}  // namespace
}  // namespace tilewright
