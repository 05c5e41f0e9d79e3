// The command line as a user meets it: the built program is run, and its exit code, streams and files are looked at.
#include "tilewright/files.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <pty.h>
#include <regex>
#include <csignal>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using nlohmann::json;
using tilewright::Array;
using tilewright::Type;
using Words = std::vector<std::string>;

struct Ran {
    int code = -1;
    std::string out, err;
};

std::string contents(const fs::path &path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

// A program that was started, with its streams going to files.
class Process {
public:
    Process(const fs::path &folder, const std::string &program, const Words &arguments, const Words &environment, const std::string &out = "") {
        static int count = 0;
        const std::string number = std::to_string(count++);
        out_ = out.empty() ? folder / (".out" + number) : fs::path(out);
        err_ = folder / (".err" + number);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&actions, 1, out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        posix_spawn_file_actions_addopen(&actions, 2, err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        Words argument_words = {program};
        argument_words.insert(argument_words.end(), arguments.begin(), arguments.end());
        // The given variables come first, and so win over older values.
        Words environment_words = environment;
        for (char **v = environ; *v; v++) {
            environment_words.emplace_back(*v);
        }
        std::vector<char *> argv = pointers(argument_words), envp = pointers(environment_words);
        const int fault = posix_spawn(&id_, program.c_str(), &actions, nullptr, argv.data(), envp.data());
        posix_spawn_file_actions_destroy(&actions);
        EXPECT_EQ(fault, 0) << program << ": " << strerror(fault);
    }

    pid_t id() const {
        return id_;
    }

    Ran wait() {
        int status = 0;
        waitpid(id_, &status, 0);
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), fs::is_regular_file(out_) ? contents(out_) : "", contents(err_)};
    }

private:
    static std::vector<char *> pointers(Words &words) {
        std::vector<char *> all;
        for (std::string &word : words) {
            all.push_back(word.data());
        }
        all.push_back(nullptr);
        return all;
    }

    pid_t id_ = 0;
    fs::path out_, err_;
};

// OpenCL's library is one that fails (tests/runtime/drivers/failing_driver.cpp).
Words failing_driver(const std::string &how) {
    const char *path = getenv("LD_LIBRARY_PATH");
    return {std::string("LD_LIBRARY_PATH=" TILEWRIGHT_FAILING_OPENCL) + (path ? std::string(":") + path : ""), "FAILING_DRIVER=" + how};
}

class CommandLine : public testing::Test {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "tilewright-test-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override {
        fs::remove_all(folder_);
    }

    std::string path(const std::string &name) const {
        return (folder_ / name).string();
    }

    Ran run(const Words &arguments, const Words &environment = {}) const {
        return Process(folder_, TILEWRIGHT_APP, arguments, environment).wait();
    }

    json run_json(const Words &arguments, const Words &environment = {}) const {
        const Ran ran = run(arguments, environment);
        EXPECT_EQ(ran.code, 0) << ran.err;
        const json parsed = json::parse(ran.out, nullptr, false);
        EXPECT_FALSE(parsed.is_discarded()) << ran.out;
        EXPECT_EQ(parsed.value("version", 0), 1);
        return parsed;
    }

    // Runs what must fail: with this exit code, nothing on standard output, and one line on standard error that has all of
    // the words in it.
    void expect_refusal(int code, const Words &arguments, const Words &words, const Words &environment = {}) const {
        const Ran ran = run(arguments, environment);
        EXPECT_EQ(ran.code, code) << ran.err;
        EXPECT_EQ(ran.out, "");
        EXPECT_EQ(ran.err.rfind("tilewright: error: ", 0), 0u) << ran.err;
        EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
        for (const std::string &word : words) {
            EXPECT_NE(ran.err.find(word), std::string::npos) << "no '" << word << "' in: " << ran.err;
        }
    }

    // Files of the test's folder, without the ones that hold streams.
    Words files() const {
        Words names;
        for (const auto &file : fs::directory_iterator(folder_)) {
            const std::string name = file.path().filename();
            if (name.rfind(".out", 0) != 0 && name.rfind(".err", 0) != 0) {
                names.push_back(name);
            }
        }
        std::sort(names.begin(), names.end());
        return names;
    }

    // A grey image with different pixels, as a PNG.
    Array make_image(const std::string &name, int64_t h = 37, int64_t w = 53, const tilewright::PngMetadata &metadata = {}) const {
        Array image(Type::u8, {h, w});
        for (int64_t y = 0; y < h; y++) {
            for (int64_t x = 0; x < w; x++) {
                image.as<uint8_t>()[y * image.strides()[0] + x] = (uint8_t)(y * 7 + x * 3 + x * y);
            }
        }
        tilewright::write_array(path(name), image, metadata);
        return image;
    }

    Words operators() const {
        Words names;
        const json all = run_json({"list", "--json"});
        for (const json &op : all["operators"]) {
            names.push_back(op["operator"]);
        }
        return names;
    }

    bool has_operator(const std::string &name) const {
        const Words names = operators();
        return std::find(names.begin(), names.end(), name) != names.end();
    }

    bool has_device(const std::string &backend) const {
        const json all = run_json({"devices", "--json"});
        for (const json &device : all["devices"]) {
            if (device["usable"] && device["device"].get<std::string>().rfind(backend, 0) == 0) {
                return true;
            }
        }
        return false;
    }

    fs::path folder_;
};

// A machine with neither a GPU nor OpenCL, as far as the drivers can tell.
const Words bare_machine = {"CUDA_VISIBLE_DEVICES=-1", "OCL_ICD_VENDORS=/nonexistent"};

#define NEEDS_OPERATOR(name)                                           \
    if (!has_operator(name)) {                                         \
        GTEST_SKIP() << "this build has no operator " << (name);       \
    }

#define NEEDS_DEVICE(backend)                                          \
    if (!has_device(backend)) {                                        \
        GTEST_SKIP() << "not run here: no usable " << (backend) << " device"; \
    }

// ------------------------------------------------------------------------------------------------------------ help, version

TEST_F(CommandLine, HelpOfTheProgramNamesEveryCommand) {
    const Ran ran = run({"--help"});
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.err, "");
    Words commands = operators();
    commands.insert(commands.end(), {"devices", "list", "doctor", "pipeline", "show", "verify", "bench", "Examples:"});
    for (const std::string &command : commands) {
        EXPECT_NE(ran.out.find(command), std::string::npos) << command;
    }
}

TEST_F(CommandLine, HelpOfEveryCommandHasExamples) {
    Words commands = operators();
    ASSERT_FALSE(commands.empty());
    commands.insert(commands.end(), {"devices", "list", "doctor", "pipeline", "show", "verify", "bench"});
    for (const std::string &command : commands) {
        const Ran ran = run({command, "--help"});
        EXPECT_EQ(ran.code, 0) << command;
        EXPECT_EQ(ran.err, "") << command;
        EXPECT_NE(ran.out.find("Usage: tilewright " + command), std::string::npos) << ran.out;
        EXPECT_NE(ran.out.find("Examples:\n  tilewright " + command), std::string::npos) << ran.out;
    }
}

TEST_F(CommandLine, HelpSaysWhatAnOperatorTakes) {
    const auto expect = [&](const std::string &op, const Words &words, const std::string &not_there) {
        if (!has_operator(op)) {
            return;
        }
        const std::string help = run({op, "--help"}).out;
        for (const std::string &word : words) {
            EXPECT_NE(help.find(word), std::string::npos) << "no '" << word << "' in\n" << help;
        }
        EXPECT_EQ(help.find(not_there), std::string::npos) << "'" << not_there << "' in\n" << help;
    };
    expect("gaussian_blur", {"A PNG or .npy file: u8, u16, f32 of shape (h, w), (h, w, 2), (h, w, 3), (h, w, 4)", ".png or .npy", " photo.png out.png"}, " out.npy");
    expect("column_sum", {"A PNG without colours and alpha, or an .npy file: u8, u16, f32 of shape (h, w)\n", "write: .npy", " grey.png out.npy"}, "photo.png");
    expect("fft2d", {"An .npy file: f32, c64 of shape (h, w)\n", "write: .npy", " field.npy out.npy"}, ".png");
    expect("matmul", {"An .npy file: f32 of shape (h, w)\n", " a.npy b.npy out.npy"}, ".png");
    expect("min_plus_convolution", {"An .npy file: i32, f32, f64 of shape (n)\n", " a.npy b.npy out.npy"}, ".png");
    expect("fresnel", {"A PNG without colours and alpha, or an .npy file: u8, u16, f32, c64", ".png or .npy", " grey.png out.png"}, "photo.png");
}

TEST_F(CommandLine, VersionNamesHalideLlvmAndTheDevices) {
    const Ran ran = run({"--version"});
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.err, "");
    EXPECT_TRUE(std::regex_search(ran.out, std::regex("^tilewright [0-9]+\\.[0-9]+"))) << ran.out;
    EXPECT_TRUE(std::regex_search(ran.out, std::regex("\nHalide [0-9]+\\.[0-9]+\\.[0-9]+\n"))) << ran.out;
    EXPECT_TRUE(std::regex_search(ran.out, std::regex("\nLLVM [0-9]+\\.[0-9]+"))) << ran.out;
    EXPECT_NE(ran.out.find("\ncpu: "), std::string::npos) << ran.out;
}

// ------------------------------------------------------------------------------------------------------------ devices, list

TEST_F(CommandLine, DevicesBeginWithTheCpuAndSayWhyOneCannotBeUsed) {
    const json devices = run_json({"devices", "--json"})["devices"];
    ASSERT_FALSE(devices.empty());
    EXPECT_EQ(devices[0]["device"], "cpu");
    EXPECT_TRUE(devices[0]["usable"]);
    EXPECT_GT(devices[0]["memory"].get<uint64_t>(), 0u);
    for (const json &device : devices) {
        EXPECT_NE(device["usable"].get<bool>(), !device["why_not"].get<std::string>().empty()) << device;
    }
    const Ran text = run({"devices"});
    EXPECT_EQ(text.code, 0);
    EXPECT_EQ(text.err, "");
    for (const json &device : devices) {
        EXPECT_NE(text.out.find(device["device"].get<std::string>()), std::string::npos) << text.out;
    }
}

TEST_F(CommandLine, ListShowsEveryRowAndEveryReason) {
    const json all = run_json({"list", "--json"})["operators"];
    ASSERT_FALSE(all.empty());
    const Ran text = run({"list"});
    EXPECT_EQ(text.code, 0);
    size_t rows = 0;
    for (const json &op : all) {
        ASSERT_FALSE(op["rows"].empty()) << op["operator"];
        for (const json &row : op["rows"]) {
            rows++;
            EXPECT_EQ(row["operator"], op["operator"]);
            for (const char *key : {"schedule", "type", "backend", "form"}) {
                EXPECT_NE(row[key].get<std::string>(), "") << row;
            }
            const std::string declined = row["declined"];
            EXPECT_TRUE(declined.empty() || text.out.find(declined) != std::string::npos) << declined;
        }
    }
    EXPECT_EQ((size_t)std::count(text.out.begin(), text.out.end(), '\n'), rows + 1);

    const std::string first = all[0]["operator"];
    const json one = run_json({"list", first, "--json"})["operators"];
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0], all[0]);
}

// ------------------------------------------------------------------------------------------------------------------- doctor

TEST_F(CommandLine, DoctorIsContentHere) {
    const json report = run_json({"doctor", "--json"});
    EXPECT_TRUE(report["healthy"]);
    ASSERT_FALSE(report["checks"].empty());
    bool ran_on_cpu = false;
    for (const json &check : report["checks"]) {
        EXPECT_NE(check["health"], "FAIL") << check;
        EXPECT_TRUE(check["health"] == "ok" || check["advice"] != "") << check;
        ran_on_cpu |= check["check"] == "cpu" && check["found"].get<std::string>().find("verified") != std::string::npos;
    }
    EXPECT_TRUE(ran_on_cpu);
}

TEST_F(CommandLine, DoctorSaysWhatDoesNotWork) {
    const Ran ran = run({"doctor"}, {"TMPDIR=/nonexistent"});
    EXPECT_EQ(ran.code, 1);
    EXPECT_NE(ran.out.find("FAIL  temporary files"), std::string::npos) << ran.out;
    EXPECT_EQ(ran.err.rfind("tilewright: error: not in order: temporary files", 0), 0u) << ran.err;
}

TEST_F(CommandLine, DoctorFindsADeviceThatComputesWrongly) {
    NEEDS_DEVICE("opencl");
    const Ran ran = run({"doctor"}, failing_driver("drop-launches"));
    EXPECT_EQ(ran.code, 1);
    EXPECT_NE(ran.out.find("FAIL  opencl:"), std::string::npos) << ran.out;
}

// ---------------------------------------------------------------------------------------------------------------- operators

TEST_F(CommandLine, InvertsAnImage) {
    NEEDS_OPERATOR("invert");
    const Array image = make_image("in.png");
    const Ran ran = run({"invert", path("in.png"), path("out.png")});
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(ran.err, "");
    const Array result = tilewright::read_array(path("out.png"));
    ASSERT_EQ(result.shape(), image.shape());
    for (int64_t y = 0; y < image.shape()[0]; y++) {
        for (int64_t x = 0; x < image.shape()[1]; x++) {
            ASSERT_EQ(result.at<uint8_t>({y, x}), 255 - image.at<uint8_t>({y, x})) << x << ", " << y;
        }
    }
    EXPECT_EQ(files(), (Words{"in.png", "out.png"}));
}

TEST_F(CommandLine, StatisticsGoToStandardError) {
    NEEDS_OPERATOR("invert");
    make_image("in.png");
    const Ran ran = run({"invert", path("in.png"), path("out.npy"), "--device", "cpu", "--schedule", "reference", "--stats"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.out, "");
    for (const char *word : {"invert/reference/u8/cpu", "device", "total", "kernels", "copies", " ms"}) {
        EXPECT_NE(ran.err.find(word), std::string::npos) << word << " in " << ran.err;
    }
}

TEST_F(CommandLine, StatisticsCountKernelsAndCopies) {
    NEEDS_OPERATOR("invert");
    NEEDS_DEVICE("opencl");
    make_image("in.png", 64, 64);
    const Ran ran = run({"invert", path("in.png"), path("out.npy"), "--device", "opencl", "--stats"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_NE(ran.err.find("kernels     1 launched"), std::string::npos) << ran.err;
    EXPECT_TRUE(std::regex_search(ran.err, std::regex("copies +[1-9][0-9]* to the device .*, [1-9][0-9]* to the host"))) << ran.err;
    EXPECT_TRUE(std::regex_search(ran.err, std::regex("first call +[1-9][0-9]* modules?"))) << ran.err;
}

TEST_F(CommandLine, MetadataCarriesOver) {
    NEEDS_OPERATOR("invert");
    tilewright::PngMetadata metadata;
    metadata.gamma = .45455;
    metadata.density = tilewright::PngMetadata::Density{2835, 2835, true};
    make_image("in.png", 20, 30, metadata);
    ASSERT_EQ(run({"invert", path("in.png"), path("out.png")}).code, 0);
    tilewright::PngMetadata read;
    tilewright::read_array(path("out.png"), &read);
    ASSERT_TRUE(read.gamma && read.density);
    EXPECT_NEAR(*read.gamma, .45455, 1e-5);
    EXPECT_EQ(read.density->x, 2835u);
}

TEST_F(CommandLine, EveryRowOfAnOperatorCanBeChosenByName) {
    NEEDS_OPERATOR("transpose");
    const Array image = make_image("in.png", 128, 256);
    size_t chosen = 0;
    const json all = run_json({"list", "transpose", "--json"});
    for (const json &row : all["operators"][0]["rows"]) {
        if (row["backend"] != "cpu" || row["type"] != "u8" || row["declined"] != "" || row["needs_vnni"]) {
            continue;
        }
        const Ran ran = run({"transpose", path("in.png"), path("out.npy"), "--device", "cpu", "--schedule", row["schedule"]});
        ASSERT_EQ(ran.code, 0) << ran.err;
        const Array result = tilewright::read_array(path("out.npy"));
        ASSERT_EQ(result.shape(), (std::vector<int64_t>{256, 128}));
        for (int64_t y = 0; y < 128; y++) {
            for (int64_t x = 0; x < 256; x++) {
                ASSERT_EQ(result.at<uint8_t>({x, y}), image.at<uint8_t>({y, x})) << row;
            }
        }
        chosen++;
    }
    EXPECT_GE(chosen, 2u);
}

// A white, half transparent image with arbitrary colours where nothing shows: they must not bleed into the visible part.
TEST_F(CommandLine, BlursWorkOnPremultipliedAlpha) {
    NEEDS_OPERATOR("gaussian_blur");
    Array image(Type::u8, {40, 40, 4});
    for (int64_t y = 0; y < 40; y++) {
        for (int64_t x = 0; x < 40; x++) {
            uint8_t *pixel = image.as<uint8_t>() + y * image.strides()[0] + x * 4;
            const bool visible = x < 20;
            pixel[0] = pixel[1] = pixel[2] = visible ? 255 : 0;
            pixel[3] = visible ? 255 : 0;
        }
    }
    tilewright::write_array(path("in.png"), image);
    const Ran ran = run({"gaussian_blur", path("in.png"), path("out.png"), "--sigma", "2"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    const Array result = tilewright::read_array(path("out.png"));
    ASSERT_EQ(result.shape(), image.shape());
    const int alpha = result.at<uint8_t>({20, 20, 3});
    EXPECT_GT(alpha, 20);
    EXPECT_LT(alpha, 235);
    EXPECT_GE(result.at<uint8_t>({20, 20, 0}), 250);  // without premultiplication it would be as dark as alpha
}

TEST_F(CommandLine, GreyWithAlphaStaysGreyWithAlpha) {
    NEEDS_OPERATOR("gaussian_blur");
    Array image(Type::u8, {24, 24, 2});
    memset(image.data(), 255, (size_t)(image.shape()[0] * image.strides()[0]));
    tilewright::write_array(path("in.png"), image);
    const Ran ran = run({"gaussian_blur", path("in.png"), path("out.png"), "--sigma", "1"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    const Array result = tilewright::read_array(path("out.png"));
    ASSERT_EQ(result.shape(), image.shape());
    EXPECT_EQ(result.at<uint8_t>({12, 12, 0}), 255);
    EXPECT_EQ(result.at<uint8_t>({12, 12, 1}), 255);
}

// ------------------------------------------------------------------------------------------------------------------ fresnel

// Green light on 10 um pixels.
Words fresnel(const std::string &in, const std::string &out, const std::string &distance, const Words &more = {}) {
    Words words = {"fresnel", in, out, "--wavelength", "532nm", "--pitch", "10um", "--distance", distance};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

TEST_F(CommandLine, LightGoesThereAndBack) {
    NEEDS_OPERATOR("fresnel");
    const Array image = make_image("in.png", 64, 64);
    const Ran there = run(fresnel(path("in.png"), path("field.npy"), "5mm", {"--check"}));
    ASSERT_EQ(there.code, 0) << there.err;
    EXPECT_EQ(there.err, "verified    against the plain definition\n");
    ASSERT_EQ(tilewright::read_array(path("field.npy")).type(), Type::c64);
    ASSERT_EQ(run(fresnel(path("field.npy"), path("back.npy"), "-5mm", {"--output-type", "f32"})).code, 0);
    ASSERT_EQ(run(fresnel(path("field.npy"), path("back.png"), "-5mm", {"--scale", "1"})).code, 0);
    const Array intensity = tilewright::read_array(path("back.npy")), picture = tilewright::read_array(path("back.png"));
    ASSERT_EQ(intensity.type(), Type::f32);
    ASSERT_EQ(picture.type(), Type::u8);
    for (int64_t y = 0; y < 64; y++) {
        for (int64_t x = 0; x < 64; x++) {
            const double amplitude = image.at<uint8_t>({y, x}) / 255.0;
            ASSERT_NEAR(intensity.at<float>({y, x}), amplitude * amplitude, 1e-4) << x << ", " << y;
            ASSERT_NEAR(picture.at<uint8_t>({y, x}), 255 * amplitude * amplitude, .6) << x << ", " << y;
        }
    }
}

TEST_F(CommandLine, LengthsTakeSuffixes) {
    NEEDS_OPERATOR("fresnel");
    make_image("in.png", 32, 32);
    const auto result = [&](const std::string &wavelength, const std::string &distance, const std::string &pitch) {
        const Ran ran = run({"fresnel", path("in.png"), path("out.npy"), "--wavelength", wavelength, "--distance", distance, "--pitch", pitch});
        EXPECT_EQ(ran.code, 0) << ran.err;
        return contents(path("out.npy"));
    };
    const std::string expected = result("532nm", "2.5mm", "10um");
    EXPECT_EQ(result("532000pm", "0.25cm", "0.01mm"), expected);
    EXPECT_EQ(result("532e-9", "0.0025", "1e-5m"), expected);
    EXPECT_EQ(result("532nm", "2500\u00b5m", "10\u03bcm"), expected);
    EXPECT_NE(result("532nm", "2.6mm", "10um"), expected);
    EXPECT_NE(result("532nm", "-2.5mm", "10um"), expected);
}

TEST_F(CommandLine, PicturesOfLightKeepTheirDepth) {
    NEEDS_OPERATOR("fresnel");
    make_image("in.png", 32, 32);
    Array deep(Type::u16, {32, 32});
    for (int64_t i = 0; i < 32; i++) {
        deep.as<uint16_t>()[i * deep.strides()[0] + i] = (uint16_t)(2000 * i);
    }
    tilewright::write_array(path("deep.png"), deep);
    const auto type = [&](const std::string &in, const std::string &out, const Words &more = {}) {
        const Ran ran = run(fresnel(path(in), path(out), "2mm", more));
        EXPECT_EQ(ran.code, 0) << ran.err;
        return tilewright::read_array(path(out)).type();
    };
    EXPECT_EQ(type("in.png", "out.png"), Type::u8);
    EXPECT_EQ(type("deep.png", "out.png"), Type::u16);
    EXPECT_EQ(type("in.png", "out.png", {"--output-type", "u16"}), Type::u16);
    EXPECT_EQ(type("in.png", "out.npy", {"--phase", path("deep.png")}), Type::c64);
    EXPECT_EQ(type("in.png", "out.npy", {"--output-type", "u8"}), Type::u8);
    expect_refusal(2, fresnel(path("in.png"), path("out.png"), "2mm", {"--output-type", "c64"}), {"c64 (32, 32)", "write .npy"});
}

TEST_F(CommandLine, LightThatAliasesIsWarnedOf) {
    NEEDS_OPERATOR("fresnel");
    make_image("in.png", 64, 64);
    const Ran warned = run(fresnel(path("in.png"), path("out.png"), "5cm", {"--method", "convolution", "--stats"}));
    ASSERT_EQ(warned.code, 0) << warned.err;
    EXPECT_EQ(warned.out, "");
    for (const char *words : {"tilewright: warning: fresnel: convolution aliases: ", "the critical distance N p^2 / wavelength is 1.203 cm", "take --method transform\n",
                              "\nmethod      convolution\n", "\nsampling    the critical", "\npitch       10 um in, 10 um out\n"}) {
        EXPECT_NE(warned.err.find(words), std::string::npos) << words << " in " << warned.err;
    }
    const Ran fitting = run(fresnel(path("in.png"), path("out.png"), "5cm"));
    ASSERT_EQ(fitting.code, 0) << fitting.err;
    EXPECT_EQ(fitting.err, "");
}

TEST_F(CommandLine, LightThatCannotGoIsRefused) {
    NEEDS_OPERATOR("fresnel");
    make_image("in.png", 64, 64);
    make_image("wide.png", 64, 128);
    make_image("odd.png", 100, 100);
    Array colours(Type::u8, {64, 64, 3});
    tilewright::write_array(path("colours.png"), colours);
    const std::string in = path("in.png"), out = path("out.png");
    expect_refusal(2, {"fresnel", in, out, "--wavelength", "532nm", "--pitch", "10um"}, {"distance", "is needed", "25cm"});
    expect_refusal(2, fresnel(in, out, "5 parsec"), {"--distance", "5 parsec", "km, m, cm, mm, um, nm or pm"});
    expect_refusal(2, fresnel(in, out, "far"), {"--distance", "far", "length"});
    expect_refusal(2, {"fresnel", in, out, "--wavelength", "532", "--pitch", "10um", "--distance", "5mm"}, {"wavelength = 532 m", "from 1pm to 1m"});
    expect_refusal(2, fresnel(in, out, "5mm", {"--method", "convolve"}), {"--method", "convolution"});
    expect_refusal(2, fresnel(in, out, "5mm", {"--scale", "bright"}), {"scale", "auto"});
    expect_refusal(3, fresnel(path("wide.png"), out, "5mm"), {"square", "(64, 128)", "wide.png"});
    expect_refusal(3, fresnel(path("odd.png"), out, "5mm"), {"power of two", "--pad", "odd.png"});
    expect_refusal(3, fresnel(path("colours.png"), out, "5mm"), {"grey", "colours.png"});
    EXPECT_EQ(run(fresnel(path("odd.png"), out, "5mm", {"--pad"})).code, 0);
    EXPECT_EQ(tilewright::read_array(out).shape(), (std::vector<int64_t>{100, 100}));
}

// ---------------------------------------------------------------------------------------------------------------- pipelines

TEST_F(CommandLine, APipelineIsItsOperatorsOneByOne) {
    NEEDS_OPERATOR("gaussian_blur");
    NEEDS_OPERATOR("transpose");
    NEEDS_OPERATOR("column_sum");
    make_image("in.png", 60, 90);
    for (const std::string device : {"cpu", "opencl"}) {
        if (!has_device(device)) {
            continue;
        }
        const Words where = {"--device", device};
        const auto on_device = [&](Words words) {
            words.insert(words.end(), where.begin(), where.end());
            const Ran ran = run(words);
            EXPECT_EQ(ran.code, 0) << ran.err;
        };
        on_device({"gaussian_blur", path("in.png"), path("blurred.png"), "--sigma", "2", "--border", "mirror"});
        on_device({"transpose", path("blurred.png"), path("turned.png")});
        on_device({"column_sum", path("turned.png"), path("expected.npy"), "--output-type", "f32"});
        on_device({"pipeline", "gaussian_blur sigma=2 border=mirror | transpose | column_sum output-type=f32", path("in.png"), path("out.npy"), "--check"});
        EXPECT_EQ(contents(path("out.npy")), contents(path("expected.npy"))) << device;
    }
}

TEST_F(CommandLine, APipelineCopiesOnceToTheDeviceAndOnceBack) {
    NEEDS_OPERATOR("transpose");
    NEEDS_OPERATOR("invert");
    NEEDS_DEVICE("opencl");
    make_image("in.png", 64, 96);
    const Ran ran = run({"pipeline", "transpose | invert | transpose schedule=tuned", path("in.png"), path("out.png"), "--device", "opencl", "--stats"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.out, "");
    EXPECT_TRUE(std::regex_search(ran.err, std::regex("stage 1 +transpose/tuned[a-z_]*/u8/opencl, .*copies 1 to the device .*, 0 to the host"))) << ran.err;
    EXPECT_TRUE(std::regex_search(ran.err, std::regex("stage 2 +invert/tuned[a-z_]*/u8/opencl, .*copies 0 to the device .*, 0 to the host"))) << ran.err;
    EXPECT_TRUE(std::regex_search(ran.err, std::regex("stage 3 +transpose/tuned[a-z_]*/u8/opencl, .*copies 0 to the device .*, 0 to the host"))) << ran.err;
    EXPECT_TRUE(std::regex_search(ran.err, std::regex("\ncopies +1 to the device \\([^)]*\\), 1 to the host"))) << ran.err;
}

TEST_F(CommandLine, APipelineIsCheckedBeforeAnythingIsComputed) {
    NEEDS_OPERATOR("transpose");
    NEEDS_OPERATOR("column_sum");
    make_image("in.png");
    const std::string in = path("in.png"), out = path("out.npy");
    expect_refusal(2, {"pipeline", "transpose | colum_sum", in, out}, {"stage 2 of 2", "'colum_sum'", "did you mean 'column_sum'"});
    expect_refusal(2, {"pipeline", "column_sum outputtype=f32", in, out}, {"stage 1 of 1", "did you mean 'output-type'"});
    expect_refusal(2, {"pipeline", "column_sum output-type=f23", in, out}, {"output-type = f23", "did you mean 'f32'"});
    expect_refusal(2, {"pipeline", "transpose", in}, {"files"});
    expect_refusal(2, {"pipeline", "transpose", in, in, out}, {"inputs = 2", "takes 1 input"});
    expect_refusal(2, {"pipeline", "transpose", in, in}, {"in.png", "input"});
    expect_refusal(2, {"pipeline", "transpose", in, path("out.jpeg")}, {"out.jpeg"});
    expect_refusal(2, {"pipeline", "transpose", in, out, "--schedule", "paded"}, {"stage 1 of 1", "no such schedule", "tuned"});
    expect_refusal(2, {"pipeline", "transpose | column_sum", in, path("out.png")}, {"u32 (37)", "PNG", ".npy"});
    expect_refusal(3, {"pipeline", "transpose | column_sum | transpose", in, out}, {"stage 3 of 3", "u32 (37)", "in.png is u8 (37, 53)"});
    EXPECT_EQ(files(), Words{"in.png"});
}

TEST_F(CommandLine, PipelinesKeepAlphaAndMetadata) {
    NEEDS_OPERATOR("gaussian_blur");
    NEEDS_OPERATOR("transpose");
    Array image(Type::u8, {24, 40, 4});
    for (int64_t i = 0; i < 24; i++) {
        for (int64_t j = 0; j < 40 * 4; j++) {
            image.as<uint8_t>()[i * image.strides()[0] + j] = (uint8_t)(i * 91 + j * 57 + i * j);
        }
    }
    tilewright::PngMetadata metadata;
    metadata.gamma = .45455;
    tilewright::write_array(path("in.png"), image, metadata);
    ASSERT_EQ(run({"gaussian_blur", path("in.png"), path("blurred.png"), "--sigma", "2"}).code, 0);
    ASSERT_EQ(run({"transpose", path("blurred.png"), path("expected.png")}).code, 0);
    const Ran ran = run({"pipeline", "gaussian_blur sigma=2 | transpose", path("in.png"), path("out.png"), "--check"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(contents(path("out.png")), contents(path("expected.png")));
}

// --------------------------------------------------------------------------------------------------------------------- show

TEST_F(CommandLine, ShowPrintsWhatIsInALibrary) {
    NEEDS_OPERATOR("transpose");
    const json rows = run_json({"list", "transpose", "--json"})["operators"][0]["rows"];
    const auto is_built = [&](const std::string &backend) {
        return std::any_of(rows.begin(), rows.end(), [&](const json &row) { return row["backend"] == backend; });
    };
    const auto shown = [&](const Words &words, const Words &expected) {
        Words all = {"show", "transpose"};
        all.insert(all.end(), words.begin(), words.end());
        const Ran ran = run(all);
        EXPECT_EQ(ran.code, 0) << ran.err;
        EXPECT_EQ(ran.err, "");
        for (const std::string &word : expected) {
            EXPECT_NE(ran.out.find(word), std::string::npos) << word << " in\n" << ran.out;
        }
    };
    if (is_built("cpu")) {
        shown({"--target", "cpu", "--schedule", "reference", "--type", "u8"}, {"transpose/reference/u8/cpu", "==== loop nest", "produce out", "for x"});
        shown({"--target", "cpu", "--schedule", "reference", "--source", "assembly,stmt"}, {"==== assembly", ".globl", "==== Halide's statements", "produce"});
    }
    if (is_built("cuda")) {
        shown({"--target", "cuda", "--schedule", "padded", "--type", "u8"},
              {"transpose/padded/u8/cuda", "gpu_block", "==== PTX", ".visible .entry", "==== kernels", "threads", "shared bytes"});
    }
    if (is_built("opencl")) {
        shown({"--target", "opencl", "--schedule", "padded", "--type", "u8"}, {"transpose/padded/u8/opencl", "==== OpenCL C", "__kernel", "get_local_id"});
    }
}

TEST_F(CommandLine, ShowRefusesWhatThereIsNot) {
    NEEDS_OPERATOR("transpose");
    expect_refusal(2, {"show", "transpse"}, {"transpse", "did you mean 'transpose'"});
    expect_refusal(2, {"show", "transpose", "--schedule", "refrence"}, {"refrence", "did you mean 'reference'"});
    expect_refusal(2, {"show", "transpose", "--schedule", "reference", "--target", "gpu"}, {"--target", "gpu", "opencl"});
    expect_refusal(2, {"show", "transpose", "--schedule", "reference", "--target", "cuda"}, {"reference", "there is no row on cuda;", "u8 on cpu"});
    expect_refusal(2, {"show", "transpose", "--schedule", "reference", "--target", "cuda", "--type", "u8"}, {"there is no row for u8 on cuda;"});
    expect_refusal(2, {"show", "transpose", "--schedule", "reference", "--target", "cpu", "--type", "u7"}, {"u7", "u8"});
    expect_refusal(2, {"show", "transpose", "--schedule", "reference", "--target", "cpu", "--source", "loop"}, {"--source", "did you mean 'loops'"});
    expect_refusal(2, {"show", "transpose", "--schedule", "reference", "--target", "cpu", "--source", "kernels"}, {"--source", "assembly"});
}

TEST_F(CommandLine, ShowFindsTheGeneratorElsewhere) {
    NEEDS_OPERATOR("transpose");
    fs::create_directories(folder_ / "bin");
    fs::copy_file(TILEWRIGHT_APP, folder_ / "bin/tilewright");
    const Words arguments = {"show", "transpose", "--schedule", "reference", "--target", "cpu", "--type", "u8"};
    const Ran missing = Process(folder_, path("bin/tilewright"), arguments, {"TILEWRIGHT_GENERATORS="}).wait();
    EXPECT_EQ(missing.code, 1);
    EXPECT_NE(missing.err.find("transpose.generator was not found"), std::string::npos) << missing.err;
    EXPECT_NE(missing.err.find("TILEWRIGHT_GENERATORS"), std::string::npos) << missing.err;
    EXPECT_EQ(std::count(missing.err.begin(), missing.err.end(), '\n'), 1) << missing.err;
    const std::string folder = fs::path(TILEWRIGHT_APP).parent_path().parent_path().parent_path();
    const Ran found = Process(folder_, path("bin/tilewright"), arguments, {"TILEWRIGHT_GENERATORS=" + folder}).wait();
    EXPECT_EQ(found.code, 0) << found.err;
    EXPECT_NE(found.out.find("produce out"), std::string::npos) << found.out;
}

TEST_F(CommandLine, ShowRunsNoGeneratorOfAFolderThatIsNotTheProgramsOwn) {
    NEEDS_OPERATOR("transpose");
    const auto make_generator = [&](const std::string &folder, const std::string &word) {
        fs::create_directories(folder_ / folder);
        const fs::path file = folder_ / folder / "transpose.generator";
        std::ofstream(file) << "#!/bin/sh\necho " << word << "\n";
        fs::permissions(file, fs::perms::owner_all);
    };
    fs::create_directories(folder_ / "prefix/bin");
    fs::copy_file(TILEWRIGHT_APP, folder_ / "prefix/bin/tilewright");
    const auto show = [&] {
        const Words arguments = {"show", "transpose", "--schedule", "reference", "--target", "cpu", "--type", "u8"};
        return Process(folder_, path("prefix/bin/tilewright"), arguments, {"TILEWRIGHT_GENERATORS="}).wait();
    };
    make_generator(".", "planted");
    make_generator("prefix", "planted");
    const Ran missing = show();
    EXPECT_EQ(missing.code, 1) << missing.out;
    EXPECT_NE(missing.err.find("transpose.generator was not found"), std::string::npos) << missing.err;
    make_generator("prefix/libexec/tilewright", "installed");
    const Ran installed = show();
    EXPECT_EQ(installed.code, 0) << installed.err;
    EXPECT_NE(installed.out.find("installed"), std::string::npos) << installed.out;
}

// ------------------------------------------------------------------------------------------------------- exit code 2: usage

TEST_F(CommandLine, WrongUsageNamesTheOptionAndWhatItTakes) {
    const std::string op = operators().front();
    make_image("in.png");
    const std::string in = path("in.png"), out = path("out.npy");
    expect_refusal(2, {}, {"no command", "--help"});
    expect_refusal(2, {"devics"}, {"'devics'", "did you mean 'devices'"});
    expect_refusal(2, {"--nonsense"}, {"'--nonsense'"});
    expect_refusal(2, {op}, {"required", op + " --help"});
    expect_refusal(2, {op, in}, {"output"});
    expect_refusal(2, {op, in, out, "more.png"}, {"more.png"});
    expect_refusal(2, {op, in, out, "--shedule", "tuned"}, {"'--shedule'", "did you mean '--schedule'"});
    expect_refusal(2, {op, in, out, "--schedule", "refrence"}, {"refrence", "did you mean 'reference'", "tuned"});
    expect_refusal(2, {op, in, out, "--device", "gpu"}, {"device", "gpu", "cuda"});
    expect_refusal(2, {op, in, path("out.jpeg")}, {"out.jpeg", ".png", ".npy"});
    expect_refusal(2, {"list", "nothing"}, {"nothing", op});
    expect_refusal(2, {"verify", "nothing"}, {"nothing", op});
    expect_refusal(2, {"verify", "--schedule", "nothing"}, {"nothing", "reference"});
    expect_refusal(2, {"bench", "--size", "12y7"}, {"--size", "12y7", "WIDTHxHEIGHT"});
    expect_refusal(2, {"bench", "--size", "0x7"}, {"--size", "0x7"});
    expect_refusal(2, {"bench", "--type", "u7"}, {"--type", "u7"});
    expect_refusal(2, {"bench", "--repeats", "many"}, {"repeats", "many"});
    EXPECT_EQ(files(), Words{"in.png"});
}

TEST_F(CommandLine, AnOutputThatIsAnInputIsRefused) {
    NEEDS_OPERATOR("invert");
    make_image("in.png");
    const std::string before = contents(path("in.png"));
    fs::create_symlink(path("in.png"), path("link.png"));
    expect_refusal(2, {"invert", path("in.png"), path("in.png")}, {"in.png", "input"});
    expect_refusal(2, {"invert", path("in.png"), path("link.png")}, {"link.png", "input"});
    expect_refusal(2, {"invert", path("in.png"), (folder_ / "." / "in.png").string()}, {"input"});
    EXPECT_EQ(contents(path("in.png")), before);
}

TEST_F(CommandLine, OptionsOfOperatorsAreChecked) {
    NEEDS_OPERATOR("gaussian_blur");
    make_image("in.png");
    const auto refused = [&](const std::string &option, const std::string &value, const Words &words) {
        expect_refusal(2, {"gaussian_blur", path("in.png"), path("out.png"), option + "=" + value}, words);
    };
    refused("--sigma", "wide", {"sigma", "wide", "number"});
    refused("--sigma", "0", {"sigma"});
    refused("--sigma", "-1", {"sigma"});
    refused("--sigma", "nan", {"sigma"});
    refused("--sigma", "1e30", {"sigma"});
    refused("--sigma", "2x", {"sigma", "2x"});
    refused("--border", "reflct", {"border", "reflct", "reflect"});
    EXPECT_EQ(files(), Words{"in.png"});
}

TEST_F(CommandLine, ARealImageDoesNotFitAPng) {
    NEEDS_OPERATOR("transpose");
    Array image(Type::f32, {8, 8});
    tilewright::write_array(path("in.npy"), image);
    expect_refusal(2, {"transpose", path("in.npy"), path("out.png")}, {"f32", "PNG", ".npy"});
    EXPECT_EQ(files(), Words{"in.npy"});
}

// ------------------------------------------------------------------------------------------------------- exit code 3: input

TEST_F(CommandLine, BrokenInputsAreRefusedAndNothingIsOverwritten) {
    NEEDS_OPERATOR("invert");
    make_image("whole.png", 100, 100);
    const std::string whole = contents(path("whole.png"));
    std::ofstream(path("truncated.png"), std::ios::binary) << whole.substr(0, whole.size() / 2);
    std::ofstream(path("empty.png"));
    std::ofstream(path("text.png")) << "This is no image.\n";
    std::ofstream(path("out.png")) << "what was there before";
    for (const char *name : {"truncated.png", "empty.png", "text.png", "missing.png"}) {
        expect_refusal(3, {"invert", path(name), path("out.png")}, {name});
        EXPECT_EQ(contents(path("out.png")), "what was there before");
    }
    expect_refusal(3, {"invert", folder_.string(), path("out.png")}, {folder_.string()});
    expect_refusal(3, {"invert", path("whole.png"), path("out.png"), "--max-side", "99"}, {"whole.png", "99", "raise", "--max-side"});
    EXPECT_EQ(contents(path("out.png")), "what was there before");
    EXPECT_EQ(files(), (Words{"empty.png", "out.png", "text.png", "truncated.png", "whole.png"}));
}

TEST_F(CommandLine, InputsOfTheWrongShapeAreRefused) {
    NEEDS_OPERATOR("column_sum");
    tilewright::write_array(path("colour.png"), Array(Type::u8, {10, 10, 3}));
    tilewright::write_array(path("vector.npy"), Array(Type::f32, {10}));
    expect_refusal(3, {"column_sum", path("colour.png"), path("out.npy")}, {"column_sum", "colour.png"});
    expect_refusal(3, {"column_sum", path("vector.npy"), path("out.npy")}, {"column_sum", "vector.npy"});
    EXPECT_EQ(files(), (Words{"colour.png", "vector.npy"}));
}

TEST_F(CommandLine, MatricesThatDoNotFitAreRefused) {
    NEEDS_OPERATOR("matmul");
    tilewright::write_array(path("a.npy"), Array(Type::f32, {4, 5}));
    tilewright::write_array(path("b.npy"), Array(Type::f32, {6, 4}));
    expect_refusal(3, {"matmul", path("a.npy"), path("b.npy"), path("c.npy")}, {"matmul", "5", "6"});
    ASSERT_EQ(run({"matmul", path("b.npy"), path("a.npy"), path("c.npy")}).code, 0);
    EXPECT_EQ(tilewright::read_array(path("c.npy")).shape(), (std::vector<int64_t>{6, 5}));
}

// ------------------------------------------------------------------------------------------------------ exit code 4: device

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
    const Ran ran = run({"invert", path("in.png"), path("out.png"), "--stats"}, bare_machine);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_NE(ran.err.find("device      cpu"), std::string::npos) << ran.err;
    for (const char *device : {"cuda", "opencl"}) {
        expect_refusal(4, {"invert", path("in.png"), path("out.png"), "--device", device}, {device}, bare_machine);
    }
    const json devices = run_json({"devices", "--json"}, bare_machine);
    EXPECT_EQ(devices["best"], "cpu");
    size_t usable = 0;
    for (const json &device : devices["devices"]) {
        usable += device["usable"].get<bool>();
    }
    EXPECT_EQ(usable, 1u);
    EXPECT_EQ(run({"doctor"}, bare_machine).code, 0);
    EXPECT_EQ(run({"verify", "invert"}, bare_machine).code, 0);
}

// ------------------------------------------------------------------------------------------------------ exit code 5: memory

TEST_F(CommandLine, OutOfMemoryOnADevice) {
    NEEDS_OPERATOR("invert");
    NEEDS_DEVICE("opencl");
    make_image("in.png");
    expect_refusal(5, {"invert", path("in.png"), path("out.png"), "--device", "opencl"}, {"memory"}, failing_driver("no-memory"));
    EXPECT_EQ(files(), Words{"in.png"});
}

TEST_F(CommandLine, OutOfMemoryOnTheHost) {
    NEEDS_OPERATOR("invert");
    // A file with a hole: 4 GiB of zeros that take no place on the disk.
    Array small(Type::u8, {1, 1});
    tilewright::write_array(path("small.npy"), small);
    std::string header = contents(path("small.npy"));
    header.resize(header.size() - 1);
    const size_t at = header.find("(1, 1)");
    ASSERT_NE(at, std::string::npos);
    const std::string shape = "(65536, 65536)";
    const size_t grown = shape.size() - 6;
    header.replace(at, 6, shape);
    header.erase(header.size() - 1 - grown, grown);  // of the padding
    std::ofstream(path("in.npy"), std::ios::binary) << header;
    fs::resize_file(path("in.npy"), header.size() + (uintmax_t(1) << 32));

    const std::string limited = "ulimit -v 2000000; exec \"$0\" invert \"$1\" \"$2\" --device cpu";
    const Ran ran = Process(folder_, "/bin/sh", {"-c", limited, TILEWRIGHT_APP, path("in.npy"), path("out.npy")}, bare_machine).wait();
    EXPECT_EQ(ran.code, 5) << ran.err;
    EXPECT_EQ(ran.err.rfind("tilewright: error: ", 0), 0u) << ran.err;
    EXPECT_FALSE(fs::exists(path("out.npy")));
}

// ------------------------------------------------------------------------------------------------------------------- verify

TEST_F(CommandLine, VerifyHasALineForEveryRow) {
    const std::string op = operators().front();
    const Ran ran = run({"verify", op, "--device", "cpu"});
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    const json all = run_json({"list", op, "--json"});
    for (const json &row : all["operators"][0]["rows"]) {
        const std::string name = row["row"];
        const size_t at = ran.out.find(" " + name + " ");
        ASSERT_NE(at, std::string::npos) << name << " in\n" << ran.out;
        const std::string line = ran.out.substr(ran.out.rfind('\n', at) + 1, ran.out.find('\n', at) - ran.out.rfind('\n', at) - 1);
        const bool can_run = row["backend"] == "cpu" && row["declined"] == "" && !row["needs_vnni"];
        if (!can_run && !row["needs_vnni"]) {
            EXPECT_EQ(line.rfind("not run", 0), 0u) << line;
        } else if (can_run) {
            EXPECT_EQ(line.rfind("ok ", 0), 0u) << line;
        }
    }
}

TEST_F(CommandLine, VerifyReportsAsJson) {
    const std::string op = operators().front();
    const json report = run_json({"verify", op, "--schedule", "reference", "--device", "cpu", "--json"});
    EXPECT_TRUE(report["context"].contains("halide"));
    ASSERT_FALSE(report["rows"].empty());
    for (const json &row : report["rows"]) {
        EXPECT_EQ(row["verdict"], "ok") << row;
        EXPECT_EQ(row["against"], "plain definition") << row;
        EXPECT_GT(row["samples"].get<int>(), 3) << row;
        EXPECT_GT(row["runs"].get<int>(), row["samples"].get<int>()) << row;
    }
    EXPECT_EQ(report["count"]["ok"], report["rows"].size());
    EXPECT_EQ(report["count"]["UNTRIED"], 0);
}

TEST_F(CommandLine, VerifyRepeatsTheLargestSample) {
    const std::string op = operators().front();
    const auto runs = [&](const char *repeat) {
        const json report = run_json({"verify", op, "--schedule", "reference", "--device", "cpu", "--repeat", repeat, "--json"});
        return report["rows"][0]["runs"].get<int>() - report["rows"][0]["samples"].get<int>();
    };
    EXPECT_EQ(runs("1"), 0);
    EXPECT_EQ(runs("5"), 4);
    expect_refusal(2, {"verify", op, "--repeat", "0"}, {"--repeat"});
}

TEST_F(CommandLine, VerifyFindsAWrongResult) {
    NEEDS_DEVICE("opencl");
    const Ran ran = run({"verify", operators().front(), "--device", "opencl", "--schedule", "tuned"}, failing_driver("drop-launches"));
    EXPECT_EQ(ran.code, 6) << ran.err;
    EXPECT_NE(ran.out.find("WRONG "), std::string::npos) << ran.out;
    EXPECT_EQ(ran.out.find("ok "), std::string::npos) << ran.out;
    EXPECT_EQ(ran.err.rfind("tilewright: error: ", 0), 0u) << ran.err;
}

// -------------------------------------------------------------------------------------------------------------------- bench

TEST_F(CommandLine, BenchVerifiesWhatItTimesAndWritesJson) {
    const std::string op = operators().front();
    const Ran ran = run({"bench", op, "--device", "cpu", "--size", "96x64", "--batch", "3", "--repeats", "5", "--json", path("times.json")});
    ASSERT_EQ(ran.code, 0) << ran.err;
    const json report = json::parse(contents(path("times.json")));
    EXPECT_EQ(report["version"], 1);
    for (const char *key : {"date", "commit", "halide", "llvm", "num_cpus", "caches", "devices"}) {
        EXPECT_TRUE(report["context"].contains(key)) << key;
    }
    ASSERT_FALSE(report["runs"].empty());
    size_t timed = 0;
    for (const json &one : report["runs"]) {
        EXPECT_NE(ran.out.find(one["name"].get<std::string>()), std::string::npos) << one;
        if (one.contains("skipped")) {
            continue;
        }
        timed++;
        EXPECT_EQ(one["time_unit"], "ms");
        EXPECT_GT(one["real_time"].get<double>(), 0);
        EXPECT_LE(one["batch"]["p10"].get<double>(), one["batch"]["median"].get<double>());
        EXPECT_LE(one["batch"]["median"].get<double>(), one["batch"]["p90"].get<double>());
        EXPECT_EQ(one["iterations"], 3);
        EXPECT_EQ(one["repetitions"], 5);
        EXPECT_GE(one["buffer_sets"].get<int>(), 2);
        EXPECT_TRUE(one["verified"]) << one;
        EXPECT_NE(one["verified_by"], one["name"]) << one;
    }
    EXPECT_GE(timed, 2u);
}

TEST_F(CommandLine, BenchToStandardOutputIsJsonAlone) {
    const json report = run_json({"bench", operators().front(), "--device", "cpu", "--schedule", "reference", "--size", "33", "--batch", "1",
                                  "--repeats", "3", "--json", "-"});
    EXPECT_FALSE(report["runs"].empty());
}

TEST_F(CommandLine, BenchGivesUpWhatTakesTooLongAtAnySize) {
    NEEDS_OPERATOR("matmul");
    // 2^27 multiplications without any schedule take longer than a quarter of a millisecond on any machine.
    const Words arguments = {"bench", "matmul", "--device", "cpu", "--schedule", "reference", "--size", "512x512", "--limit", ".001"};
    const Ran ran = run(arguments);
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_NE(ran.out.find("not timed: a call would take about"), std::string::npos) << ran.out;
    EXPECT_TRUE(ran.out.ends_with("\n# not timed: 1 of 1; their lines say why\n")) << ran.out;
    Words as_json = arguments;
    as_json.insert(as_json.end(), {"--json", "-"});
    EXPECT_EQ(run_json(as_json)["not_timed"], 1);
}

TEST_F(CommandLine, BenchRecordsTheSizeThatRan) {
    const auto run_of = [&](const std::string &op, const std::string &type, const std::string &size) {
        const json report = run_json({"bench", op, "--type", type, "--device", "cpu", "--schedule", "reference", "--size", size, "--batch", "1",
                                      "--repeats", "3", "--json", "-"});
        return report["runs"][0];
    };
    if (has_operator("min_plus_convolution")) {
        const json vectors = run_of("min_plus_convolution", "f32", "70x30");
        EXPECT_EQ(vectors["width"], 70);
        EXPECT_EQ(vectors["height"], 1);
        EXPECT_EQ(vectors["inputs"], (json{"f32 (70)", "f32 (70)"}));
    }
    if (has_operator("fresnel")) {
        const json field = run_of("fresnel", "c64", "100x40");
        EXPECT_EQ(field["width"], 64);
        EXPECT_EQ(field["height"], 64);
    }
    if (has_operator("invert")) {
        const json image = run_of("invert", "u8", "70x30");
        EXPECT_EQ(image["width"], 70);
        EXPECT_EQ(image["height"], 30);
        EXPECT_EQ(image["inputs"], (json{"u8 (30, 70)"}));
    }
}

TEST_F(CommandLine, BenchFindsAWrongResult) {
    NEEDS_DEVICE("opencl");
    const Ran ran = run({"bench", operators().front(), "--device", "opencl", "--schedule", "tuned", "--size", "64", "--batch", "1", "--repeats", "3"},
                        failing_driver("drop-launches"));
    EXPECT_EQ(ran.code, 6) << ran.err;
    EXPECT_NE(ran.out.find("WRONG"), std::string::npos) << ran.out;
}

TEST_F(CommandLine, BenchTimesPeersToo) {
    NEEDS_OPERATOR("transpose");
    const Ran ran = run({"bench", "transpose", "--device", "cpu", "--type", "u8", "--schedule", "tuned", "--size", "130x70", "--batch", "2",
                         "--repeats", "3", "--peers", "--json", path("times.json")});
    ASSERT_EQ(ran.code, 0) << ran.err;
    size_t peers = 0;
    const json report = json::parse(contents(path("times.json")));
    for (const json &one : report["runs"]) {
        if (one["name"].get<std::string>().rfind("peer: ", 0) == 0) {
            peers++;
            EXPECT_TRUE(one["verified"].get<bool>() || one["unverified"] == "it only copies") << one;
        }
    }
    EXPECT_GE(peers, 2u);
}

// ------------------------------------------------------------------------------------------------ outputs, streams, signals

TEST_F(CommandLine, AnOutputThatCannotBeWrittenIsRefusedAtOnce) {
    NEEDS_OPERATOR("invert");
    make_image("in.png");
    // The input is missing too: the output is looked at first.
    expect_refusal(1, {"invert", path("missing.png"), path("no/such/folder/out.png")}, {"no/such/folder/out.png"});
    expect_refusal(1, {"bench", "invert", "--json", path("no/such/folder/times.json")}, {"no/such/folder/times.json"});
    fs::create_directory(path("folder.png"));
    expect_refusal(1, {"invert", path("in.png"), path("folder.png")}, {"folder.png", "directory"});
}

TEST_F(CommandLine, AFullStandardOutputIsAnError) {
    if (!fs::exists("/dev/full")) {
        GTEST_SKIP() << "no /dev/full here";
    }
    const Ran ran = Process(folder_, TILEWRIGHT_APP, {"devices"}, {}, "/dev/full").wait();
    EXPECT_EQ(ran.code, 1);
    EXPECT_EQ(ran.err.rfind("tilewright: error: standard output", 0), 0u) << ran.err;
}

TEST_F(CommandLine, AStandardErrorThatCannotBeWrittenChangesNoExitCode) {
    NEEDS_OPERATOR("invert");
    make_image("in.png");
    const std::string in = path("in.png"), out = path("out.png");
    ASSERT_EQ(run({"invert", in, path("expected.png")}).code, 0);
    const auto code = [&](const std::string &redirection, const Words &arguments) {
        Words words = {"-c", "exec \"$0\" \"$@\" " + redirection, TILEWRIGHT_APP};
        words.insert(words.end(), arguments.begin(), arguments.end());
        return Process(folder_, "/bin/sh", words, bare_machine).wait().code;
    };
    for (const std::string closed : {"2>&-", "2>/dev/full", "<&- 2>&-", "<&- >&- 2>&-", ">/dev/full 2>/dev/full"}) {
        EXPECT_EQ(code(closed, {"nosuch"}), 2) << closed;
        EXPECT_EQ(code(closed, {"invert", path("missing.png"), out}), 3) << closed;
        EXPECT_EQ(code(closed, {"invert", in, out, "--device", "cuda"}), 4) << closed;
        fs::remove(out);
        EXPECT_EQ(code(closed, {"invert", in, out, "--stats", "--check"}), 0) << closed;
        EXPECT_EQ(contents(out), contents(path("expected.png"))) << closed;
        const bool loses_data = closed.find('>') < closed.find("2>");
        EXPECT_EQ(code(closed, {"list", "invert"}), loses_data ? 1 : 0) << closed;
        EXPECT_EQ(code(closed, {"verify", "invert", "--schedule", "reference"}), loses_data ? 1 : 0) << closed;
    }
}

// However early it is that there is no memory any more: the program says so, and its exit code too.
TEST_F(CommandLine, AHostWithoutMemoryEndsInOneLine) {
    int code = 5;
    size_t refused = 0;
    for (int calls = 1; code == 5; calls += calls / 2 + 1) {
        ASSERT_LT(calls, 10000000);
        const Ran ran = run({"nosuch"}, {"LD_PRELOAD=" TILEWRIGHT_FAILING_MALLOC, "TILEWRIGHT_TEST_MALLOC_FAILS=" + std::to_string(calls)});
        code = ran.code;
        refused += code == 5;
        EXPECT_EQ(ran.err.rfind(code == 5 ? "tilewright: error: out of memory" : "tilewright: error: no command", 0), 0u) << ran.err;
        EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    }
    EXPECT_EQ(code, 2);
    EXPECT_GT(refused, 5u);
}

// Waits until `happened`, for ten seconds at most.
bool eventually(const std::function<bool()> &happened) {
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (!happened()) {
        if (std::chrono::steady_clock::now() > end) {
            return false;
        }
        std::this_thread::sleep_for(200us);
    }
    return true;
}

class Interrupted : public CommandLine, public testing::WithParamInterface<std::pair<int, int>> {};

TEST_P(Interrupted, ALongBenchEndsAtOnce) {
    const auto [signal, code] = GetParam();
    const Words arguments = {"bench", operators().front(), "--device", "cpu", "--size", "64x64", "--repeats", "1000000", "--limit", "600",
                             "--json", path("times.json")};
    Process bench(folder_, TILEWRIGHT_APP, arguments, {});
    std::this_thread::sleep_for(1500ms);
    const auto start = std::chrono::steady_clock::now();
    kill(bench.id(), signal);
    const Ran ran = bench.wait();
    EXPECT_EQ(ran.code, code) << ran.err;
    EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
    EXPECT_EQ(files(), Words{}) << "the report is whole or absent";
}

// Whether there is such a process, and it has not ended.
bool is_running(const std::string &id) {
    const std::string stat = contents("/proc/" + id + "/stat");
    const size_t name_end = stat.rfind(") ");
    return name_end != std::string::npos && stat[name_end + 2] != 'Z';
}

TEST_P(Interrupted, AShowLeavesNeitherItsGeneratorNorFiles) {
    NEEDS_OPERATOR("transpose");
    fs::create_directories(folder_ / "temporary");
    const fs::path generator = folder_ / "transpose.generator";
    std::ofstream(generator) << "#!/bin/sh\necho $$ >'" << path("id.part") << "' && mv '" << path("id.part") << "' '" << path("id") << "'\nexec sleep 600\n";
    fs::permissions(generator, fs::perms::owner_all);
    Process show(folder_, TILEWRIGHT_APP, {"show", "transpose", "--schedule", "reference", "--target", "cpu"},
                 {"TILEWRIGHT_GENERATORS=" + folder_.string(), "TMPDIR=" + path("temporary")});
    const bool seen = eventually([&] { return fs::exists(path("id")); });
    std::string id = contents(path("id"));
    id = id.substr(0, id.find('\n'));
    EXPECT_TRUE(seen && is_running(id)) << id;
    const auto [signal, code] = GetParam();
    kill(show.id(), signal);
    EXPECT_EQ(show.wait().code, code);
    EXPECT_TRUE(eventually([&] { return !is_running(id); })) << id;
    EXPECT_TRUE(fs::is_empty(path("temporary")));
}

INSTANTIATE_TEST_SUITE_P(By, Interrupted, testing::Values(std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}),
                         [](const auto &info) { return info.param.first == SIGINT ? "SIGINT" : "SIGTERM"; });

// Runs the program on a terminal of its own, and returns what it wrote there.
std::string on_terminal(const Words &arguments, int &code) {
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
    if (child == 0) {
        std::vector<char *> argv = {const_cast<char *>(TILEWRIGHT_APP)};
        for (const std::string &argument : arguments) {
            argv.push_back(const_cast<char *>(argument.c_str()));
        }
        argv.push_back(nullptr);
        execv(TILEWRIGHT_APP, argv.data());
        _exit(127);
    }
    std::string written;
    char buffer[4096];
    for (ssize_t n; (n = read(terminal, buffer, sizeof buffer)) > 0;) {
        written.append(buffer, (size_t)n);
    }
    int status = 0;
    waitpid(child, &status, 0);
    close(terminal);
    code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return written;
}

TEST_F(CommandLine, LongWorkShowsItsProgressOnATerminalOnly) {
    // About three seconds, however many rows there are: the bar comes after the first of them.
    const std::string op = operators().front();
    const json all = run_json({"list", op, "--json"});
    size_t rows = 0;
    for (const json &row : all["operators"][0]["rows"]) {
        rows += row["backend"] == "cpu" && row["declined"] == "";
    }
    ASSERT_GE(rows, 3u);
    const Words arguments = {"bench", op, "--device", "cpu", "--size", "256x256", "--batch", "10", "--repeats", "100000",
                             "--limit", std::to_string(3. / (double)rows)};
    int code = -1;
    const std::string seen = on_terminal(arguments, code);
    EXPECT_EQ(code, 0) << seen;
    EXPECT_TRUE(std::regex_search(seen, std::regex("bench \\[#*-*\\] [0-9]+/[0-9]+"))) << seen;
    const Ran quiet = run(arguments);
    EXPECT_EQ(quiet.code, 0);
    EXPECT_EQ(quiet.err, "");
}

}  // namespace
