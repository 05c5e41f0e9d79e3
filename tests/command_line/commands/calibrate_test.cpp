// `calibrate` as a user meets it: it measures, later programs choose by what it wrote, and broken files are
// told and left out.
#include "tests/command_line/command_line.h"
#include "tests/support/files.h"
#include <fstream>

namespace tilewright {
namespace {

TEST_F(CommandLine, CalibrateWritesTimesByWhichLaterProgramsChoose) {
    NEEDS_OPERATOR("invert");
    const Words kept = {"TILEWRIGHT_MEASURED=" + path("measured/here")};
    const Ran ran = succeed({"calibrate", "invert", "--device", "cpu", "--seconds", "1"}, kept);
    const Names written = names_in(path("measured/here"));
    ASSERT_EQ(written.size(), 1u);
    const std::string file = path("measured/here/") + written[0];
    const json content = json::parse(read_text(file));
    EXPECT_EQ(content["device"]["backend"], "cpu");
    ASSERT_EQ(content["times"].size(), 2u) << "u8 and u16";
    for (const json &times : content["times"]) {
        EXPECT_EQ(times["operator"], "invert");
        EXPECT_FALSE(times["variants"]["tuned"]["ms"].empty());
        EXPECT_FALSE(times["variants"].contains("auto"));
    }

    const Words call = {"explain", "invert", "--size", "300x200", "--device", "cpu", "--json"};
    EXPECT_EQ(run_json(call, kept)["predicted_from"], file);

    // A file that was cut off is told in one line, and left out.
    std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
    const Ran broken = succeed(call, kept);
    expect_has(broken.err, {"the measured times in '" + file + "' are not used"});
    EXPECT_NE(json::parse(broken.out)["predicted_from"], file);

    // It is replaced by the next calibration.
    succeed({"calibrate", "invert", "--device", "cpu", "--seconds", ".3"}, kept);
    EXPECT_EQ(run_json(call, kept)["predicted_from"], file);
    EXPECT_EQ(run({"calibrate", "--clear"}, kept).out, "1 file removed\n");
    EXPECT_TRUE(names_in(path("measured/here")).empty());
}

// The device's file keeps its times of other operators, but not those of another machine whose device has the
// same name. A file that --output names is written anew.
TEST_F(CommandLine, CalibrateKeepsTimesOfThisMachineAlone) {
    NEEDS_OPERATOR("invert");
    const Words kept = {"TILEWRIGHT_MEASURED=" + path("measured")};
    const Words words = {"calibrate", "invert", "--device", "cpu", "--seconds", "1"};
    succeed(words, kept);
    const std::string file = path("measured/") + names_in(path("measured")).at(0);
    json content = json::parse(read_text(file));
    content["times"].erase(1);
    content["times"][0]["operator"] = "transpose";
    const auto calibrated = [&](const Words &arguments) {
        write_bytes(file, bytes_of(content.dump()));
        Ran ran = run(arguments, kept);
        EXPECT_EQ(ran.code, 0) << ran.err;
        return std::pair(json::parse(read_text(file))["times"].size(), ran.err);
    };
    EXPECT_EQ(calibrated(words).first, 3u);
    Words named = words;
    named.insert(named.end(), {"--output", file});
    EXPECT_EQ(calibrated(named).first, 2u) << "--output names a file that is written anew";
    content["device"]["units"] = content["device"]["units"].get<int>() + 1;
    const auto [count, remark] = calibrated(words);
    EXPECT_EQ(count, 2u);
    expect_has(remark, {"are of another machine"});
}

// As long as it would measure, nothing would be kept.
TEST_F(CommandLine, CalibrateLooksAtThePlaceOfItsFileFirst) {
    const Words slow = {"calibrate", "--device", "cpu", "--seconds", "1000"};
    const auto with = [&](const Words &more) {
        Words all = slow;
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    expect_refusal(1, with({"--output", "/dev/null/times.json"}), {"/dev/null", "Not a directory"});
    expect_refusal(
        1, slow, {"/dev/null/measured", "TILEWRIGHT_MEASURED"}, {"TILEWRIGHT_MEASURED=/dev/null/measured"});
}

TEST_F(CommandLine, CalibrateTakesTheLeastOfItsOwnFiles) {
    NEEDS_OPERATOR("invert");
    const Words off = {"TILEWRIGHT_MEASURED=off"};
    const auto calibration = [&](const char *name, const char *device, const char *ms) {
        write_bytes(path(name), bytes_of(std::string(R"({"version": 1, "device": {"backend": "cpu", "vendor":
            "V", "name": ")") + device + R"(", "driver": "d", "units": 2, "is_gpu": false}, "origin": {"date":
            "2026-11-23T00:00:00Z", "how": "by turns"}, "copies": {"bytes_to_device_per_ms": 0,
            "bytes_to_host_per_ms": 0, "copy_ms": 0}, "times": [{"operator": "invert", "type": "u8",
            "calls": [[64, 64, 1], [65, 64, 1], [66, 64, 1]], "variants": {"tuned": {"ms": )" +
                                         ms + "}}}]}"));
        return path(name);
    };
    const std::string files = calibration("a.json", "a CPU", "[2.0, null, 2.0]") + "," +
                              calibration("b.json", "a CPU", "[1.0, 5.0, 1.0]") + "," +
                              calibration("c.json", "a CPU", "[3.0, 4.0, 3.0]") + "," +
                              calibration("d.json", "another CPU", "[0.5, 0.5, 0.5]");
    const Ran ran = succeed({"calibrate", "--from", files, "--output", path("times.json")}, off);
    expect_has(ran.err, {"the times of another CPU (cpu) are left out"});
    const json all = json::parse(read_text(path("times.json")));
    EXPECT_EQ(all["times"][0]["variants"]["tuned"]["ms"], json::parse("[1.0, 4.0, 1.0]"));
    EXPECT_EQ(all["origin"]["how"], "by turns; the least of 3 files");
    EXPECT_FALSE(all["device"].contains("capability")) << "the files have none";
    EXPECT_EQ(all["error"]["times"], 3) << "each of three calls is predicted from the others";
    EXPECT_GE(all["error"]["p90"].get<double>(), 3.9) << "4 ms beside 1 ms";

    write_bytes(path("bench.json"), bytes_of(R"({"version": 2, "context": {}, "runs": []})"));
    expect_refusal(3,
        {"calibrate", "--from", path("a.json") + "," + path("bench.json"), "--output", path("no.json")},
        {"bench.json", "no file of `tilewright calibrate`"}, off);
    expect_refusal(3, {"calibrate", "--from", path("none.json"), "--output", path("no.json")},
        {"none.json", "No such file"}, off);
    write_bytes(path("cut.json"), bytes_of("{\"times\": ["));
    expect_refusal(
        3, {"calibrate", "--from", path("cut.json"), "--output", path("no.json")}, {"cut.json"}, off);
    EXPECT_FALSE(std::filesystem::exists(path("no.json")));
}

TEST_F(CommandLine, CalibrateDoesOneTask) {
    expect_refusal(2, {"calibrate", "--path", "--clear"}, {"--clear", "--path is another task"});
    expect_refusal(2, {"calibrate", "--clear", "--from", path("a.json")}, {"--from", "--clear"});
    expect_refusal(2, {"calibrate", "--path", "--device", "cpu"}, {"--device", "--path measures nothing"});
    expect_refusal(
        2, {"calibrate", "--from", path("a.json"), "--seconds", "3"}, {"--seconds", "measures nothing"});
    expect_refusal(2, {"calibrate", "--path", "--output", path("b.json")}, {"--output"});
}

TEST_F(CommandLine, CalibrateSaysWhereItsFilesAre) {
    EXPECT_EQ(run({"calibrate", "--path"}, {"TILEWRIGHT_MEASURED=" + path("m")}).out, path("m") + "\n");
    expect_refusal(2, {"calibrate", "--path"}, {"TILEWRIGHT_MEASURED"}, {"TILEWRIGHT_MEASURED=off"});
    expect_refusal(2, {"calibrate", "--seconds", "0"}, {"--seconds"});
    expect_refusal(
        2, {"calibrate", "no_operator"}, {"no such operator"}, {"TILEWRIGHT_MEASURED=" + path("m")});
}

}  // namespace
}  // namespace tilewright
