// `--help` of the program and of every command, and `--version`.
#include "tests/command_line/command_line.h"
#include "tilewright/device.h"
#include <nlohmann/json.hpp>
#include <regex>

namespace tilewright {
namespace {

TEST_F(CommandLine, HelpOfTheProgramNamesEveryCommand) {
    const Ran ran = succeed({"--help"});
    EXPECT_EQ(ran.err, "");
    Words commands = operators();
    commands.insert(commands.end(), {"help", "devices", "list", "doctor", "pipeline", "show", "explain",
                                        "compare", "report", "verify", "bench", "Examples:"});
    for (const std::string &command : commands) {
        expect_has(ran.out, {command});
    }
}

TEST_F(CommandLine, HelpOfEveryCommandHasExamples) {
    Words commands = operators();
    ASSERT_FALSE(commands.empty());
    commands.insert(commands.end(), {"help", "devices", "list", "doctor", "pipeline", "show", "explain",
                                        "verify", "bench", "compare", "report"});
    for (const std::string &command : commands) {
        const Ran ran = run({command, "--help"});
        EXPECT_EQ(ran.code, 0) << command;
        EXPECT_EQ(ran.err, "") << command;
        expect_has(ran.out, {"Usage: tilewright " + command, "Examples:\n  tilewright " + command});
    }
}

TEST_F(CommandLine, HelpSaysWhatAnOperatorTakes) {
    const auto expect = [&](const std::string &op, const Words &words, const std::string &not_there) {
        if (!has_operator(op)) {
            return;
        }
        const std::string help = run({op, "--help"}).out;
        for (const std::string &word : words) {
            expect_has(help, {word});
        }
        EXPECT_EQ(help.find(not_there), std::string::npos) << "'" << not_there << "' in\n" << help;
    };
    expect("gaussian_blur",
        {"A picture or .npy file: u8, u16, f32, f64, f16 or bf16 of shape (h, w) or (h, w, c) with 1 to 4 "
         "channels\n",
            ".png or .npy", " photo.png out.png"},
        " out.npy");
    expect("column_sum",
        {"A picture or .npy file: u8, u16, f32, f64, f16 or bf16 of shape (h, w) or (h, w, c)",
            "column per channel", "write: .npy", " photo.png out.npy"},
        "--crop\n");
    expect("fft2d",
        {"A picture or .npy file: c64, f32, c128 or f64 of shape (h, w), sides from 1 to 16384",
            "grey values", "write: .png or .npy", " photo.png out.png"},
        "--crop\n");
    expect(
        "matmul", {"An .npy file: f32, f64, f16 or bf16 of shape (h, w)\n", " a.npy b.npy out.npy"}, ".png");
    expect("min_plus_convolution", {"An .npy file: i32, f32 or f64 of shape (n)\n", " a.npy b.npy out.npy"},
        ".png");
    expect("fresnel",
        {"A picture or .npy file: c64, f32, u8 or u16 of shape (n, n)", "grey values", ".png or .npy",
            " photo.png out.png", " --crop"},
        " grey.png");
}

TEST_F(CommandLine, HelpHasTheLimitsOfPngFilesWhereAFileMayBeOne) {
    for (const auto &[op, has_limits] :
        {std::pair("invert", true), {"column_sum", true}, {"matmul", false}, {"fft2d", true}}) {
        if (has_operator(op)) {
            EXPECT_EQ(run({op, "--help"}).out.find("--max-side") != std::string::npos, has_limits) << op;
        }
    }
}

TEST_F(CommandLine, HelpNamesTheEnvironment) {
    for (const Words &arguments : {Words{"--help"}, Words{operators().front(), "--help"}}) {
        const std::string help = run(arguments).out;
        expect_has(help, {"TILEWRIGHT_DEVICE", "TILEWRIGHT_THREADS", "TILEWRIGHT_INSTRUCTION_SET"});
    }
}

TEST_F(CommandLine, TheEnvironmentLeavesOutInstructionSetsOfTheCpu) {
    const auto capability = [&](const Words &environment) {
        return run_json({"devices", "--json"}, environment)["devices"][0]["capability"].get<std::string>();
    };
    EXPECT_EQ(capability({"TILEWRIGHT_INSTRUCTION_SET=x86-64"}), "x86-64");
    if (cpu_has_avx2()) {
        EXPECT_EQ(capability({"TILEWRIGHT_INSTRUCTION_SET=avx2"}), "AVX2");
    }
    expect_refusal(2, {"devices"}, {"TILEWRIGHT_INSTRUCTION_SET", "sse", "avx2 or x86-64"},
        {"TILEWRIGHT_INSTRUCTION_SET=sse"});
    NEEDS_OPERATOR("transpose");
    write_array(path("a.png"), Array(Type::u8, {50, 70}));
    for (const char *sets : {"x86-64", "avx2"}) {
        succeed({"transpose", path("a.png"), path("b.png"), "--device", "cpu", "--check"},
            {std::string("TILEWRIGHT_INSTRUCTION_SET=") + sets});
    }
}

TEST_F(CommandLine, VersionNamesHalideAndLlvm) {
    const Ran ran = succeed({"--version"}, {"TILEWRIGHT_DEVICE=gpu", "TILEWRIGHT_THREADS=many"});
    EXPECT_EQ(ran.err, "");
    EXPECT_TRUE(std::regex_search(ran.out, std::regex("^tilewright [0-9]+\\.[0-9]+"))) << ran.out;
    EXPECT_TRUE(std::regex_search(ran.out, std::regex("\nHalide [0-9]+\\.[0-9]+\\.[0-9]+\n"))) << ran.out;
    EXPECT_TRUE(std::regex_search(ran.out, std::regex("\nLLVM [0-9]+\\.[0-9]+"))) << ran.out;
}

TEST_F(CommandLine, VersionAsJsonNamesEveryLibrary) {
    const Ran ran = succeed({"--version", "--json"});
    const auto json = nlohmann::json::parse(ran.out);
    for (const char *name : {"libpng", "zlib", "liblzma", "fmt", "CLI11", "nlohmann-json"}) {
        const std::string version = json.at("libraries").value(name, "");
        EXPECT_TRUE(std::regex_match(version, std::regex("[0-9]+\\.[0-9.]+"))) << name << ": " << version;
    }
    for (const auto &[name, version] : json.at("libraries").items()) {
        EXPECT_NE(version, "") << name;
    }
}

}  // namespace
}  // namespace tilewright
