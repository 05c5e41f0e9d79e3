// Every example that a reader may copy: those of each command's --help, and the commands of README.md,
// docs/*.md and the pages of its folders, but for reports. They are taken from the texts themselves, and run
// on a machine without a GPU and OpenCL, on small files of the names that they use.
// Long because reading examples, changing them for such a machine and making their files need each other.
#include "tests/support/arrays.h"
#include "tests/support/files.h"
#include "tests/support/process.h"
#include "tilewright/files.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

namespace tilewright {

namespace {

Words split(const std::string &text, char at) {
    Words words;
    std::istringstream stream(text);
    for (std::string word; std::getline(stream, word, at);) {
        words.push_back(word);
    }
    return words;
}

// ------------------------------------------------------------------------------------ the examples

// The words of a command as a shell reads them, up to a comment, a pipe or a redirection of its output.
Words words_of(const std::string &line) {
    Words words;
    std::string word;
    char quote = 0;
    bool is_word = false;
    for (const char c : line + " ") {
        if (quote != 0) {
            if (c == quote) {
                quote = 0;
            } else {
                word.push_back(c);
            }
        } else if (c == '"' || c == '\'') {
            quote = c;
            is_word = true;
        } else if (c == ' ') {
            if (is_word) {
                words.push_back(word);
            }
            word.clear();
            is_word = false;
        } else if (!is_word && (c == '#' || c == '|' || c == '>')) {
            break;
        } else {
            word.push_back(c);
            is_word = true;
        }
    }
    return words;
}

// The command of a line of code, without the program's name; nothing for other lines.
std::optional<std::string> command_in(const std::string &code) {
    static const std::regex form("^ *(?:\\$ )?(?:[a-z./]*/)?tilewright (.*)$");
    std::smatch found;
    return std::regex_match(code, found, form) ? std::optional(found[1].str()) : std::nullopt;
}

// `tilewright verify` in a sentence names a command, `tilewright COMMAND --help` is for the reader to fill
// in; `tilewright list transpose` is an example.
bool is_example(const std::string &inline_command) {
    const Words words = words_of(inline_command);
    const auto is_open = [](const std::string &word) { return std::regex_match(word, std::regex("[A-Z]+")); };
    return (words.size() > 1 || inline_command.starts_with("-")) &&
           std::none_of(words.begin(), words.end(), is_open);
}

Words examples_of_markdown(const std::string &text) {
    Words examples;
    bool fenced = false;
    for (const std::string &line : split(text, '\n')) {
        if (line.starts_with("```")) {
            fenced = !fenced;
        } else if (fenced || line.starts_with("    ")) {
            if (const auto command = command_in(line)) {
                examples.push_back(*command);
            }
        } else {
            static const std::regex form("`tilewright ([^`]*)`");
            for (std::sregex_iterator found(line.begin(), line.end(), form), end; found != end; ++found) {
                if (is_example((*found)[1])) {
                    examples.push_back((*found)[1]);
                }
            }
        }
    }
    return examples;
}

Words examples_of_help(const std::string &text) {
    Words examples;
    for (const std::string &line :
        split(text.substr(std::min(text.size(), text.rfind("Examples:\n"))), '\n')) {
        if (const auto command = command_in(line)) {
            examples.push_back(*command);
        }
    }
    return examples;
}

// Whether this build has all that the command names. A generator of the reader's own is not there
// (tests/laboratory/foreign_test.py runs such commands).
bool is_built(const std::string &command) {
    if (command.find("--generator ") != std::string::npos) {
        return false;
    }
    const Words built = split(TILEWRIGHT_BUILT_OPERATORS, ' '),
                targets = split(TILEWRIGHT_BUILT_TARGETS, ' ');
    for (const std::string &op : split(TILEWRIGHT_ALL_OPERATORS, ' ')) {
        if (std::find(built.begin(), built.end(), op) == built.end() &&
            command.find(op) != std::string::npos) {
            return false;
        }
    }
    for (const std::string target : {"cuda", "opencl"}) {
        if (std::find(targets.begin(), targets.end(), target) == targets.end() &&
            command.find("--target " + target) != std::string::npos) {
            return false;
        }
    }
    return true;
}

bool has(const Words &words, const std::string &word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

// `explore` for one point or one second. A bundle has a point of each variant, so that it is of few variants.
Words made_small_search(Words words) {
    words.insert(words.end(), {"--limit", ".02"});
    if (!has(words, "--budget") && !has(words, "--points")) {
        words.insert(words.end(), {"--points", "1"});
    }
    for (const Words &few : {Words{"--type", "u8"}, Words{"--schedule", "tuned"}}) {
        if (has(words, "--bundle") && !has(words, few[0])) {
            words.insert(words.end(), few.begin(), few.end());
        }
    }
    for (size_t i = 1; i < words.size(); i++) {
        const bool count = words[i - 1] == "--budget" || words[i - 1] == "--points";
        words[i] = count ? "1" : words[i - 1] == "--size" ? "256x256" : words[i];
    }
    return words;
}

// The same command for seconds instead of minutes: small images, few repeats, one operator where it would be
// all of them, one type where libraries are built.
Words made_small(Words words) {
    const std::string command = words.front();
    if (command == "explore") {
        return made_small_search(words);
    }
    if (command != "bench" && command != "verify") {
        return words;
    }
    const bool all_operators = words.size() == 1 || words[1].starts_with("-");
    const bool has_size = has(words, "--size");
    for (size_t i = 1; i < words.size(); i++) {
        if (words[i - 1] == "--size") {
            words[i] = std::regex_replace(words[i], std::regex("[0-9]+"), "64");
        }
        words[i] = words[i - 1] == "--random" ? "10" : words[i - 1] == "--seconds" ? "1" : words[i];
    }
    if (all_operators) {
        words.insert(words.begin() + 1, split(TILEWRIGHT_BUILT_OPERATORS, ' ').front());
    }
    if (command == "verify" && !has(words, "--largest")) {
        words.insert(words.end(), {"--largest", "100000"});
    }
    if (command == "bench") {
        if (const auto limit = std::find(words.begin(), words.end(), "--limit"); limit != words.end()) {
            words.erase(limit, limit + 2);
        }
        words.insert(words.end(), {"--batch", "1", "--repeats", "3", "--limit", "1"});
        if (has(words, "--tunable") && !has(words, "--type")) {
            words.insert(words.end(), {"--type", "u8"});
        }
        if (!has_size) {
            words.insert(words.end(), {"--size", "64"});
        }
    }
    return words;
}

// What `list` says of an operator.
const std::string &list_of(const std::string &op) {
    static std::map<std::string, std::string> known;
    const auto [at, is_new] = known.try_emplace(op);
    if (is_new) {
        at->second = run_program(TILEWRIGHT_APP, {"list", op}, {}).out;
    }
    return at->second;
}

// A command for a GPU's device, on the CPU. Most steps of docs/steps are for GPUs: the names of their
// schedules are looked up in the table of the operator, and `tuned` runs in their place. A bundle needs no
// device.
Words made_for_cpu(Words words) {
    const auto device = std::find(words.begin(), words.end(), "--device");
    if (has(words, "--bundle") || device == words.end() || (device[1] != "cuda" && device[1] != "opencl")) {
        return words;
    }
    device[1] = "cpu";
    if (const auto named = std::find(words.begin(), words.end(), "--schedule"); named != words.end()) {
        const bool is_call = has(split(TILEWRIGHT_BUILT_OPERATORS, ' '), words[0]);
        const std::string op = words[is_call ? 0 : 1];
        for (const std::string &schedule : split(named[1], ',')) {
            EXPECT_NE(list_of(op).find("\n" + schedule), std::string::npos) << op << ": " << schedule;
        }
        named[1] = "tuned";
    }
    if (const auto tunable = std::find(words.begin(), words.end(), "--tunable"); tunable != words.end()) {
        words.erase(tunable, tunable + 2);  // it is one of the step
    }
    return words;
}

// --------------------------------------------------------------------------------------- their run

class Examples : public testing::Test {
protected:
    // What `bench` writes, as far as `compare` and `report` need it.
    static constexpr const char *times = R"({"version": 2, "context": {"device_name": "a CPU"},
        "runs": [{"variant": "transpose/reference/u8/cpu", "operator": "transpose", "device": "cpu",
                  "data": "u8 64x64", "batch": {"median": 1, "p10": 0.9, "p90": 1.1}}]})";

    // The files that examples name as inputs. What is a photograph has colours; other images have none.
    void SetUp() override {
        setenv("TILEWRIGHT_MEASURED", folder_.file("measured").c_str(), 1);  // where `calibrate` writes
        const auto make = [&](const std::string &name, Type type, const std::vector<int64_t> &shape) {
            Array array(type, shape);
            memset(array.data(), 0, (size_t)(array.shape()[0] * array.strides()[0]) * size_of(type));
            write_array(folder_.file(name), array);
        };
        make("photo.png", Type::u8, {48, 64, 3});
        for (const char *name : {"grey.png", "scan.png", "slide.png", "in.png"}) {
            make(name, Type::u8, {64, 64});
        }
        make("batch.npy", Type::f32, {2, 3, 64, 64});
        make("field.npy", Type::c64, {64, 64});
        make("disc.npy", Type::u8, {64, 64});
        for (const char *name : {"a.npy", "b.npy"}) {
            make(name, Type::f32, {64, 64});
            make(std::string("vector_") + name, Type::f64, {600});
        }
        make("before.npy", Type::f64, {1000});
        // No shell makes several names of before*.json.
        for (const char *name : {"before.json", "after.json", "times.json", "more.json", "cuda.json",
                 "opencl.json", "points.jsonl", "before*.json", "after*.json"}) {
            std::ofstream(folder_.file(name)) << times;
        }
    }

    // Runs a program in the folder of the files.
    Ran run(const std::string &program, const Words &arguments) {
        return run_program(program, arguments, {.environment = bare_machine, .folder = folder_.path()});
    }

    // The words of an example as it is run here.
    Words words_to_run(const std::string &example) const {
        // The variant that docs/EXTENDING.md lets its reader write; here is one of the same targets.
        Words words = words_of(std::regex_replace(example, std::regex("\\bquads\\b"), "tuned"));
        if (words.front() == "min_plus_convolution") {  // a and b are vectors there, and matrices elsewhere
            for (std::string &word : words) {
                word = word == "a.npy" || word == "b.npy" ? "vector_" + word : word;
            }
        }
        return made_small(made_for_cpu(words));
    }

    Ran run_example(Words words) {
        std::string input;  // of `<FILE`
        std::erase_if(words, [&](const std::string &word) {
            input = word.starts_with('<') ? word : input;
            return word.starts_with('<');
        });
        if (input.empty()) {
            return run(TILEWRIGHT_APP, words);
        }
        words.insert(words.begin(), {"-c", "exec \"$0\" \"$@\" " + input, TILEWRIGHT_APP});
        return run("/bin/sh", words);
    }

    // Several pages show the same command, and many commands of docs/steps are the same on the CPU with small
    // images. Each runs once.
    void expect_success(const Words &examples, const std::string &where) {
        for (const std::string &example : examples) {
            if (!is_built(example)) {
                continue;
            }
            const Words words = words_to_run(example);
            if (ran_.insert(words).second) {
                const Ran ran = run_example(words);
                EXPECT_EQ(ran.code, 0) << where << ": tilewright " << example << "\n" << ran.err;
            }
        }
    }

    TestFolder folder_;
    std::set<Words> ran_;
};

TEST_F(Examples, OfEveryHelpRun) {
    const Ran help = run(TILEWRIGHT_APP, {"--help"});
    ASSERT_EQ(help.code, 0);
    const Words examples = examples_of_help(help.out);
    EXPECT_GE(examples.size(), 4u);
    expect_success(examples, "--help");

    Words commands = split(TILEWRIGHT_BUILT_OPERATORS, ' ');
    commands.insert(commands.end(),
        {"help", "devices", "list", "doctor", "pipeline", "show", "explain", "verify", "bench", "explore"});
    for (const std::string &command : commands) {
        const Ran of_help = run(TILEWRIGHT_APP, {command, "--help"});
        ASSERT_EQ(of_help.code, 0) << command;
        const Words of_command = examples_of_help(of_help.out);
        EXPECT_GE(of_command.size(), 2u) << command;
        expect_success(of_command, command + " --help");
    }
}

TEST_F(Examples, OfTheDocumentsRun) {
    Words files = {TILEWRIGHT_SOURCE "/README.md"};
    for (const auto &file : std::filesystem::recursive_directory_iterator(TILEWRIGHT_SOURCE "/docs")) {
        // The commands of reports are for files of many runs.
        if (file.path().extension() == ".md" && file.path().parent_path().filename() != "reports") {
            files.push_back(file.path());
        }
    }
    size_t found = 0;
    for (const std::string &file : files) {
        const Words examples = examples_of_markdown(read_text(file));
        found += examples.size();
        expect_success(examples, file);
    }
    EXPECT_GE(found, 18u);
}

// What finds the examples must not miss any, or take other words for one.
TEST(ExamplesOfMarkdown, AreLinesOfCodeAndCompleteCommandsInSentences) {
    const Words found = examples_of_markdown(
        "Words about tilewright and `tilewright verify`, `tilewright OP --help`, `tilewright list invert`.\n"
        "\n"
        "    tilewright transpose a.png b.png   # turned\n"
        "    $ build/apps/tilewright/tilewright devices --json | jq .\n"
        "    tilewright: error: no such thing\n"
        "```sh\n"
        "tilewright pipeline \"transpose | invert\" a.png b.png > c\n"
        "```\n");
    ASSERT_EQ(found.size(), 4u);
    EXPECT_EQ(words_of(found[0]), (Words{"list", "invert"}));
    EXPECT_EQ(words_of(found[1]), (Words{"transpose", "a.png", "b.png"}));
    EXPECT_EQ(words_of(found[2]), (Words{"devices", "--json"}));
    EXPECT_EQ(words_of(found[3]), (Words{"pipeline", "transpose | invert", "a.png", "b.png"}));
}

// What `./dev demo` runs.
TEST(Demonstration, RunsEveryOperatorAndAPipeline) {
    const std::string demo = read_text(TILEWRIGHT_SOURCE "/apps/demo.sh");
    Words shown = split(TILEWRIGHT_ALL_OPERATORS, ' ');
    shown.emplace_back("pipeline");
    for (const std::string &name : shown) {
        EXPECT_NE(demo.find("\" " + name + " \""), std::string::npos) << name;
    }
}

#ifdef TILEWRIGHT_README_EXAMPLE
// The programs blur as the command line does: the one of docs/CPP.md whatever channels the photograph has,
// and the short one of README.md where there is no alpha.
TEST_F(Examples, TheProgramsOfTheDocumentsBlurLikeTheCommandLine) {
    struct Kind {
        Type type;
        std::vector<int64_t> shape;
    };
    for (const auto &[type, shape] : std::vector<Kind>{{Type::u8, {40, 50}}, {Type::u16, {40, 50, 2}},
             {Type::u8, {40, 50, 3}}, {Type::u8, {40, 50, 4}}}) {
        const Array photo = random_array(type, shape);
        write_array(folder_.file("photo.png"), photo);
        const Ran expected =
            run(TILEWRIGHT_APP, {"gaussian_blur", "photo.png", "expected.png", "--sigma", "3"});
        ASSERT_EQ(expected.code, 0) << expected.err;
        Words programs = {TILEWRIGHT_CPP_EXAMPLE};
        if (shape.size() == 2 || shape[2] == 3) {
            programs.emplace_back(TILEWRIGHT_README_EXAMPLE);
        }
        for (const std::string &program : programs) {
            const Ran soft = run(program, {});
            ASSERT_EQ(soft.code, 0) << program << ": " << soft.err;
            EXPECT_EQ(read_bytes(folder_.file("soft.png")), read_bytes(folder_.file("expected.png")))
                << program << ": " << photo.describe();
            std::filesystem::remove(folder_.file("soft.png"));
        }
    }
    std::filesystem::remove(folder_.file("photo.png"));
    EXPECT_EQ(run(TILEWRIGHT_CPP_EXAMPLE, {}).code, 3);
}
#endif

}  // namespace

}  // namespace tilewright
