// The device of commands without --device: one that has a variant of the schedule. A machine without a GPU
// has the variants of published steps on OpenCL alone.
#include "tests/command_line/command_line.h"

namespace tilewright {
namespace {

class VariantDevice : public CommandLine {
protected:
    void SetUp() override {
        NEEDS_OPERATOR("transpose");
        NEEDS_DEVICE("opencl");
        make_image("in.png");
    }

    // The JSON of the one call that the words ask for.
    json call(const Words &words) const {
        return run_json(words)["calls"][0];
    }
    static bool is_on_gpu_or_opencl(const std::string &device) {
        return device.starts_with("cuda:") || device.starts_with("opencl:");
    }
};

TEST_F(VariantDevice, OfAStepIsOneThatHasIt) {
    const json one = call({"transpose", path("in.png"), path("out.png"), "--schedule", "padded", "--json"});
    EXPECT_TRUE(is_on_gpu_or_opencl(one["device"])) << one;
    EXPECT_TRUE(one["variant"].get<std::string>().starts_with("transpose/padded/u8/")) << one;
    EXPECT_EQ(
        call({"transpose", path("in.png"), path("o.png"), "--schedule", "reference", "--json"})["device"],
        "cpu");
    const json piped =
        call({"pipeline", "transpose schedule=padded", path("in.png"), path("piped.png"), "--json"});
    EXPECT_EQ(piped["device"], one["device"]);
    EXPECT_EQ(read_text(path("piped.png")), read_text(path("out.png")));
    expect_refusal(4,
        {"transpose", path("in.png"), path("no.png"), "--schedule", "padded", "--device", "cpu"},
        {"it has no variant for cpu, only for", "opencl", "`tilewright devices`"});
}

TEST_F(VariantDevice, OfExplainBenchAndShowIsOneThatHasTheVariant) {
    const json explained = run_json(
        {"explain", "transpose", "--schedule", "padded", "--size", "64x48", "--type", "u8", "--json"});
    const std::string device = explained["device"]["device"];
    EXPECT_TRUE(is_on_gpu_or_opencl(device)) << device;
    const auto bench = [&](const std::string &schedules) {
        std::set<std::string> devices;
        const json report = run_json({"bench", "transpose", "--schedule", schedules, "--size", "64x48",
            "--type", "u8", "--batch", "1", "--repeats", "3", "--json", "-"});
        for (const json &run : report["runs"]) {
            EXPECT_EQ(run["verified"], true) << run;
            devices.insert(run["device"]);
        }
        return devices;
    };
    EXPECT_EQ(bench("padded"), std::set<std::string>{device});
    EXPECT_EQ(bench("reference"), std::set<std::string>{"cpu"});
    EXPECT_EQ(bench("reference,padded"), (std::set<std::string>{"cpu", device}));
    const Ran shown =
        succeed({"show", "transpose", "--schedule", "padded", "--type", "u8", "--source", "resources"});
    EXPECT_TRUE(shown.out.starts_with("transpose/padded/u8/")) << shown.out;
}

// A variant that does not serve the data says what it needs, and which of its family does.
TEST_F(VariantDevice, AVariantForAlignedImagesSaysWhatItNeeds) {
    NEEDS_OPERATOR("column_sum");
    make_image("odd.png", 20, 1003);
    expect_refusal(3, {"column_sum", path("odd.png"), path("no.npy"), "--schedule", "bytes4_aligned"},
        {"does not serve this size, alignment or these options", "take --schedule bytes4 (",
            "multiples of 4"});
    succeed({"column_sum", path("odd.png"), path("sums.npy"), "--schedule", "bytes4"});
}

}  // namespace
}  // namespace tilewright
