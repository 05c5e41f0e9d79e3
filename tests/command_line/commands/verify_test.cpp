// `verify`: a line for every variant, JSON, repetitions, and a device that computes wrongly.
#include "tests/command_line/command_line.h"

namespace tilewright {
namespace {

TEST_F(CommandLine, VerifyHasALineForEveryVariant) {
    const std::string op = operators().front();
    const Ran ran = run({"verify", op, "--device", "cpu"});
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    const json all = run_json({"list", op, "--json"});
    for (const json &variant : all["operators"][0]["variants"]) {
        const std::string name = variant["variant"];
        if (variant["backend"] != "cpu") {
            EXPECT_EQ(ran.out.find(" " + name + " "), std::string::npos) << "not asked for: " << name;
            continue;
        }
        const size_t at = ran.out.find(" " + name + " ");
        ASSERT_NE(at, std::string::npos) << name << " in\n" << ran.out;
        const std::string line =
            ran.out.substr(ran.out.rfind('\n', at) + 1, ran.out.find('\n', at) - ran.out.rfind('\n', at) - 1);
        if (!variant["needs_vnni"]) {
            EXPECT_EQ(line.rfind("ok ", 0), 0u) << line;
        }
    }
}

TEST_F(CommandLine, BenchAndVerifyTakeTheDeviceOfTheEnvironment) {
    const std::string op = operators().front();
    for (const char *command : {"bench", "verify"}) {
        expect_refusal(4, {command, op}, {"cuda:99", "TILEWRIGHT_DEVICE"}, {"TILEWRIGHT_DEVICE=cuda:99"});
    }
    const Ran ran = succeed({"verify", op, "--schedule", "reference"}, {"TILEWRIGHT_DEVICE=cpu"});
    for (const char *gpu : {" cuda:0", " opencl:0"}) {
        EXPECT_EQ(ran.out.find(gpu), std::string::npos) << ran.out;
    }
}

TEST_F(CommandLine, VerifyReportsAsJson) {
    const std::string op = operators().front();
    const json report = run_json({"verify", op, "--schedule", "reference", "--device", "cpu", "--json"});
    EXPECT_TRUE(report["context"].contains("halide"));
    ASSERT_FALSE(report["variants"].empty());
    for (const json &variant : report["variants"]) {
        EXPECT_EQ(variant["verdict"], "ok") << variant;
        EXPECT_EQ(variant["against"], "plain definition") << variant;
        EXPECT_GT(variant["samples"].get<int>(), 3) << variant;
        EXPECT_GT(variant["runs"].get<int>(), variant["samples"].get<int>()) << variant;
    }
    EXPECT_EQ(report["count"]["ok"], report["variants"].size());
    EXPECT_EQ(report["count"]["UNTRIED"], 0);
}

TEST_F(CommandLine, VerifyRepeatsTheLargestSample) {
    const std::string op = operators().front();
    const auto runs = [&](const char *repeat) {
        const json report = run_json(
            {"verify", op, "--schedule", "reference", "--device", "cpu", "--repeat", repeat, "--json"});
        return report["variants"][0]["runs"].get<int>() - report["variants"][0]["samples"].get<int>();
    };
    EXPECT_EQ(runs("1"), 0);
    EXPECT_EQ(runs("5"), 4);
    expect_refusal(2, {"verify", op, "--repeat", "0"}, {"--repeat"});
}

TEST_F(CommandLine, VerifyLeavesOutLargeSamples) {
    const std::string op = operators().front();
    const auto samples = [&](const char *largest) {
        const json report = run_json({"verify", op, "--schedule", "reference", "--device", "cpu", "--repeat",
            "1", "--largest", largest, "--json"});
        EXPECT_EQ(report["variants"][0]["verdict"], "ok");
        return report["variants"][0]["samples"].get<int>();
    };
    EXPECT_EQ(samples("1"), 1) << "the smallest that it serves";
    EXPECT_GT(samples("20000"), 1);
    EXPECT_LT(samples("20000"), samples("16777216"));
    expect_refusal(2, {"verify", op, "--largest", "0"}, {"--largest"});
}

TEST_F(CommandLine, VerifyAddsRandomSamples) {
    for (const char *op : {"invert", "gaussian_blur", "matmul"}) {
        if (!has_operator(op)) {
            continue;
        }
        const auto compared = [&](const char *random) {
            const json report = run_json({"verify", op, "--schedule", "reference", "--device", "cpu",
                "--largest", "20000", "--random", random, "--json"});
            EXPECT_EQ(report["variants"][0]["verdict"], "ok") << report["variants"][0];
            return report["variants"][0]["samples"].get<int>();
        };
        EXPECT_GT(compared("40"), compared("0") + 20) << op;
    }
}

TEST_F(CommandLine, VerifyEndsRandomSamplesInTime) {
    const std::string op = operators().front();
    const json report = run_json({"verify", op, "--schedule", "reference", "--device", "cpu", "--random",
        "1000000", "--side", "16", "--seconds", "1", "--repeat", "1", "--json"});
    for (const json &variant : report["variants"]) {
        EXPECT_EQ(variant["verdict"], "ok") << variant;
        EXPECT_GT(variant["samples"].get<int>(), 20) << variant;
        EXPECT_LT(variant["samples"].get<int>(), 1000000) << "it has a second";
    }
    expect_refusal(2, {"verify", op, "--seconds", "1"}, {"--seconds", "--random"});
}

TEST_F(CommandLine, VerifySaysTheErrorsOfEachSize) {
    if (!has_operator("row_sum")) {
        GTEST_SKIP() << "the other operators' results may be exact";
    }
    const auto errors = [&](const char *side) {
        const json report = run_json({"verify", "row_sum", "--schedule", "reference", "--device", "cpu",
            "--largest", "20000", "--random", "40", "--side", side, "--json"});
        std::map<int, double> largest;  // of all types, by size
        for (const json &variant : report["variants"]) {
            double error = 0;
            for (const json &of_size : variant.value("errors", json::array())) {
                largest[of_size[0]] = std::max<double>(largest[of_size[0]], of_size[1]);
                error = std::max<double>(error, of_size[1]);
            }
            EXPECT_EQ(error, variant["error"]) << variant;
        }
        return largest;
    };
    const auto small = errors("8"), large = errors("512");
    EXPECT_TRUE(small.contains(3)) << "8 to 15 numbers";
    EXPECT_GT(large.size(), 5u);
    EXPECT_GT(large.rbegin()->second, 0);
}

TEST_F(CommandLine, VerifyFindsAWrongResult) {
    NEEDS_DEVICE("opencl");
    const Ran ran = run({"verify", operators().front(), "--device", "opencl", "--schedule", "tuned"},
        failing_driver("drop-launches"));
    EXPECT_EQ(ran.code, 6) << ran.err;
    expect_has(ran.out, {"WRONG "});
    EXPECT_EQ(ran.out.find("ok "), std::string::npos) << ran.out;
    EXPECT_EQ(ran.err.rfind("tilewright: error: ", 0), 0u) << ran.err;
}

}  // namespace
}  // namespace tilewright
