// What the program says of the machine and of itself: `devices`, `list`, `doctor`.
#include "tests/command_line/command_line.h"
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace tilewright {
namespace {

TEST_F(CommandLine, DevicesBeginWithTheCpuAndSayWhyOneCannotBeUsed) {
    const json devices = run_json({"devices", "--json"})["devices"];
    ASSERT_FALSE(devices.empty());
    EXPECT_EQ(devices[0]["device"], "cpu");
    EXPECT_TRUE(devices[0]["usable"]);
    EXPECT_GT(devices[0]["memory"].get<uint64_t>(), 0u);
    for (const json &device : devices) {
        EXPECT_NE(device["usable"].get<bool>(), !device["why_not"].get<std::string>().empty()) << device;
    }
    const Ran text = succeed({"devices"});
    EXPECT_EQ(text.err, "");
    for (const json &device : devices) {
        expect_has(text.out, {device["device"].get<std::string>()});
    }
}

TEST_F(CommandLine, ListShowsEveryVariantAndEveryReason) {
    const json all = run_json({"list", "--json"})["operators"];
    ASSERT_FALSE(all.empty());
    const Ran text = succeed({"list"});
    for (const json &op : all) {
        ASSERT_FALSE(op["variants"].empty()) << op["operator"];
        for (const json &variant : op["variants"]) {
            EXPECT_EQ(variant["operator"], op["operator"]);
            for (const char *key : {"schedule", "type", "backend", "form"}) {
                EXPECT_NE(variant[key].get<std::string>(), "") << variant;
            }
            // Long sentences are broken between words, so the words are looked for.
            for (const std::string &part : {variant["schedule"].get<std::string>(),
                     variant["type"].get<std::string>(), variant["summary"].get<std::string>()}) {
                std::istringstream words(part);
                for (std::string word; words >> word;) {
                    expect_has(text.out, {word});
                }
            }
        }
    }
    std::istringstream lines(text.out);
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), 120u) << line;
    }

    const std::string first = all[0]["operator"];
    const json one = run_json({"list", first, "--json"})["operators"];
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0], all[0]);
}

TEST_F(CommandLine, DoctorIsContentHere) {
    const json report = run_json({"doctor", "--json"});
    EXPECT_TRUE(report["healthy"]);
    ASSERT_FALSE(report["checks"].empty());
    bool ran_on_cpu = false;
    for (const json &check : report["checks"]) {
        EXPECT_NE(check["health"], "FAIL") << check;
        EXPECT_TRUE(check["health"] == "ok" || !check["advice"].get<std::string>().empty()) << check;
        ran_on_cpu |= check["check"] == "cpu" &&
                      check["found"].get<std::string>().find("verified") != std::string::npos;
    }
    EXPECT_TRUE(ran_on_cpu);
}

TEST_F(CommandLine, DoctorSaysWhatDoesNotWork) {
    const Ran ran = run({"doctor"}, {"TMPDIR=/nonexistent"});
    EXPECT_EQ(ran.code, 1);
    expect_has(ran.out, {"FAIL  temporary files"});
    EXPECT_EQ(ran.err.rfind("tilewright: error: not in order: temporary files", 0), 0u) << ran.err;
}

TEST_F(CommandLine, DoctorFindsWrongVariablesOfTheEnvironment) {
    const Ran ran = run(
        {"doctor"}, {"TILEWRIGHT_DEVICE=gpu", "TILEWRIGHT_THREADS=many", "TILEWRIGHT_INSTRUCTION_SET=avx3"});
    EXPECT_EQ(ran.code, 1);
    const std::string line = ran.out.substr(std::min(ran.out.find("FAIL  environment"), ran.out.size()));
    expect_has(
        line, {"TILEWRIGHT_DEVICE is gpu", "TILEWRIGHT_THREADS = many", "TILEWRIGHT_INSTRUCTION_SET = avx3"});
    EXPECT_EQ(ran.err.rfind("tilewright: error: not in order: environment, threads;", 0), 0u) << ran.err;
    succeed({"doctor"}, {"TILEWRIGHT_DEVICE=cpu,all", "TILEWRIGHT_THREADS=2"});
}

// It is no failure: Halide takes something for the number.
TEST_F(CommandLine, DoctorWarnsOfWhatOtherCommandsPassOver) {
    for (const char *number : {"many", "0", "-5", "2.5"}) {
        const Ran ran = succeed({"doctor"}, {std::string("HL_NUM_THREADS=") + number});
        expect_has(ran.out, {"warn  threads           HL_NUM_THREADS=" + std::string(number)});
    }
    EXPECT_NE(run({"doctor"}, {"HL_NUM_THREADS=2"}).out.find("ok    threads"), std::string::npos);
}

// CUDA's driver alone keeps compiled kernels of CUDA. Without the driver nothing is said of it.
TEST_F(CommandLine, DoctorSaysWhereTheDriverOfCudaKeepsKernels) {
    const auto said = [&](Words environment) {
        environment.push_back("LD_LIBRARY_PATH=" TILEWRIGHT_FAKE_CUDA);
        return run({"doctor"}, environment).out;
    };
    const std::string home = "HOME=" + path("home"), folder = "CUDA_CACHE_PATH=" + path("kept");
    expect_has(said({home, "CUDA_CACHE_PATH=", "CUDA_CACHE_DISABLE=0"}),
        {"ok    CUDA cache        " + path("home/.nv/ComputeCache") + " can be written"});
    expect_has(said({home, folder}), {"ok    CUDA cache        " + path("kept") + " can be written"});
    expect_has(said({folder, "CUDA_CACHE_DISABLE=1"}),
        {"warn  CUDA cache        CUDA_CACHE_DISABLE=1: each process compiles CUDA's kernels again",
            "-> unset CUDA_CACHE_DISABLE"});
    expect_has(said({"CUDA_CACHE_PATH=/dev/null/cache"}),
        {"warn  CUDA cache        ", "/dev/null", "-> set CUDA_CACHE_PATH to a folder that can be written"});
    expect_has(said({"HOME=", "CUDA_CACHE_PATH="}), {"warn  CUDA cache        neither CUDA_CACHE_PATH nor"});
}

TEST_F(CommandLine, DoctorFindsADeviceThatComputesWrongly) {
    NEEDS_DEVICE("opencl");
    const Ran ran = run({"doctor"}, failing_driver("drop-launches"));
    EXPECT_EQ(ran.code, 1);
    expect_has(ran.out, {"FAIL  opencl:"});
}

// A folder with the ICD file of a driver that crashes, beside those that this machine has.
TEST_F(CommandLine, DoctorNamesTheOpenClDriverThatCrashes) {
    NEEDS_DEVICE("opencl");
    namespace fs = std::filesystem;
    const char *elsewhere = getenv("OCL_ICD_VENDORS");
    const std::string folder = path("vendors");
    fs::copy(elsewhere ? elsewhere : "/etc/OpenCL/vendors", folder);
    std::ofstream(fs::path(folder) / "broken.icd") << TILEWRIGHT_ABORTING_OPENCL << "\n";
    const Words vendors = {"OCL_ICD_VENDORS=" + folder};
    const Ran ran = run({"doctor"}, vendors);
    EXPECT_EQ(ran.code, 1) << ran.err;
    expect_has(ran.out, {"FAIL  OpenCL platforms  broken.icd (" TILEWRIGHT_ABORTING_OPENCL
                         ") crashes when it is loaded (Aborted)",
                            "TILEWRIGHT_DEVICE=cpu", "ok    opencl:0"});

    const Ran call = run({"devices"}, vendors);
    EXPECT_EQ(call.code, -SIGABRT);
    expect_has(call.err, {"tilewright: a driver of OpenCL crashes when it is loaded; `tilewright doctor` "});
    EXPECT_EQ(
        run({"verify", operators()[0], "--schedule", "reference"}, {vendors[0], "TILEWRIGHT_DEVICE=cpu"})
            .code,
        0);
}

}  // namespace
}  // namespace tilewright
