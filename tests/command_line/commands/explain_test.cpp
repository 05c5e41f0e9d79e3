// `explain`: the choice of a variant, the launches, and what is refused. CUDA's part runs on the fake
// libcuda.so.1.
#include "tests/command_line/command_line.h"
#include <cstdlib>
#include <random>
#include <sstream>

namespace tilewright {
namespace {

Words fake_cuda() {
    const char *path = getenv("LD_LIBRARY_PATH");
    return {std::string("LD_LIBRARY_PATH=" TILEWRIGHT_FAKE_CUDA) + (path ? std::string(":") + path : "")};
}

void expect_words(const std::string &text, const Words &words) {
    for (const std::string &word : words) {
        expect_has(text, {word});
    }
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const bool is_one_word =
            line.find_last_of(' ') == line.find_last_of(' ', line.find_first_not_of(' '));
        EXPECT_TRUE(line.size() <= 120 || is_one_word) << line;
    }
}

// What holds for every explanation, and the variant that it says was chosen.
std::string chosen_in(const json &e) {
    size_t chosen = 0;
    for (const json &variant : e["variants"]) {
        chosen += variant["chosen"].get<bool>();
        const std::string why_not = variant["why_not"];
        EXPECT_NE(variant["serves"].get<bool>(), !why_not.empty()) << variant;
        if (why_not.starts_with("it takes other")) {
            EXPECT_TRUE(why_not.ends_with("than these. " + variant["summary"].get<std::string>())) << variant;
        }
        if (variant["chosen"]) {
            EXPECT_TRUE(variant["serves"].get<bool>());
            EXPECT_EQ(variant["variant"], e["chosen"]);
        }
    }
    EXPECT_EQ(chosen, 1u);
    EXPECT_FALSE(e["libraries"].empty());
    EXPECT_GT(e["unavoidable_bytes"].get<double>(), 0);
    EXPECT_GE(e["moved_bytes"].get<double>(), e["unavoidable_bytes"].get<double>() / 2);
    EXPECT_GT(e["call_ms"].get<double>(), 0);
    EXPECT_GT(e["copy_rate"].get<double>(), 0);
    EXPECT_GE(e["host_peak_bytes"].get<int64_t>(), e["argument_bytes"].get<int64_t>());
    return e["chosen"];
}

// With two threads, a call on the CPU takes at most 15 % more memory than its inputs and its output.
TEST_F(CommandLine, ExplainedMemoryOfTheCpuIsWithinItsBound) {
    const struct {
        std::string operation, type, size;
    } calls[] = {{"recursive_gaussian", "u8", "2048x2048"}, {"recursive_gaussian", "u16", "2048x2048"},
        {"recursive_gaussian", "f32", "2048x2048"}, {"matmul", "f32", "1024x1024"}};
    for (const auto &[operation, type, size] : calls) {
        if (!has_operator(operation)) {
            continue;
        }
        const json e = run_json({"explain", operation, "--type", type, "--size", size, "--device", "cpu",
            "--threads", "2", "--json"});
        EXPECT_GE(e["host_peak_bytes"].get<double>(), e["argument_bytes"].get<double>()) << operation;
        EXPECT_LE(e["host_peak_bytes"].get<double>(), 1.15 * e["argument_bytes"].get<double>())
            << operation << " " << type;
    }
}

// Without a device of CUDA, what a call would do there is said all the same, and nothing is run.
TEST_F(CommandLine, ExplainNeedsNoDeviceToSayHowWarpsReachMemory) {
    NEEDS_OPERATOR("transpose");
    const auto explained = [&](const std::string &schedule) {
        return run({"explain", "transpose", "--schedule", schedule, "--type", "u8", "--size", "512x512",
                       "--device", "cuda"},
            {"CUDA_VISIBLE_DEVICES="});
    };
    const Ran direct = explained("direct"), shared = explained("shared");
    expect_words(direct.out, {"Nothing was run: ", "chosen  transpose/direct/u8/cuda",
                                 "global store of 1 byte to out: 16 sectors of 32 bytes per warp"});
    EXPECT_EQ(direct.code, 0) << direct.err;
    expect_words(shared.out, {"bank conflicts, 2 passes where 1 would do"});
    expect_refusal(
        4, {"explain", "transpose", "--device", "cuda", "--json"}, {"cuda:0"}, {"CUDA_VISIBLE_DEVICES="});
}

TEST_F(CommandLine, ExplainChoosesAsACallDoes) {
    NEEDS_OPERATOR("transpose");
    make_image("odd.png", 37, 53);
    for (const std::string schedule : {"tuned", "reference"}) {
        const json e = run_json(
            {"explain", "transpose", path("odd.png"), "--device", "cpu", "--schedule", schedule, "--json"});
        const Ran call = run({"transpose", path("odd.png"), path("out.png"), "--device", "cpu", "--schedule",
            schedule, "--stats"});
        const std::string chosen = chosen_in(e);
        expect_has(call.err, {chosen + "\n"});
        EXPECT_EQ(e["type"], "u8");
        EXPECT_EQ(e["unavoidable_bytes"], 2 * 37 * 53);
        EXPECT_EQ(e["moved_bytes"], 2 * 37 * 53);
    }
    expect_words(run({"explain", "transpose", path("odd.png"), "--device", "cpu"}).out,
        {"transpose on cpu", "odd.png, u8 (37, 53)", "transpose/reference/u8/cpu", "chosen", "library 1",
            "unavoidable", "copy rate", "host memory", "threads"});
}

// Values decide here that elements are left out: the variant's plan runs two libraries, and not a third one.
TEST_F(CommandLine, ExplainDescribesTheLibrariesThatRan) {
    NEEDS_OPERATOR("min_plus_convolution");
    Array vector(Type::f64, {33000});
    std::mt19937_64 random(1);
    for (int64_t i = 0; i < vector.size(); i++) {
        vector.as<double>()[i] = (double)random();
    }
    write_array(path("v.npy"), vector);
    const Words call = {"explain", "min_plus_convolution", path("v.npy"), path("v.npy"), "--device", "cpu"};
    Words with_json = call;
    with_json.emplace_back("--json");
    const json e = run_json(with_json);
    const std::string chosen = chosen_in(e);
    EXPECT_EQ(chosen, "min_plus_convolution/pruned/f64/cpu");
    EXPECT_TRUE(e["values_decided"]);
    const std::string text = run(call).out;
    ASSERT_EQ(e["libraries"].size(), 2u);
    EXPECT_EQ(e["libraries"][1]["variant"], chosen);
    expect_has(text, {"ran     " + e["libraries"][0]["variant"].get<std::string>(), "\nhow ",
                         "decided which libraries ran"});
    write_array(path("short.npy"), Array(Type::f64, {1000}));
    const json all_pairs = run_json(
        {"explain", "min_plus_convolution", path("short.npy"), path("v.npy"), "--device", "cpu", "--json"});
    EXPECT_FALSE(all_pairs["values_decided"]);

    const Ran ran = succeed({"pipeline", "min_plus_convolution " + path("v.npy"), path("v.npy"),
        path("out.npy"), "--device", "cpu", "--stats"});
    for (const json &library : e["libraries"]) {
        expect_has(ran.err, {library["variant"].get<std::string>()});
    }
}

TEST_F(CommandLine, ExplainTakesColourOptionsAndSamples) {
    NEEDS_OPERATOR("gaussian_blur");
    const Array colour(Type::u8, {21, 35, 4});
    write_array(path("colour.png"), colour.clone(0));
    const json file = run_json(
        {"explain", "gaussian_blur", path("colour.png"), "--sigma", "2", "--device", "cpu", "--json"});
    chosen_in(file);
    const json sample = run_json({"explain", "gaussian_blur", "--size", "101x37", "--type", "u16", "--border",
        "zero", "--device", "cpu", "--json"});
    chosen_in(sample);
    EXPECT_EQ(sample["type"], "u16");
    EXPECT_NE(sample["data"].get<std::string>().find("101x37"), std::string::npos) << sample["data"];
    EXPECT_NE(sample["data"].get<std::string>().find("zero"), std::string::npos) << sample["data"];
}

TEST_F(CommandLine, ExplainSaysWhatBecameOfAPhotograph) {
    NEEDS_OPERATOR("column_sum");
    write_array(path("colour.png"), Array(Type::u8, {21, 35, 3}).clone(0));
    const Words call = {"explain", "column_sum", path("colour.png"), "--device", "cpu"};
    expect_words(run(call).out, {"converted: one call per channel, 3 in all", "the first of 3 calls"});
    Words with_json = call;
    with_json.emplace_back("--json");
    const json e = run_json(with_json);
    EXPECT_EQ(e["calls_of_command"], 3);
    EXPECT_EQ(e["conversions"], json::array({"one call per channel, 3 in all"}));
}

TEST_F(CommandLine, ExplainHasEachLaunchOnCuda) {
    NEEDS_OPERATOR("transpose");
    const Words call = {"explain", "transpose", "--size", "1000x703", "--type", "u8", "--device", "cuda:0",
        "--schedule", "padded"};
    Words with_json = call;
    with_json.emplace_back("--json");
    const json e = run_json(with_json, fake_cuda());
    EXPECT_EQ(chosen_in(e), "transpose/padded/u8/cuda");
    const json kernel = e["libraries"][0]["kernels"][0];
    EXPECT_EQ(kernel["registers"], 40);
    EXPECT_EQ(kernel["spill_bytes"], 8);
    EXPECT_EQ(kernel["most_threads_of_unit"], 2048);
    EXPECT_EQ(kernel["occupancy"], .5);
    EXPECT_FALSE(kernel["instructions"].empty());
    const Ran text = succeed(call, fake_cuda());
    expect_words(text.out, {"launch 1", "grid", "occupancy 50 %", "40 per thread", "8 bytes of local memory",
                               "global load of", "shared store of", "copy rate"});

    Words silent = fake_cuda();
    silent.emplace_back("FAKE_CUDA_SILENT=1");
    const json unsaid = run_json(with_json, silent)["libraries"][0]["kernels"][0];
    EXPECT_TRUE(unsaid["registers"].is_null());
    EXPECT_TRUE(unsaid["occupancy"].is_null());
    expect_words(run(call, silent).out, {"not said by the driver"});
}

// What the published transposes show: strided accesses touch more sectors than they need, a tile without
// padding has bank conflicts, and one with padding has none.
TEST_F(CommandLine, ExplainComputesHowWarpsReachMemory) {
    NEEDS_OPERATOR("transpose");
    const auto extra = [&](const std::string &schedule, const std::string &space,
                           const std::string &measure) {
        const json e = run_json({"explain", "transpose", "--size", "1024x512", "--type", "u8", "--device",
                                    "cuda:0", "--schedule", schedule, "--json"},
            fake_cuda());
        int more = 0, seen = 0;
        for (const json &access : e["libraries"][0]["kernels"][0]["warp_accesses"]) {
            EXPECT_FALSE(access.contains("depends_on")) << access;
            if (access["space"] == space) {
                EXPECT_GE(access[measure].get<int>(), access["least"].get<int>()) << access;
                EXPECT_GT(access["least"].get<int>(), 0) << access;
                more += access[measure].get<int>() - access["least"].get<int>();
                seen++;
            }
        }
        EXPECT_GT(seen, 0) << schedule << ": " << e["libraries"];
        return more;
    };
    EXPECT_GT(extra("direct", "global", "sectors_per_warp"), 0);
    EXPECT_GT(extra("shared", "shared", "passes"), 0);
    EXPECT_EQ(extra("padded", "shared", "passes"), 0);
    EXPECT_LT(extra("padded", "global", "sectors_per_warp"), extra("direct", "global", "sectors_per_warp"));
}

TEST_F(CommandLine, ExplainHasWhatOpenClSays) {
    NEEDS_OPERATOR("transpose");
    NEEDS_DEVICE("opencl");
    const json e = run_json({"explain", "transpose", "--size", "1000x703", "--type", "u8", "--device",
        "opencl", "--schedule", "shared", "--json"});
    EXPECT_EQ(chosen_in(e), "transpose/shared/u8/opencl");
    const auto arguments = e["argument_bytes"].get<int64_t>();
    EXPECT_GE(arguments, 2 * 1000 * 703);
    EXPECT_GE(e["device_peak_bytes"].get<int64_t>(), arguments);
    EXPECT_LE(e["device_peak_bytes"].get<int64_t>(), arguments + arguments / 10);
    for (const json &kernel : e["libraries"][0]["kernels"]) {
        EXPECT_NE(kernel["kernel"], "");
        EXPECT_GT(kernel["most_threads"].get<int64_t>(), 0);
        EXPECT_GT(kernel["preferred_multiple"].get<int64_t>(), 0);
        EXPECT_GT(kernel["shared_bytes"].get<int64_t>(), 0);
        EXPECT_GT(kernel["ms"].get<double>(), 0);
        EXPECT_TRUE(kernel.contains("warp_accesses")) << kernel;  // of PoCL too, as on a GPU
    }
}

TEST_F(CommandLine, ExplainRefusesWhatThereIsNot) {
    NEEDS_OPERATOR("transpose");
    expect_refusal(2, {"explain"}, {"operator"});
    expect_refusal(2, {"explain", "transpse"}, {"did you mean 'transpose'"});
    expect_refusal(2, {"explain", "transpose", "--schedule", "tunde"}, {"did you mean 'tuned'"});
    expect_refusal(2, {"explain", "transpose", "--type", "u7", "--device", "cpu"}, {"--type", "u7", "u16"});
    expect_refusal(2, {"explain", "transpose", "--size", "12by12", "--device", "cpu"}, {"--size", "12by12"});
    expect_refusal(3, {"explain", "transpose", path("none.png"), "--device", "cpu"}, {"none.png"});
    expect_refusal(4, {"explain", "transpose", "--device", "cuda:7"}, {"cuda:7"});
    make_image("grey.png");
    expect_refusal(
        2, {"explain", "transpose", path("grey.png"), "--size", "64", "--device", "cpu"}, {"--size"});
    expect_refusal(2, {"explain", "transpose", path("grey.png"), "--type", "f32", "--device", "cpu"},
        {"--type", "f32", "u8"});
    expect_refusal(2, {"explain", "transpose", path("grey.png"), path("grey.png"), "--device", "cpu"},
        {"takes 1 input"});
    if (has_operator("gaussian_blur")) {
        expect_refusal(2, {"explain", "transpose", "--sigma", "3", "--device", "cpu"}, {"--sigma"});
        expect_refusal(
            2, {"explain", "gaussian_blur", "--sigma", "three", "--device", "cpu"}, {"--sigma", "three"});
    }
}

}  // namespace
}  // namespace tilewright
