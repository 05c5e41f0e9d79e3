// Texts of files, of the environment and of the command line do not steer the terminal that they are printed
// to, and make no lines of their own.
#include "tests/command_line/command_line.h"
#include <fstream>
#include <sstream>

namespace tilewright {
namespace {

// A window's title, colours, a bell, a line that could be the program's own, and letters that turn the
// direction of writing: all of it valid UTF-8, and in a file's name too.
const std::string hostile = "x\x1b]0;title\x07\x1b[31m\nFORGED: 0 slower\rFORGED\t\x7f\xc2\x9b"
                            "1m\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8f\xd8\x9c\xe2\x80\xa8y";

void expect_plain(const std::string &text, const std::string &what) {
    for (const std::string part : {"\x1b", "\x07", "\r", "\x7f", "\xc2\x9b", "\xe2\x80\xae", "\xe2\x81\xa6",
             "\xe2\x80\x8f", "\xd8\x9c", "\xe2\x80\xa8"}) {
        EXPECT_EQ(text.find(part), std::string::npos) << what << ": " << testing::PrintToString(text);
    }
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        EXPECT_FALSE(line.starts_with("FORGED")) << what << ": " << testing::PrintToString(text);
    }
}

class Terminal : public CommandLine {
protected:
    // Returns what was printed, which is plain.
    std::string run_plain(const Words &arguments, const Words &environment = {}) const {
        Words quiet = bare_machine;
        quiet.insert(quiet.end(), environment.begin(), environment.end());
        const Ran ran = run(arguments, quiet);
        const std::string what = testing::PrintToString(arguments) + testing::PrintToString(environment);
        EXPECT_GE(ran.code, 0) << what;
        EXPECT_NE(ran.out + ran.err, "") << what;
        expect_plain(ran.out, what);
        expect_plain(ran.err, what);
        return ran.out + ran.err;
    }

    std::string write(const std::string &name, const json &content) const {
        std::ofstream(path(name)) << content.dump();
        return path(name);
    }
};

// A copy of `content` for each text in it, and one for all of them, with the hostile text there.
std::vector<json> with_hostile_texts(const json &content) {
    const json flat = content.flatten();
    std::vector<json> all;
    json everywhere = content;
    for (const auto &[pointer, value] : flat.items()) {
        if (value.is_string()) {
            all.push_back(content);
            all.back()[json::json_pointer(pointer)] = hostile;
            everywhere[json::json_pointer(pointer)] = hostile;
        }
    }
    all.push_back(everywhere);
    return all;
}

TEST_F(Terminal, ShowsTextsOfResultsPlainly) {
    const json run = {{"variant", "transpose/reference/u8/cpu"}, {"operator", "transpose"}, {"type", "u8"},
        {"device", "cpu"}, {"data", "u8 64x64"}, {"family", "f"}, {"summary", "s"}, {"skipped", "too long"},
        {"wrong", "element 3"}, {"unverified", "no"}, {"failed", "it"}, {"settings", "a=b"}, {"case", "c"},
        {"varies", "v"}, {"tunables", {{"x", "t"}}}, {"batch", {{"median", 1}, {"p10", 1}, {"p90", 1}}}};
    const json context = {{"device_name", "CPU"}, {"machine", "m"}, {"commit", "c"}, {"driver", "d"},
        {"date", "2026"}, {"tilewright", "1"}, {"halide", "21"},
        {"devices", {{{"device", "cpu"}, {"name", "n"}, {"driver", "d"}, {"platform", "p"}}}}};
    const json right = {{"version", 2}, {"context", context}, {"runs", {run}}};
    json timed = right;
    for (const char *reason : {"skipped", "wrong", "unverified", "failed"}) {
        timed["runs"][0].erase(reason);
    }
    const std::string before = write("before.json", timed);
    for (const json &whole : {right, timed}) {
        for (const json &content : with_hostile_texts(whole)) {
            const std::string after = write("after.json", content);
            run_plain({"compare", before, after, "--all"});
            run_plain({"compare", after, after, "--json"});
            run_plain({"compare", after, before});
            run_plain({"calibrate", "--from", after, "--output", path("times.json")});
            const Ran report = run_program(TILEWRIGHT_APP, {"report", after, "--output", path("page.html")});
            EXPECT_GE(report.code, 0);
            expect_plain(report.err, "report");
        }
    }
}

TEST_F(Terminal, ShowsTextsOfMeasuredTimesPlainly) {
    NEEDS_OPERATOR("invert");
    make_image("in.png");
    const Words kept = {"TILEWRIGHT_MEASURED=" + path(hostile)};
    succeed({"calibrate", "invert", "--device", "cpu", "--seconds", ".2"}, kept);
    const std::string file = path(hostile) + "/" + names_in(path(hostile)).at(0);
    const json measured = json::parse(read_text(file));
    json short_one = measured;
    short_one["times"] = {
        {{"operator", "invert"}, {"type", "u8"}, {"calls", {{64, 64, 1}}}, {"variants", {}}}};
    std::vector<json> contents = with_hostile_texts(short_one);
    contents.push_back(short_one);
    contents.back()["times"][0]["variants"][hostile] = {{"ms", {1, 2}}};
    for (const json &content : contents) {
        std::ofstream(file) << content.dump();
        run_plain({"invert", path("in.png"), path("out.png"), "--stats"}, kept);
        run_plain({"calibrate", "--from", file, "--output", path("times.json")});
    }
    std::ofstream(file) << measured.dump();
    run_plain({"explain", "invert", "--size", "64x64", "--device", "cpu"}, kept);
}

TEST_F(Terminal, ShowsTheEnvironmentPlainly) {
    NEEDS_OPERATOR("invert");
    make_image("in.png");
    for (const char *name :
        {"TILEWRIGHT_DEVICE", "TILEWRIGHT_THREADS", "TILEWRIGHT_INSTRUCTION_SET", "TILEWRIGHT_MEASURED",
            "TILEWRIGHT_GENERATORS", "XDG_CONFIG_HOME", "HL_NUM_THREADS", "OCL_ICD_VENDORS", "TMPDIR"}) {
        const Words environment = {std::string(name) + "=" + path(hostile)};
        for (const Words &arguments :
            {Words{"doctor"}, {"doctor", "--json"}, {"devices"}, {"calibrate", "--path"},
                {"invert", "--help"}, {"invert", path("in.png"), path("out.png"), "--stats"},
                {"show", "invert", "--schedule", "reference"}}) {
            run_plain(arguments, environment);
        }
    }
}

TEST_F(Terminal, ShowsNamesOfFilesPlainly) {
    NEEDS_OPERATOR("invert");
    const std::string in = path(hostile + ".png"), out = path(hostile + "out.png"), lost = path(hostile);
    make_image(hostile + ".png");
    make_image("in.png");
    std::ofstream(path(hostile + ".json")) << "{}";
    for (const Words &arguments :
        {Words{"invert", in, out, "--stats", "--check", "--device", "cpu"}, {"invert", lost, out},
            {"invert", in, lost + "/out.png"}, {"invert", in, in, out},
            {"invert", in, path("in.png"), "--into", lost, "--stats"},
            {"invert", in, "--into", path("."), "--json"}, {"pipeline", "invert", in, out, "--stats"},
            {"pipeline", "invert", lost, out}, {"explain", "invert", in}, {"explain", "invert", in, "--json"},
            {"bench", "invert", in, "--schedule", "reference", "--device", "cpu"},
            {"bench", "invert", in, "--schedule", "reference", "--device", "cpu", "--json", lost + "/x"},
            {"compare", lost, path(hostile + ".json")}, {"compare", path(hostile + ".json"), lost},
            {"report", path(hostile + ".json"), "--output", lost + ".html"},
            {"calibrate", "--from", path(hostile + ".json")}}) {
        run_plain(arguments);
    }
}

TEST_F(Terminal, ShowsWordsOfTheCommandLinePlainly) {
    NEEDS_OPERATOR("invert");
    NEEDS_OPERATOR("gaussian_blur");
    make_image("in.png");
    const std::string in = path("in.png"), out = path("out.png");
    for (const Words &arguments : {Words{hostile}, {"--" + hostile}, {"invert", in, out, "--" + hostile},
             {"invert", in, out, hostile}, {"invert", in, out, "--device", hostile},
             {"invert", in, out, "--schedule", hostile}, {"invert", in, out, "--threads", hostile},
             {"gaussian_blur", in, out, "--sigma", hostile}, {"gaussian_blur", in, out, "--border", hostile},
             {"pipeline", hostile, in, out}, {"pipeline", "invert | " + hostile, in, out},
             {"pipeline", "gaussian_blur sigma=" + hostile, in, out},
             {"pipeline", "gaussian_blur " + hostile + "=1", in, out}, {"list", hostile}, {"verify", hostile},
             {"bench", "invert", "--size", hostile}, {"show", "invert", "--schedule", hostile},
             {"explain", "invert", "--type", hostile}, {"doctor", hostile}}) {
        run_plain(arguments);
    }
}

}  // namespace
}  // namespace tilewright
