// `doctor`: checks of the machine, each with what was found and what to do about it.
#include "apps/tilewright/command_line/command_line.h"
#include "apps/tilewright/command_line/environment.h"
#include "apps/tilewright/command_line/variant_options.h"
#include "apps/tilewright/command_line/version.h"
#include "apps/tilewright/commands/commands.h"
#include "apps/tilewright/processes/opencl_drivers.h"
#include "apps/tilewright/terminal/json.h"
#include "apps/tilewright/terminal/printing.h"
#include "apps/tilewright/verification/expected_result.h"
#include "runtime/devices/calls/halide_calls.h"
#include "runtime/devices/opencl/ptx_memory.h"
#include "runtime/process/environment.h"
#include "tilewright/files.h"
#include "tilewright/workload.h"
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace tilewright::app {

namespace {

namespace fs = std::filesystem;

enum class Health { ok, warn, fail };

// One check: how the thing is, and what the user can do about it.
struct Check {
    std::string name;
    Health health;
    std::string found;
    std::string advice;
};

const char *name_of(Health health) {
    switch (health) {
    case Health::ok: return "ok";
    case Health::warn: return "warn";
    case Health::fail: return "FAIL";
    }
    return "";
}

Check versions() {
    return {"versions", Health::ok,
        fmt::format("tilewright {} ({}), Halide {}, LLVM {}", tilewright_version, commit, halide_version,
            llvm_version),
        ""};
}

Check libraries() {
    std::map<std::string, size_t> count;
    for (const Operator *op : operators()) {
        for (const Variant &variant : op->variants()) {
            count[tilewright::name_of(variant.backend)]++;
        }
    }
    std::vector<std::string> words;
    for (const auto &[backend, variants] : count) {
        words.push_back(fmt::format("{} for {}", variants, backend));
    }
    return {"libraries", words.empty() ? Health::fail : Health::ok,
        fmt::format("{}; variants: {}", plural(operators().size(), "operator"), joined(words, ", ")),
        words.empty() ? "this program was built without libraries: build it again" : ""};
}

Check cpu() {
    const DeviceInfo &info = device_info(Device{});
    const bool wide = info.capability != "x86-64";
    return {"CPU features", wide ? Health::ok : Health::warn,
        fmt::format("{}, {} threads, {}", info.name, info.units, info.capability),
        wide ? "" :
               "without AVX2 the CPU variants are several times slower; a machine from 2013 or later has it"};
}

const char *const other_value = "give the variable another value, or unset it; see `tilewright --help`";

// Variables that the other commands refuse where they are wrong.
Check environment() {
    std::vector<std::string> wrong;
    for (void (*const check)() : {+[] { chosen_devices(devices_of_environment()); }, check_instruction_set}) {
        try {
            check();
        } catch (const Error &error) {
            wrong.push_back(one_line(error.what()));
        }
    }
    if (!wrong.empty()) {
        return {"environment", Health::fail, joined(wrong, "; "), other_value};
    }
    return {"environment", Health::ok, "no device and no instruction set that is wrong", ""};
}

Check threads() {
    try {
        check_threads();
    } catch (const Error &error) {
        unsetenv("TILEWRIGHT_THREADS");  // every call would say so again; the checks of devices make calls
        return {"threads", Health::fail, one_line(error.what()), other_value};
    }
    for (const char *name : {"TILEWRIGHT_THREADS", "HL_NUM_THREADS"}) {  // the first goes before the second
        const std::string asked = environment_value(name);
        if (asked.empty()) {
            continue;
        }
        const std::string found = fmt::format("{}={}", name, asked);
        if (asked.find_first_not_of("0123456789") != std::string::npos ||
            strtol(asked.c_str(), nullptr, 10) < 1) {  // only of HL_NUM_THREADS, which Halide alone reads
            return {"threads", Health::warn,
                found + " is no number of threads; Halide reads what it can of it",
                "give it a whole number from 1 on, or unset it"};
        }
        return {"threads", Health::ok, found, ""};
    }
    return {"threads", Health::ok, "Halide uses every CPU", ""};
}

// Whether a display or compute controller of NVIDIA is on the PCI bus.
bool has_nvidia_hardware() {
    std::error_code failure;
    for (const auto &device : fs::directory_iterator("/sys/bus/pci/devices", failure)) {
        std::string vendor, kind;
        std::ifstream(device.path() / "vendor") >> vendor;
        std::ifstream(device.path() / "class") >> kind;
        if (vendor == "0x10de" && kind.starts_with("0x03")) {
            return true;
        }
    }
    return fs::exists("/dev/nvidiactl", failure);
}

bool has_library(const char *name) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    return library != nullptr;  // not closed again: some drivers fail when they are unloaded
}

Check cuda_driver() {
    const bool hardware = has_nvidia_hardware();
    if (has_library("libcuda.so.1")) {
        return {"CUDA driver", Health::ok, "libcuda.so.1 is there", ""};
    }
    return {"CUDA driver", hardware ? Health::fail : Health::warn,
        hardware ? "there is an NVIDIA GPU, but no libcuda.so.1" :
                   "no libcuda.so.1, and no NVIDIA GPU to be seen",
        hardware ? "install NVIDIA's driver (in a container: start it with the GPU passed through)" :
                   "nothing, unless this machine should have one"};
}

Check opencl_loader() {
    if (has_library("libOpenCL.so.1")) {
        return {"OpenCL loader", Health::ok, "libOpenCL.so.1 is there", ""};
    }
    return {"OpenCL loader", Health::warn, "no libOpenCL.so.1",
        "for OpenCL install a loader, for example Debian's ocl-icd-libopencl1"};
}

// The loader finds platforms through small files. Their names help a user whose platform is missing, or whose
// driver ends every program that looks for devices.
Check opencl_platforms(const std::string &folder, const std::vector<Icd> &icds) {
    std::vector<std::string> files, failing, platforms;
    for (const Icd &icd : icds) {
        files.push_back(icd.name);
        if (!icd.failure.empty()) {
            failing.push_back(fmt::format("{} ({}) {}", icd.name, one_line(icd.library), icd.failure));
        }
    }
    for (const DeviceInfo &info : devices()) {
        if (info.device.backend == Backend::opencl && info.usable) {
            platforms.push_back(fmt::format("{} ({})", info.platform, info.name));
        }
    }
    const std::string found =
        fmt::format("{}; ICD files in {}: {}", platforms.empty() ? "none" : joined(platforms, ", "), folder,
            files.empty() ? "none" : joined(files, ", "));
    if (!failing.empty()) {
        return {"OpenCL platforms", Health::fail, fmt::format("{}; {}", joined(failing, "; "), found),
            "update that driver or remove its file; until then --device cpu (or TILEWRIGHT_DEVICE=cpu) does "
            "without OpenCL, and OCL_ICD_VENDORS=FOLDER, a folder with the other files, without that driver"};
    }
    return {"OpenCL platforms", platforms.empty() ? Health::warn : Health::ok, found,
        platforms.empty() ? "install a vendor's OpenCL, or PoCL for the CPU (Debian's pocl-opencl-icd)" : ""};
}

Check temporary_files() {
    std::error_code failure;
    const fs::path place = fs::temp_directory_path(failure);
    const char *advice = "make it writable, or set TMPDIR to a place that is";
    if (failure) {
        return {"temporary files", Health::fail,
            fmt::format("{} is no directory", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp"), advice};
    }
    try {
        check_writable((place / "tilewright-doctor").string());
    } catch (const Error &error) {
        return {"temporary files", Health::fail, one_line(error.what()), advice};
    }
    return {"temporary files", Health::ok, fmt::format("{} can be written", place.string()), ""};
}

// Why no file can be made in the folder, or in the one where a folder that is missing would be; empty where
// one can.
std::string why_not_writable(const fs::path &folder) {
    std::error_code failure;
    fs::path there = fs::absolute(folder, failure);
    while (there.has_relative_path() && !fs::exists(there, failure)) {
        there = there.parent_path();
    }
    try {
        check_writable((there / "tilewright-doctor").string());
    } catch (const Error &error) {
        return one_line(error.what());
    }
    return "";
}

// Of NVIDIA's driver, which alone keeps what CUDA's kernels are compiled to, by its own variables.
Check cuda_cache() {
    const auto warning = [](const std::string &found, const char *advice) {
        return Check{
            "CUDA cache", Health::warn, found + ": each process compiles CUDA's kernels again", advice};
    };
    const std::string disabled = environment_value("CUDA_CACHE_DISABLE"), home = environment_value("HOME");
    if (!disabled.empty() && disabled != "0") {
        return warning("CUDA_CACHE_DISABLE=" + disabled, "unset CUDA_CACHE_DISABLE");
    }
    std::string folder = environment_value("CUDA_CACHE_PATH");
    if (folder.empty() && home.empty()) {
        return warning("neither CUDA_CACHE_PATH nor HOME is set", "set CUDA_CACHE_PATH to a folder");
    }
    folder = folder.empty() ? home + "/.nv/ComputeCache" : folder;
    if (const std::string why_not = why_not_writable(folder); !why_not.empty()) {
        return warning(why_not, "set CUDA_CACHE_PATH to a folder that can be written");
    }
    return {"CUDA cache", Health::ok, fmt::format("{} can be written", folder), ""};
}

// What its kernels may be and use, by which variants are chosen; empty for the CPU.
std::string limits_of(const DeviceInfo &info) {
    if (info.device.backend == Backend::cpu) {
        return "";
    }
    std::vector<std::string> has;
    for (const auto &[does, word] :
        {std::pair{info.fp64, "fp64"}, {info.images, "images"}, {info.half, "half"}}) {
        if (does) {
            has.push_back(word);
        }
    }
    const int64_t of_ptx = driver::ptx_memory(info);
    return fmt::format("; blocks of at most {} threads and {} of shared memory{}; it has {}",
        info.block_threads, bytes((double)info.block_memory),
        of_ptx > info.block_memory ? fmt::format(" ({} for kernels in PTX)", bytes((double)of_ptx)) : "",
        has.empty() ? "no fp64, images or half" : joined(has, ", "));
}

// Runs a sample on the device, and compares the result with what it should be.
Check tiny_run(const DeviceInfo &info, const Operator &op, const Sample &sample, const Expected &expected) {
    const std::string name = info.device.str();
    Array output = spoiled_output(op, sample);
    Statistics statistics;
    try {
        op(sample.inputs, output, sample.settings, {.device = info.device, .statistics = &statistics});
        output.sync();
    } catch (const Error &error) {
        return {name, Health::fail, one_line(error.what()),
            info.device == Device{} ? "report it; until then choose another --device" :
                                      "update the driver; until then choose another --device"};
    }
    const std::string off = difference(output, expected);
    if (!off.empty()) {
        return {name, Health::fail, fmt::format("{}: {}", statistics.variant, one_line(off)),
            "do not use this device; run `tilewright verify --device " + name + "` and report it"};
    }
    return {name, Health::ok,
        fmt::format("{}, {}: {} verified, first call {:.3g} ms{}", info.name, info.driver, statistics.variant,
            statistics.total_ms, limits_of(info)),
        ""};
}

// The same for the smallest sample of the first operator that has a `tuned` variant for this device.
Check tiny_run(const DeviceInfo &info) {
    for (const Operator *op : operators()) {
        for (const Variant *variant : op->variants("tuned", info.device.backend)) {
            for (const Sample &sample : workload_of(*op).samples(variant->type)) {
                if (const auto expected = expect_any(*op, sample, info.device.backend)) {
                    return tiny_run(info, *op, sample, *expected);
                }
            }
        }
    }
    return {info.device.str(), Health::warn, "no operator has a variant for it",
        "build with operators that have one"};
}

Check device_check(const DeviceInfo &info) {
    if (!info.usable) {
        return {info.device.str(), Health::warn, one_line(info.why_not),
            "nothing, unless this machine should have one"};
    }
    return tiny_run(info);
}

void doctor(bool as_json) {
    const std::string folder = icd_folder();
    std::vector<Icd> icds;
    try {
        icds = try_icds();     // before anything asks for a device
    } catch (const Error &) {  // NOLINT(bugprone-empty-catch): no temporary folder, which a check reports
    }
    std::vector<Check> checks = {versions(), libraries(), environment(), cpu(), threads(), temporary_files(),
        cuda_driver(), opencl_loader(), opencl_platforms(folder, icds)};
    if (has_library("libcuda.so.1")) {
        checks.push_back(cuda_cache());
    }
    for (const DeviceInfo &info : devices()) {
        checks.push_back(device_check(info));
    }
    std::vector<std::string> failing;
    for (const Check &check : checks) {
        if (check.health == Health::fail) {
            failing.push_back(check.name);
        }
    }
    if (as_json) {
        Json all = Json::array();
        for (const Check &check : checks) {
            all.push_back({{"check", check.name}, {"health", name_of(check.health)}, {"found", check.found},
                {"advice", check.advice}});
        }
        print({{"version", 1}, {"healthy", failing.empty()}, {"checks", all}});
    } else {
        std::string text;
        for (const Check &check : checks) {
            text +=
                fmt::format("{:<5} {:<17} {}\n", name_of(check.health), check.name, one_line(check.found));
            text += check.advice.empty() ? "" : fmt::format("{:<24}-> {}\n", "", check.advice);
        }
        print_verdicts(text);
    }
    if (!failing.empty()) {
        throw Error(Fault::failed,
            fmt::format("not in order: {}; the lines above say what to do", joined(failing, ", ")));
    }
}

}  // namespace

void add_doctor(CommandLine &line) {
    Command command =
        line.add("doctor", "Checks what this program needs on this machine, and says what to do");
    static bool as_json = false;
    command.add_flag("--json", as_json, "Print JSON");
    command.footer("ok: works; warn: it is not there, and need not be; FAIL: it should work and does not "
                   "(exit code 1).\n"
                   "Examples:\n"
                   "  tilewright doctor\n"
                   "  tilewright doctor --json > doctor.json\n");
    command.run([] { doctor(as_json); });
}

}  // namespace tilewright::app
