// The words of `bench`, `verify` and `list` that choose variants, devices, data and tunables.
#include "tests/command_line/command_line.h"
#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

namespace tilewright {
namespace {

class BenchWords : public CommandLine {
protected:
    // The JSON of a short run with these words.
    json bench(const std::string &op, const Words &more) const {
        return run_json(words(op, more));
    }

    static Words words(const std::string &op, const Words &more) {
        Words all = {"bench", op, "--batch", "1", "--repeats", "3", "--json", "-"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }

    static std::set<std::string> values(const json &runs, const std::string &field) {
        std::set<std::string> all;
        for (const json &one : runs) {
            all.insert(one[field].is_string() ? one[field].get<std::string>() : one[field].dump());
        }
        return all;
    }
};

using Set = std::set<std::string>;

TEST_F(BenchWords, EveryRunHasTheFieldsOfAVariant) {
    const std::string op = operators().front();
    const json listed = run_json({"list", op, "--json"})["operators"][0]["variants"];
    const json report = bench(op, {"--device", "cpu", "--size", "40x30"});
    for (const json &one : report["runs"]) {
        const auto variant = std::find_if(listed.begin(), listed.end(),
            [&](const json &other) { return other["variant"] == one["variant"]; });
        ASSERT_NE(variant, listed.end()) << one;
        for (const char *field :
            {"operator", "schedule", "family", "library", "type", "backend", "tunables"}) {
            EXPECT_EQ(one[field], (*variant)[field]) << field << " of " << one;
        }
    }
    const json verified = run_json({"verify", op, "--device", "cpu", "--schedule", "tuned", "--json"});
    for (const char *field : {"operator", "schedule", "family", "library", "type", "backend", "tunables"}) {
        EXPECT_TRUE(verified["variants"][0].contains(field)) << field;
    }
}

TEST_F(BenchWords, SeveralSchedulesAndDevicesAreOneTable) {
    NEEDS_OPERATOR("invert");
    const json both =
        bench("invert", {"--device", "cpu", "--schedule", "tuned,reference", "--size", "64x40"});
    EXPECT_EQ(values(both["runs"], "schedule"), (Set{"reference", "tuned"}));
    EXPECT_EQ(both["complete"], true);
    expect_refusal(2, {"bench", "invert", "--schedule", "tuned,refrence"}, {"refrence", "did you mean"});
    expect_refusal(2, {"bench", "invert", "--device", "cpu,gpu"}, {"gpu"});
    expect_refusal(2, {"bench", "invert", "--device", "cpu,"}, {"device"});
    if (has_device("opencl")) {
        const json two = bench("invert",
            {"--device", "opencl,cpu,cpu", "--schedule", "tuned", "--type", "u8", "--size", "64x40"});
        ASSERT_EQ(two["runs"].size(), 3u);  // tuned_aligned and tuned_any on OpenCL, tuned on the CPU
        EXPECT_EQ(values(two["runs"], "backend"), (Set{"cpu", "opencl"}));
        const json all =
            bench("invert", {"--device", "all", "--schedule", "tuned", "--type", "u8", "--size", "64x40"});
        EXPECT_GE(all["runs"].size(), 2u);
    }
}

TEST_F(BenchWords, TheVariantThatTunedTakesIsMarkedAndOthersAreCounted) {
    NEEDS_OPERATOR("transpose");
    const Words data = {"--device", "cpu", "--type", "u8", "--size", "30x20"};
    const json report = bench("transpose", data);
    size_t chosen = 0;
    std::string name;
    for (const json &one : report["runs"]) {
        if (one["chosen"] == true) {
            chosen++;
            name = one["variant"];
        }
    }
    EXPECT_EQ(chosen, 1u);
    const json explained =
        run_json({"explain", "transpose", "--device", "cpu", "--type", "u8", "--size", "30x20", "--json"});
    EXPECT_EQ(name, explained["chosen"].get<std::string>());
    size_t serving = 0, variants = 0;
    for (const json &variant : explained["variants"]) {
        const bool can_run =
            variant["serves"] == true || variant["why_not"].get<std::string>().starts_with("it takes");
        serving += variant["serves"] == true;
        variants += can_run;
    }
    EXPECT_EQ(report["runs"].size(), serving);
    EXPECT_EQ(report["not_served"], variants - serving);
    EXPECT_GT(report["not_served"], 0);
    Words as_table = {"bench", "transpose", "--batch", "1", "--repeats", "3"};
    as_table.insert(as_table.end(), data.begin(), data.end());
    const Ran ran = run(as_table);
    expect_has(ran.out, {name + " *", "# not listed, because they do not serve the data: "});
}

TEST_F(BenchWords, OptionsOfTheOperatorTakeThePlaceOfTheWorkloadsOwn) {
    NEEDS_OPERATOR("gaussian_blur");
    const json report =
        bench("gaussian_blur", {"--device", "cpu", "--type", "u8", "--schedule", "reference", "--size",
                                   "64x40", "--sigma", "1.5", "--border", "mirror"});
    ASSERT_EQ(report["runs"].size(), 1u);
    EXPECT_EQ(report["runs"][0]["settings"], "border=mirror sigma=1.5");
    EXPECT_EQ(report["runs"][0]["verified"], true);
    expect_refusal(2, {"bench", "gaussian_blur", "--sigma", "many"}, {"--sigma", "many"});
    if (has_operator("invert")) {
        expect_refusal(2, {"bench", "invert", "--sigma", "3"}, {"--sigma", "invert"});
    }
}

// The table fits a terminal; what it leaves out is in the wide one.
TEST_F(BenchWords, TheTableFitsAHundredColumns) {
    NEEDS_OPERATOR("transpose");
    const Words words = {"bench", "transpose", "--device", "cpu", "--type", "u8", "--size", "300x200,64x48",
        "--schedule", "tuned,reference", "--batch", "1", "--repeats", "3"};
    const Ran ran = succeed(words);
    std::istringstream lines(ran.out);
    for (std::string line; std::getline(lines, line);) {
        const bool is_named_by_others = line.starts_with("# cpu:") || line.starts_with("# tilewright ");
        EXPECT_TRUE(line.size() <= 100 || is_named_by_others) << line;
    }
    expect_has(ran.out, {"# u8 300x200:\n", "# u8 64x48:\n", "--wide", "  yes\n", " prepared "});
    Words wide = words;
    wide.emplace_back("--wide");
    const std::string all = run(wide).out;
    for (const char *column : {"p10", "p90", "single", "first", "yes, transpose/reference/u8/cpu"}) {
        expect_has(all, {column});
        EXPECT_EQ(ran.out.substr(ran.out.find("\nvariant ")).find(column), std::string::npos) << column;
    }
}

// Lines of a length that is asked for are those of that length, each once. A call on 1/16 of the data, which
// a variant's time is guessed by, cannot have the length of all of it.
TEST_F(BenchWords, ALengthIsThatOfTheWholeData) {
    NEEDS_OPERATOR("min_plus_convolution");
    const Words variant = {"--device", "cpu", "--type", "f64", "--schedule", "tuned", "--size", "1000x1"};
    for (const char *length : {"100", "500", "1999"}) {
        Words more = variant;
        more.insert(more.end(), {"--length", length});
        const json runs = bench("min_plus_convolution", more)["runs"];
        ASSERT_FALSE(runs.empty());
        Set data;
        for (const json &one : runs) {
            EXPECT_EQ(one["verified"], true) << one;
            EXPECT_EQ(one["settings"], std::string("length=") + length);
            const std::string what = one["data"];
            EXPECT_TRUE(what.ends_with(std::string(" length ") + length)) << what;
            EXPECT_TRUE(data.insert(one["variant"].get<std::string>() + " " + what).second)
                << what << " is there twice";
            EXPECT_EQ(what.find("all entries"), std::string::npos) << what;
        }
    }
    EXPECT_TRUE(values(bench("min_plus_convolution", variant)["runs"], "data")
            .contains("f64 1000 uniform, all entries"));
}

TEST_F(BenchWords, AnImageMayHaveChannels) {
    NEEDS_OPERATOR("gaussian_blur");
    const json report = bench("gaussian_blur",
        {"--device", "cpu", "--type", "u8", "--schedule", "tuned", "--sigma", "1", "--size", "64x40x3"});
    ASSERT_GE(report["runs"].size(), 1u);
    size_t chosen = 0;
    for (const json &one : report["runs"]) {
        EXPECT_EQ(one["channels"], 3);
        EXPECT_EQ(one["width"], 64);
        EXPECT_EQ(one["inputs"], json({"u8 (40, 64, 3)"}));
        EXPECT_EQ(one["data"].get<std::string>().find("u8 64x40x3"), 0u) << one["data"];
        EXPECT_EQ(one["verified"], true);
        chosen += one["chosen"].get<bool>() ? 1 : 0;
    }
    EXPECT_EQ(chosen, 1u);
    expect_refusal(2, {"bench", "gaussian_blur", "--size", "64x40x0"}, {"--size", "64x40x0"});
    expect_refusal(2, {"bench", "gaussian_blur", "--size", "64x40x3x1"}, {"--size", "64x40x3x1"});
    if (has_operator("fft2d")) {
        expect_refusal(2, {"bench", "fft2d", "--size", "64x64x3"}, {"--size", "64x64x3", "channels"});
        expect_refusal(2, {"explain", "fft2d", "--size", "64x64x3"}, {"--size", "64x64x3", "64x64"});
    }
}

TEST_F(BenchWords, AFileIsTimedInPlaceOfRandomData) {
    NEEDS_OPERATOR("invert");
    make_image("photo.png", 37, 53);
    const json report =
        bench("invert", {"--device", "cpu", "--schedule", "tuned", "--input", path("photo.png")});
    ASSERT_EQ(report["runs"].size(), 1u);
    const json &one = report["runs"][0];
    expect_has(one["data"].get<std::string>(), {"photo.png"});
    EXPECT_EQ(one["width"], 53);
    EXPECT_EQ(one["height"], 37);
    EXPECT_EQ(one["verified"], true);
    const std::string photo = path("photo.png");
    expect_refusal(2, {"bench", "--input", photo}, {"--input", "one operator"});
    expect_refusal(2, {"bench", "invert", "--input", photo, "--size", "9x9"}, {"--size"});
    expect_refusal(
        2, {"bench", "invert", "--input", photo, "--type", "u8", "--grey", "--channel", "1"}, {"--channel"});
    expect_refusal(3, {"bench", "invert", "--input", path("absent.png")}, {"absent.png"});
    expect_refusal(2, {"bench", "invert", "--crop"}, {"--crop", "file"});
}

TEST_F(BenchWords, RowsMayBeFarApart) {
    NEEDS_OPERATOR("invert");
    const Words data = {"--device", "cpu", "--schedule", "tuned", "--type", "u8", "--size", "100x30"};
    for (const char *pitch : {"0", "100", "4096"}) {
        Words more = data;
        more.insert(more.end(), {"--row-pitch", pitch});
        const json report = bench("invert", more);
        EXPECT_EQ(report["runs"][0]["verified"], true) << report;
        EXPECT_EQ(report["runs"][0]["data"], std::string("u8 100x30 pitch ") + pitch);
    }
    const Ran ran = run({"bench", "invert", "--device", "cpu", "--size", "100x30", "--row-pitch", "99",
        "--json", path("times.json")});
    EXPECT_EQ(ran.code, 2);
    expect_has(ran.err, {"--row-pitch = 99: a row of u8 (30, 100) needs at least 100 bytes"});
    EXPECT_EQ(files(), Words{}) << "nothing was timed";
}

TEST_F(BenchWords, VariantsInTurnsAreTimedAsOftenAndVerified) {
    NEEDS_OPERATOR("transpose");
    const json report =
        bench("transpose", {"--device", "cpu", "--type", "u8", "--size", "300x200", "--interleave"});
    ASSERT_GE(report["runs"].size(), 3u);
    for (const json &one : report["runs"]) {
        EXPECT_EQ(one["repetitions"], 3) << one;
        EXPECT_EQ(one["verified"], !one["verified_by"].get<std::string>().empty()) << one;
        EXPECT_GT(one["call"]["median"].get<double>(), 0) << one;
    }
}

TEST_F(BenchWords, TheChosenVariantAloneIsTimedWhereThatIsAsked) {
    NEEDS_OPERATOR("transpose");
    const json report =
        bench("transpose", {"--device", "cpu", "--type", "u8", "--size", "300x200", "--chosen"});
    ASSERT_EQ(report["runs"].size(), 1u) << report;
    EXPECT_EQ(report["runs"][0]["chosen"], true);
}

TEST_F(BenchWords, RunsAreAppendedToAFile) {
    const std::string op = operators().front(), file = path("times.jsonl");
    for (size_t times = 1; times <= 2; times++) {
        const json report = bench(op, {"--device", "cpu", "--size", "40x30", "--results", file});
        std::istringstream lines(read_text(file));
        size_t count = 0;
        for (std::string line; std::getline(lines, line); count++) {
            const json one = json::parse(line);
            EXPECT_EQ(one["version"], 2);
            EXPECT_TRUE(one["context"].contains("device_name")) << one;
            EXPECT_EQ(one["variant"], report["runs"][count % report["runs"].size()]["variant"]);
        }
        EXPECT_EQ(count, times * report["runs"].size());
    }
}

TEST_F(BenchWords, NoWrittenFileReplacesAnInputOrAnotherOne) {
    const std::string op = operators().front(), times = path("times.json");
    const auto written = [&](Words files) {
        files.insert(files.begin(), {"bench", op, "--device", "cpu", "--schedule", "reference", "--size",
                                        "40x30", "--batch", "1", "--repeats", "3"});
        return files;
    };
    succeed(written({"--json", times}));
    const std::string before = read_text(times);
    std::filesystem::create_symlink(times, path("link"));
    for (const std::string &name : {times, path("link"), path("./times.json")}) {
        expect_refusal(2, {"report", times, "--output", name}, {"--output", name, "an input as well"});
    }
    expect_refusal(2, written({"--input", times, "--json", times}), {"--json", "an input as well"});
    // Files that are not there yet, too.
    expect_refusal(
        2, written({"--json", path("new"), "--report", path("./new")}), {"--report", "the file of --json"});
    expect_refusal(2, {"explore", op, "--results", path("new"), "--report", path("new")},
        {"--report", "the file of --results as well"});
    EXPECT_EQ(read_text(times), before);
    EXPECT_FALSE(std::filesystem::exists(path("new")));
    succeed(written({"--json", "/dev/null", "--report", "/dev/null"}));
}

TEST_F(BenchWords, VariantsAreBuiltWithOtherTunables) {
    NEEDS_OPERATOR("transpose");
    const json report =
        bench("transpose", {"--device", "cpu", "--type", "u8", "--size", "300x200", "--schedule",
                               "tuned_small,reference", "--tunable", "height=64,128"});
    Set heights;
    for (const json &one : report["runs"]) {
        if (one["schedule"] == "tuned_small") {
            heights.insert(one["tunables"]["height"].dump());
            EXPECT_NE(one["library"], "transpose");
            EXPECT_EQ(one["verified"], true) << one;
        }
    }
    EXPECT_EQ(heights, (Set{"128", "64"}));
    EXPECT_TRUE(values(report["runs"], "schedule").contains("reference"));
    expect_refusal(2, {"bench", "transpose", "--device", "cpu", "--tunable", "heigt=3"},
        {"--tunable", "heigt", "did you mean 'height'"});
    expect_refusal(2, {"bench", "transpose", "--device", "cpu", "--tunable", "blocks_per_task=0"},
        {"blocks_per_task=0", "1 to 1024"});
    for (const char *bad :
        {"blocks_per_task", "blocks_per_task=", "=3", "blocks_per_task=x", "blocks_per_task=1,,"}) {
        expect_refusal(2, {"bench", "transpose", "--device", "cpu", "--tunable", bad}, {"name=value"});
    }
    const Ran shown = succeed({"show", "transpose", "--target", "cpu", "--schedule", "tuned_small", "--type",
        "u8", "--tunable", "height=128"});
    expect_has(shown.out, {"height=128"});
    expect_refusal(
        2, {"show", "transpose", "--target", "cpu", "--tunable", "blocks_per_task=1,2"}, {"one value"});
    const json explained = run_json({"explain", "transpose", "--device", "cpu", "--type", "u8", "--size",
        "300x200", "--schedule", "tuned_small", "--tunable", "height=128", "--json"});
    expect_has(explained["chosen"].get<std::string>(), {"height=128"});
}

TEST_F(BenchWords, VerifyIsQuietAboutWhatWasNotAskedFor) {
    const std::string op = operators().front();
    const json report = run_json(
        {"verify", op, "--device", "cpu", "--schedule", "tuned,reference", "--repeat", "1", "--json"});
    const json listed = run_json({"list", op, "--json"})["operators"][0]["variants"];
    EXPECT_EQ(values(report["variants"], "backend"), Set{"cpu"});
    EXPECT_EQ(report["variants"].size() + report["not_asked"].get<size_t>(), listed.size());
    const std::string type = listed[0]["type"];
    const json of_type =
        run_json({"verify", op, "--device", "cpu", "--type", type, "--repeat", "1", "--json"});
    EXPECT_EQ(values(of_type["variants"], "type"), Set{type});
    expect_refusal(2, {"verify", op, "--type", "u9"}, {"--type", "u9"});
}

TEST_F(BenchWords, ListTakesTheSameFilters) {
    NEEDS_OPERATOR("transpose");
    const json all = run_json({"list", "transpose", "--schedule", "tuned,reference", "--type", "u8,f32",
        "--backend", "cpu", "--json"})["operators"][0]["variants"];
    ASSERT_FALSE(all.empty());
    EXPECT_EQ(values(all, "family"), (Set{"reference", "tuned"}));
    EXPECT_EQ(values(all, "type"), (Set{"f32", "u8"}));
    EXPECT_EQ(values(all, "backend"), Set{"cpu"});
    const Ran text = run({"list", "transpose", "--schedule", "tuned_blocks", "--device", "cpu"});
    expect_has(text.out, {"Tunables: "});
    expect_refusal(
        2, {"list", "transpose", "--backend", "cpus"}, {"--backend", "cpus", "did you mean 'cpu'"});
    expect_refusal(2, {"list", "transpose", "--schedule", "padded", "--backend", "cpu"}, {"at once"});
}

}  // namespace
}  // namespace tilewright
