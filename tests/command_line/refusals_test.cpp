// Calls that are refused: usage (exit code 2), input (3), device (4) and memory (5).
#include "tests/command_line/command_line.h"
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace tilewright {
namespace {

namespace fs = std::filesystem;

TEST_F(CommandLine, WrongUsageNamesTheOptionAndWhatItTakes) {
    const std::string op = operators().front();
    make_image("in.png");
    const std::string in = path("in.png"), out = path("out.npy");
    expect_refusal(2, {"devics"}, {"'devics'", "did you mean 'devices'"});
    expect_refusal(2, {"devics"}, {"`tilewright --help` lists them"});
    EXPECT_EQ(run({"devics"}).err.find("calibrate"), std::string::npos) << "all commands are listed";
    expect_refusal(2, {"--nonsense"}, {"'--nonsense'"});
    expect_refusal(2, {op}, {"required", op + " --help"});
    expect_refusal(2, {op, in}, {"output"});
    expect_refusal(2, {op, in, out, "more.png"}, {"more.png"});
    expect_refusal(2, {op, in, out, "--shedule", "tuned"}, {"'--shedule'", "did you mean '--schedule'"});
    expect_refusal(
        2, {op, in, out, "--schedule", "refrence"}, {"refrence", "did you mean 'reference'", "tuned"});
    expect_refusal(2, {op, in, out, "--device", "gpu"}, {"device", "gpu", "cuda"});
    expect_refusal(2, {op, in, path("out.jpeg")}, {"out.jpeg", ".png", ".npy"});
    expect_refusal(2, {"list", "nothing"}, {"nothing", op});
    expect_refusal(2, {"verify", "nothing"}, {"nothing", op});
    expect_refusal(2, {"verify", "--schedule", "nothing"}, {"nothing", "reference"});
    expect_refusal(2, {"bench", "--size", "12y7"}, {"--size", "12y7", "WIDTHxHEIGHT"});
    expect_refusal(2, {"bench", "--size", "0x7"}, {"--size", "0x7"});
    expect_refusal(2, {"bench", "--type", "u7"}, {"--type", "u7"});
    EXPECT_EQ(files(), Words{"in.png"});
}

// A script whose variable is empty must not go on; a user sees what there is.
TEST_F(CommandLine, WithoutWordsItPrintsItsHelpAndFails) {
    const Ran ran = run({}), help = run({"--help"});
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(ran.err, help.out + "tilewright: error: no command; the help above lists them\n");
}

TEST_F(CommandLine, NumbersAreRefusedWithWhatTheirOptionTakes) {
    const std::string op = operators().front();
    make_image("in.png");
    const auto limited = [&](const std::string &option, const std::string &value, const std::string &takes) {
        expect_refusal(2, {op, path("in.png"), path("out.npy"), option, value},
            {option + " = " + value + ": takes a whole number from " + takes});
    };
    limited("--max-side", "0", "1 on");
    limited("--max-side", "1.5", "1 on");
    limited("--max-pixels", "-5", "1 on");
    limited("--max-bytes", "99999999999999999999", "1 on");
    limited("--channel", "-1", "0 on");
    limited("--channel", "red", "0 on");
    expect_refusal(2, {"bench", "--repeats", "many"}, {"--repeats = many: takes a whole number from 3 to"});
    expect_refusal(2, {"calibrate", "--seconds", "0"}, {"--seconds = 0: takes a number of seconds from 0.1"});
    expect_refusal(2, {"explore", op, "--budget", "long"}, {"--budget = long: takes a number of seconds"});
    expect_refusal(2, {"compare", "--threshold", "5s", "a", "b"}, {"--threshold = 5s: takes a number from"});
    expect_refusal(3, {"compare", "--threshold", ".5", "a", "b"}, {"cannot read 'a'"});
    // Seconds may have their unit: the device is what is refused.
    expect_refusal(2, {"explore", op, "--budget", "60s", "--device", "gpu"}, {"device = gpu"});
    EXPECT_EQ(files(), Words{"in.png"});
}

TEST_F(CommandLine, TypesThatAreNoneAreRefusedWithThoseThereAre) {
    const std::string op = operators().front();
    for (const char *command : {"show", "list", "verify", "bench", "explain"}) {
        expect_refusal(2, {command, op, "--type", "u9"}, {"--type = u9: no such type; known: "});
    }
}

// A shell makes an empty word of a variable that is not set: as an option that was not given, `--into` would
// let the last input be replaced.
TEST_F(CommandLine, EmptyValuesAreRefused) {
    const std::string op = operators().front();
    make_image("in.png");
    make_image("second.png");
    const std::string second = read_text(path("second.png"));
    for (const char *option : {"--into", "--format", "--device", "--schedule"}) {
        expect_refusal(2, {op, path("in.png"), path("second.png"), option, ""},
            {std::string(option) + ": its value is empty"});
        expect_refusal(2, {op, path("in.png"), path("second.png"), std::string(option) + "="},
            {std::string(option) + ": it takes a value"});
    }
    expect_refusal(2, {"verify", op, "--schedule", ""}, {"--schedule: its value is empty"});
    expect_refusal(2, {"bench", op, "--json", ""}, {"--json: its value is empty"});
    if (has_operator("fresnel")) {
        expect_refusal(
            2, {"fresnel", path("in.png"), path("out.npy"), "--phase", ""}, {"--phase: its value"});
    }
    EXPECT_EQ(read_text(path("second.png")), second);
    EXPECT_EQ(files(), (Words{"in.png", "second.png"}));
}

TEST_F(CommandLine, OptionsHaveOneValueAndFlagsNone) {
    const std::string op = operators().front();
    expect_refusal(2, {op, "a", "b", "--device", "cpu", "--device", "cpu"}, {"--device: it is given twice"});
    expect_refusal(2, {op, "a", "b", "--device"}, {"--device: it takes a value, and none follows"});
    expect_refusal(2, {op, "a", "b", "--stats=maybe"}, {"--stats = maybe: it takes no value"});
}

// What cannot be looked at cannot be read: no other kind of error.
TEST_F(CommandLine, InputsThatCannotBeLookedAtAreRefused) {
    const std::string op = operators().front(), out = path("out.npy");
    const std::string long_name = path(std::string(300, 'x') + ".png");
    std::filesystem::create_symlink("loop.png", path("loop.png"));
    expect_refusal(3, {op, long_name, out}, {"cannot read", "name too long"});
    expect_refusal(3, {op, path("loop.png"), out}, {"cannot read", "symbolic links"});
    expect_refusal(3, {"pipeline", op, path("loop.png"), out}, {"cannot read", "symbolic links"});
    EXPECT_EQ(files(), Words{"loop.png"});
}

TEST_F(CommandLine, EachKnownTypeIsNamedOnce) {
    const std::string said = run({"list", "--type", "u7"}).err;
    std::istringstream words(said.substr(said.find("known: ") + 7));
    std::set<std::string> known;
    for (std::string word; words >> word;) {
        EXPECT_TRUE(known.insert(word).second) << word << " stands twice in: " << said;
    }
    EXPECT_FALSE(known.empty());
}

TEST_F(CommandLine, AnOutputThatIsAnInputIsRefused) {
    NEEDS_OPERATOR("invert");
    make_image("in.png");
    const std::string before = read_text(path("in.png"));
    fs::create_symlink(path("in.png"), path("link.png"));
    expect_refusal(2, {"invert", path("in.png"), path("in.png")}, {"in.png", "input"});
    expect_refusal(2, {"invert", path("in.png"), path("link.png")}, {"link.png", "input"});
    expect_refusal(2, {"invert", path("in.png"), path("./in.png")}, {"input"});
    EXPECT_EQ(read_text(path("in.png")), before);
}

TEST_F(CommandLine, OptionsOfOperatorsAreChecked) {
    NEEDS_OPERATOR("gaussian_blur");
    make_image("in.png");
    const auto refused = [&](const std::string &option, const std::string &value, const Words &words) {
        expect_refusal(2, {"gaussian_blur", path("in.png"), path("out.png"), option + "=" + value}, words);
    };
    refused("--sigma", "wide", {"sigma", "wide", "number"});
    refused("--sigma", "0", {"gaussian_blur: --sigma = 0: takes"});
    refused("--sigma", "-1", {"--sigma = -1: takes"});
    refused("--truncate", "40000", {"--truncate = 40000: takes"});
    refused("--value", "30", {"--value = 30: goes with the border constant; this one is reflect"});
    refused("--sigma", "nan", {"sigma"});
    refused("--sigma", "1e30", {"sigma"});
    refused("--sigma", "2x", {"sigma", "2x"});
    refused("--border", "reflct", {"border", "reflct", "reflect"});
    EXPECT_EQ(files(), Words{"in.png"});
}

TEST_F(CommandLine, ARealImageDoesNotFitAPng) {
    NEEDS_OPERATOR("transpose");
    Array image(Type::f32, {8, 8});
    write_array(path("in.npy"), image);
    expect_refusal(2, {"transpose", path("in.npy"), path("out.png")}, {"f32", "PNG", ".npy"});
    EXPECT_EQ(files(), Words{"in.npy"});
}

TEST_F(CommandLine, BrokenInputsAreRefusedAndNothingIsOverwritten) {
    NEEDS_OPERATOR("invert");
    make_image("whole.png", 100, 100);
    const std::string whole = read_text(path("whole.png"));
    std::ofstream(path("truncated.png"), std::ios::binary) << whole.substr(0, whole.size() / 2);
    std::ofstream(path("empty.png")) << "";
    std::ofstream(path("text.png")) << "This is no image.\n";
    std::ofstream(path("out.png")) << "what was there before";
    for (const char *name : {"truncated.png", "empty.png", "text.png", "missing.png"}) {
        expect_refusal(3, {"invert", path(name), path("out.png")}, {name});
        EXPECT_EQ(read_text(path("out.png")), "what was there before");
    }
    expect_refusal(3, {"invert", folder_.path(), path("out.png")}, {folder_.path()});
    expect_refusal(3, {"invert", path("whole.png"), path("out.png"), "--max-side", "99"},
        {"whole.png", "99", "raise", "--max-side"});
    EXPECT_EQ(read_text(path("out.png")), "what was there before");
    EXPECT_EQ(files(), (Words{"empty.png", "out.png", "text.png", "truncated.png", "whole.png"}));
}

TEST_F(CommandLine, InputsOfTheWrongShapeAreRefused) {
    NEEDS_OPERATOR("column_sum");
    write_array(path("colour.npy"), Array(Type::i32, {10, 10, 3}));
    write_array(path("vector.npy"), Array(Type::f32, {10}));
    expect_refusal(3, {"column_sum", path("colour.npy"), path("out.npy")}, {"column_sum", "colour.npy"});
    expect_refusal(
        3, {"column_sum", path("vector.npy"), path("out.npy")}, {"column_sum", "vector.npy", "shape (1, n)"});
    EXPECT_EQ(files(), (Words{"colour.npy", "vector.npy"}));
}

TEST_F(CommandLine, MatricesThatDoNotFitAreRefused) {
    NEEDS_OPERATOR("matmul");
    write_array(path("a.npy"), Array(Type::f32, {4, 5}));
    write_array(path("b.npy"), Array(Type::f32, {6, 4}));
    expect_refusal(3, {"matmul", path("a.npy"), path("b.npy"), path("c.npy")}, {"matmul", "5", "6"});
    succeed({"matmul", path("b.npy"), path("a.npy"), path("c.npy")});
    EXPECT_EQ(read_array(path("c.npy")).shape(), (std::vector<int64_t>{6, 5}));
}

TEST_F(CommandLine, ACompressionIsOfPngAndTiff) {
    NEEDS_OPERATOR("invert");
    make_image("in.png");
    expect_refusal(2, {"invert", path("in.png"), path("out.png"), "--compression", "11"}, {"0 to 9"});
    expect_refusal(2, {"invert", path("in.png"), path("out.npy"), "--compression", "3"},
        {"out.npy", "no level of compression"});
    for (const char *level : {"0", "9"}) {
        succeed({"invert", path("in.png"), path(level) + ".png", "--compression", level});
    }
    EXPECT_GT(fs::file_size(path("0.png")), fs::file_size(path("9.png")));
    EXPECT_EQ(files(), (Words{"0.png", "9.png", "in.png"}));
}

TEST_F(CommandLine, ADeviceThatIsNotThereIsNamed) {
    NEEDS_OPERATOR("invert");
    make_image("in.png");
    for (const char *device : {"cuda:99", "opencl:99"}) {
        expect_refusal(4, {"invert", path("in.png"), path("out.png"), "--device", device}, {device, "cpu"});
        expect_refusal(4, {"verify", "--device", device}, {device});
        expect_refusal(4, {"bench", "--device", device}, {device});
    }
    EXPECT_EQ(files(), Words{"in.png"});
}

TEST_F(CommandLine, AMachineWithoutGpuAndOpenClWorks) {
    NEEDS_OPERATOR("invert");
    make_image("in.png");
    const Ran ran = succeed({"invert", path("in.png"), path("out.png"), "--stats"}, bare_machine);
    expect_has(ran.err, {"device      cpu"});
    for (const char *device : {"cuda", "opencl"}) {
        expect_refusal(
            4, {"invert", path("in.png"), path("out.png"), "--device", device}, {device}, bare_machine);
    }
    const json devices = run_json({"devices", "--json"}, bare_machine);
    EXPECT_EQ(devices["best"], "cpu");
    size_t usable = 0;
    for (const json &device : devices["devices"]) {
        usable += device["usable"].get<bool>();
    }
    EXPECT_EQ(usable, 1u);
    succeed({"doctor"}, bare_machine);
    succeed({"verify", "invert"}, bare_machine);
}

TEST_F(CommandLine, OutOfMemoryOnADevice) {
    NEEDS_OPERATOR("invert");
    NEEDS_DEVICE("opencl");
    make_image("in.png");
    expect_refusal(5, {"invert", path("in.png"), path("out.png"), "--device", "opencl"}, {"memory"},
        failing_driver("no-memory"));
    EXPECT_EQ(files(), Words{"in.png"});
}

TEST_F(CommandLine, OutOfMemoryOnTheHost) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "not run here: AddressSanitizer needs more addresses than the test leaves";
#endif
    NEEDS_OPERATOR("invert");
    // A file with a hole: 1.6 GB of zeros that take no place on the disk. Without --check the image would go
    // in bands where it is large for the machine.
    Array small(Type::u8, {1, 1});
    write_array(path("small.npy"), small);
    std::string header = read_text(path("small.npy"));
    header.resize(header.size() - 1);
    const size_t at = header.find("(1, 1)");
    ASSERT_NE(at, std::string::npos);
    const std::string shape = "(40000, 40000)";
    const size_t grown = shape.size() - 6;
    header.replace(at, 6, shape);
    header.erase(header.size() - 1 - grown, grown);  // of the padding
    std::ofstream(path("in.npy"), std::ios::binary) << header;
    fs::resize_file(path("in.npy"), header.size() + (uintmax_t)40000 * 40000);

    const std::string limited = "ulimit -v 1200000; exec \"$0\" invert \"$1\" \"$2\" --device cpu --check";
    const Ran ran = run_program("/bin/sh", {"-c", limited, TILEWRIGHT_APP, path("in.npy"), path("out.npy")},
        {.environment = bare_machine});
    EXPECT_EQ(ran.code, 5) << ran.err;
    EXPECT_EQ(ran.err.rfind("tilewright: error: ", 0), 0u) << ran.err;
    EXPECT_FALSE(fs::exists(path("out.npy")));
}

}  // namespace
}  // namespace tilewright
