// `show`: what it prints of a library, and which generator it runs.
#include "tests/command_line/command_line.h"
#include <algorithm>
#include <filesystem>
#include <fstream>

namespace tilewright {
namespace {

namespace fs = std::filesystem;

TEST_F(CommandLine, ShowPrintsWhatIsInALibrary) {
    NEEDS_OPERATOR("transpose");
    const json variants = run_json({"list", "transpose", "--json"})["operators"][0]["variants"];
    const auto is_built = [&](const std::string &backend) {
        return std::any_of(variants.begin(), variants.end(),
            [&](const json &variant) { return variant["backend"] == backend; });
    };
    const auto shown = [&](const Words &words, const Words &expected) {
        Words all = {"show", "transpose"};
        all.insert(all.end(), words.begin(), words.end());
        const Ran ran = succeed(all);
        EXPECT_EQ(ran.err, "");
        for (const std::string &word : expected) {
            expect_has(ran.out, {word});
        }
    };
    if (is_built("cpu")) {
        shown({"--target", "cpu", "--schedule", "reference", "--type", "u8"},
            {"transpose/reference/u8/cpu", "==== loop nest", "produce out", "for x"});
        shown({"--target", "cpu", "--schedule", "reference", "--source", "assembly,stmt"},
            {"==== assembly", ".globl", "==== Halide's statements", "produce"});
    }
    if (is_built("cuda")) {
        shown({"--target", "cuda", "--schedule", "padded", "--type", "u8"},
            {"transpose/padded/u8/cuda", "gpu_block", "==== PTX", ".visible .entry", "==== kernels",
                "threads", "shared bytes"});
    }
    if (is_built("opencl")) {
        shown({"--target", "opencl", "--schedule", "padded", "--type", "u8"},
            {"transpose/padded/u8/opencl", "==== OpenCL C", "__kernel", "get_local_id"});
    }
}

// A strided access touches a sector per row, a tile without padding has bank conflicts, and other tunables
// have other ones: without any GPU.
TEST_F(CommandLine, ShowComputesHowWarpsReachMemory) {
    NEEDS_OPERATOR("transpose");
    const std::string target =
        run({"show", "transpose", "--schedule", "padded", "--target", "cuda"}).code == 0 ? "cuda" : "opencl";
    const auto expect = [&](const Words &schedule, const Words &expected) {
        Words all = {"show", "transpose", "--target", target, "--type", "u8", "--size", "1024x512",
            "--source", "accesses", "--schedule"};
        all.insert(all.end(), schedule.begin(), schedule.end());
        const Ran ran = succeed(all);
        for (const std::string &word : expected) {
            expect_has(ran.out, {word});
        }
    };
    const std::string store = "1 x global store of 1 byte to out: ";
    expect({"direct"}, {store + "16 sectors of 32 bytes per warp, where neighbours would need 1"});
    expect({"shared"}, {store + "2 sectors", "bank conflicts, 2 passes where 1 would do"});
    expect({"padded"}, {store + "2 sectors", "store of 1 byte to image_im_in_out$0.0: no bank conflict",
                           "load of 1 byte from image_im_in_out$0.0: no bank conflict"});
    expect({"padded", "--tunable", "tile=32", "--tunable", "pad=0"},
        {"4 x global store of 1 byte to out: 2 sectors", "bank conflicts, 4 passes where 1 would do"});
}

// Without --schedule, or with a family's name, it is the variant that a call on the same data takes.
TEST_F(CommandLine, ShowTakesTheVariantThatACallWouldTake) {
    NEEDS_OPERATOR("transpose");
    const auto variant_shown = [&](const Words &words) {
        Words all = {"show", "transpose", "--target", "cpu", "--source", "loops"};
        all.insert(all.end(), words.begin(), words.end());
        const Ran ran = succeed(all);
        return ran.out.substr(0, ran.out.find('\n'));
    };
    const auto variant_called = [&](const std::string &file) {
        const Ran ran = succeed({"transpose", file, path("out.png"), "--device", "cpu", "--stats"});
        const size_t begin = ran.err.find("transpose/");
        return ran.err.substr(begin, ran.err.find('\n', begin) - begin);
    };
    make_image("small.png", 5, 3);
    make_image("even.png", 512, 512);
    for (const std::string &name : {path("small.png"), path("even.png")}) {
        EXPECT_EQ(variant_shown({name}), variant_called(name));
        EXPECT_EQ(variant_shown({name, "--schedule", "tuned"}), variant_called(name));
    }
    EXPECT_EQ(variant_shown({"--size", "512x512", "--type", "u8"}), variant_called(path("even.png")));
    EXPECT_NE(variant_shown({"--size", "3x5", "--type", "u8"}),
        variant_shown({"--size", "512x512", "--type", "u8"}));
    EXPECT_EQ(variant_shown({path("small.png"), "--schedule", "reference"}), "transpose/reference/u8/cpu");
}

TEST_F(CommandLine, ShowRefusesWhatThereIsNot) {
    NEEDS_OPERATOR("transpose");
    expect_refusal(2, {"show", "transpse"}, {"transpse", "did you mean 'transpose'"});
    expect_refusal(
        2, {"show", "transpose", "--schedule", "refrence"}, {"refrence", "did you mean 'reference'"});
    expect_refusal(2, {"show", "transpose", "--schedule", "reference", "--target", "gpu"},
        {"--target", "gpu", "opencl"});
    expect_refusal(2, {"show", "transpose", "--schedule", "reference", "--target", "cuda"},
        {"reference", "there is no variant on cuda;", "u8 on cpu"});
    expect_refusal(2, {"show", "transpose", "--schedule", "reference", "--target", "cuda", "--type", "u8"},
        {"there is no variant for u8 on cuda;"});
    expect_refusal(
        2, {"show", "transpose", "--schedule", "reference", "--target", "cpu", "--type", "u7"}, {"u7", "u8"});
    expect_refusal(2, {"show", "transpose", "--schedule", "reference", "--target", "cpu", "--source", "loop"},
        {"--source", "did you mean 'loops'"});
    expect_refusal(2,
        {"show", "transpose", "--schedule", "reference", "--target", "cpu", "--source", "kernels"},
        {"--source", "assembly"});
}

TEST_F(CommandLine, OptionsOfGeneratorsGoWithOne) {
    NEEDS_OPERATOR("transpose");
    for (const Words &one : {Words{"-g", "x"}, {"--values", "a=1"}, {"--param", "a=1"}, {"--set", "a=1"},
             {"--reference", "x"}, {"--against", "x.so"}, {"--autoscheduler", "Adams2019"},
             {"--features", "avx"}, {"--tolerance", ".1"}}) {
        expect_refusal(2, {"show", "transpose", one[0], one[1]}, {"error: " + one[0] + ": it goes with"});
    }
    expect_refusal(2, {"show", "transpose/tuned/u8/cpu"}, {"no such operator (did you mean 'transpose'?)"});
}

TEST_F(CommandLine, ShowFindsTheGeneratorElsewhere) {
    NEEDS_OPERATOR("transpose");
    fs::create_directories(path("bin"));
    fs::copy_file(TILEWRIGHT_APP, path("bin/tilewright"));
    const Words arguments = {
        "show", "transpose", "--schedule", "reference", "--target", "cpu", "--type", "u8"};
    const Ran missing =
        run_program(path("bin/tilewright"), arguments, {.environment = {"TILEWRIGHT_GENERATORS="}});
    EXPECT_EQ(missing.code, 1);
    expect_has(missing.err, {"transpose.generator was not found", "TILEWRIGHT_GENERATORS"});
    EXPECT_EQ(std::count(missing.err.begin(), missing.err.end(), '\n'), 1) << missing.err;
    const Ran found = run_program(path("bin/tilewright"), arguments,
        {.environment = {"TILEWRIGHT_GENERATORS=" TILEWRIGHT_GENERATOR_FOLDER}});
    EXPECT_EQ(found.code, 0) << found.err;
    expect_has(found.out, {"produce out"});
}

TEST_F(CommandLine, ShowRunsNoGeneratorOfAFolderThatIsNotTheProgramsOwn) {
    NEEDS_OPERATOR("transpose");
    const auto make_generator = [&](const std::string &folder, const std::string &word) {
        fs::create_directories(path(folder));
        const std::string file = path(folder + "/transpose.generator");
        std::ofstream(file) << "#!/bin/sh\necho " << word << "\n";
        fs::permissions(file, fs::perms::owner_all);
    };
    fs::create_directories(path("prefix/bin"));
    fs::copy_file(TILEWRIGHT_APP, path("prefix/bin/tilewright"));
    const auto show = [&] {
        const Words arguments = {
            "show", "transpose", "--schedule", "reference", "--target", "cpu", "--type", "u8"};
        return run_program(
            path("prefix/bin/tilewright"), arguments, {.environment = {"TILEWRIGHT_GENERATORS="}});
    };
    make_generator(".", "planted");
    make_generator("prefix", "planted");
    const Ran missing = show();
    EXPECT_EQ(missing.code, 1) << missing.out;
    expect_has(missing.err, {"transpose.generator was not found"});
    make_generator("prefix/libexec/tilewright", "installed");
    const Ran installed = show();
    EXPECT_EQ(installed.code, 0) << installed.err;
    expect_has(installed.out, {"installed"});
}

}  // namespace
}  // namespace tilewright
