// `compare`: verdicts, what only one file has, and files that are none.
#include "tests/command_line/command_line.h"
#include <fstream>
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

    std::string write(const std::string &name, const std::string &text) const {
        std::ofstream(path(name)) << text;
        return path(name);
    }
};

const char *const variant = "transpose/reference/u8/cpu", *const other = "transpose/tuned_any/u8/cpu";

TEST_F(Compare, SaysFasterAndSlowerOutsideTheSpread) {
    const std::string before = file("a.json", {{variant, 1}, {other, 1}});
    const Ran slower = run({"compare", before, file("b.json", {{variant, 1.1}, {other, .9}})});
    EXPECT_EQ(slower.code, 7);
    EXPECT_NE(slower.out.find("1.100  slower"), std::string::npos) << slower.out;
    EXPECT_NE(slower.out.find("0.900  faster"), std::string::npos) << slower.out;
    EXPECT_NE(slower.out.find("2 compared: 1 slower, 1 faster, 0 within noise"), std::string::npos)
        << slower.out;
    EXPECT_NE(slower.err.find("1 of 2 variants are slower"), std::string::npos) << slower.err;
    EXPECT_EQ(run({"compare", before, file("c.json", {{variant, .9}, {other, 1}})}).code, 0);
}

TEST_F(Compare, BothConditionsMustHold) {
    const std::string before = file("a.json", {{variant, 1, .001}});
    // Outside the spread, but only by 1.5 %; and by 30 %, but inside the spread.
    EXPECT_EQ(run({"compare", before, file("b.json", {{variant, 1.015, .001}})}).code, 0);
    EXPECT_EQ(run({"compare", before, file("b.json", {{variant, 1.015, .001}}), "--threshold", "1"}).code, 7);
    EXPECT_EQ(run({"compare", before, file("c.json", {{variant, 1.3, .4}})}).code, 0);
}

TEST_F(Compare, NamesWhatOneFileHas) {
    const Ran ran = run({"compare", file("a.json", {{variant, 1}, {other, 1}}),
        file("b.json", {{variant, 1}, {"peer/x/u8/cpu", 1}}), "--json"});
    ASSERT_EQ(ran.code, 0) << ran.err;
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
    EXPECT_NE(refused.err.find("cpu (a CPU, another CPU); take files of one machine"), std::string::npos)
        << refused.err;
    json there = run_of({variant, 1.2}), here = run_of({variant, 1});
    there["device"] = "opencl:1";
    here["device"] = "opencl:0";
    const auto context = [](const char *word) {
        return json{{"devices", {{{"device", word}, {"name", "a GPU"}}}}};
    };
    const Ran ran = run({"compare",
        write("c.json", json{{"version", 2}, {"context", context("opencl:0")}, {"runs", {here}}}.dump()),
        write("d.json", json{{"version", 2}, {"context", context("opencl:1")}, {"runs", {there}}}.dump())});
    EXPECT_EQ(ran.code, 7) << ran.err;
    EXPECT_NE(ran.out.find("1.200  slower"), std::string::npos) << ran.out;
}

TEST_F(Compare, AWrongResultHasACodeOfItsOwn) {
    json wrong = run_of({variant, 1});
    wrong["wrong"] = "element 3 differs";
    wrong["verified"] = false;
    const std::string after =
        write("b.json", json{{"version", 2}, {"context", json::object()}, {"runs", {wrong}}}.dump());
    const Ran ran = run({"compare", file("a.json", {{variant, 1}}), after});
    EXPECT_EQ(ran.code, 6);
    EXPECT_NE(ran.out.find("element 3 differs"), std::string::npos) << ran.out;
}

TEST_F(Compare, ReadsLinesOfWhichTheLastIsCutOff) {
    const std::string before = file("a.json", {{variant, 1}});
    json line = run_of({variant, 1.2});
    line["version"] = 2;
    line["context"] = {{"device_name", "a CPU"}};
    const std::string text = line.dump();
    const Ran ran = run({"compare", before, write("b.jsonl", text + "\n" + text.substr(0, 40))});
    EXPECT_EQ(ran.code, 7);
    EXPECT_NE(ran.out.find("its last line is cut off"), std::string::npos) << ran.out;
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
    expect_refusal(2, {"compare", good}, {"after"});
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
        EXPECT_NE(ran.out.find("1 compared"), std::string::npos) << ran.out;
    }
}

// ------------------------------------------------------------------------------------------- the page

TEST_F(Compare, AReportIsOnePageWithAllTimes) {
    const std::string times = file("times.json", {{variant, 1}, {other, .25}});
    const Ran ran = run({"report", times, "--output", path("page.html"), "--code", "none"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    const std::string page = read_text(path("page.html"));
    EXPECT_LT(page.size(), 3u << 20);
    EXPECT_NE(page.find(variant), std::string::npos);
    EXPECT_NE(page.find("0.2475 to 0.2525"), std::string::npos);
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
    ASSERT_EQ(run({"report", times, "--output", path("page.html"), "--code", "none"}).code, 0);
    EXPECT_EQ(read_text(path("page.html")).find("<script>alert"), std::string::npos);
}

TEST_F(Compare, AReportThatCannotBeMadeLeavesNoFile) {
    expect_refusal(3, {"report", path("none.json"), "--output", path("page.html")}, {"none.json"});
    expect_refusal(2,
        {"report", file("a.json", {{variant, 1}}), "--output", path("page.html"), "--code", "most"},
        {"none, best or all"});
    EXPECT_EQ(files(), (Names{"a.json"}));
}

}  // namespace
}  // namespace tilewright
