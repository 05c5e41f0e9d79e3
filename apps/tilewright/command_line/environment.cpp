#include "apps/tilewright/command_line/environment.h"
#include "apps/tilewright/terminal/printing.h"
#include "apps/tilewright/timing/threads.h"
#include "tilewright/error.h"
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>

namespace tilewright::app {

namespace {

constexpr int most_threads = 256;  // of Halide's runtime

std::string value_of(const char *name) {
    const char *value = getenv(name);
    return value != nullptr ? value : "";
}

void take_threads(const std::string &text, const char *origin) {
    int threads = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
    if (error != std::errc() || end != text.data() + text.size() || threads < 1 || threads > most_threads) {
        throw Error(Fault::usage, fmt::format("takes a whole number from 1 to {}", most_threads),
            {.argument = origin, .value = text});
    }
    set_threads(threads);
}

}  // namespace

std::string environment_help() {
    return "Environment:\n"
           "  TILEWRIGHT_DEVICE           The device of commands without --device\n"
           "  TILEWRIGHT_THREADS          The number of threads on the CPU of commands without --threads\n"
           "  TILEWRIGHT_INSTRUCTION_SET  avx2 or x86-64: CPU code without AVX-512, or for any x86-64\n"
           "  TILEWRIGHT_CACHE            The folder of compiled device programs; off: none are kept\n"
           "  TILEWRIGHT_MEASURED         The folder of the times that `calibrate` measured; off: none are "
           "read\n"
           "  TILEWRIGHT_GENERATORS       A folder of generator programs, for `show`, `explain`,\n"
           "                              `explore` and `bench --tunable`\n"
           "  NO_COLOR                    Anything: no colours on a terminal\n"
           "  HL_NUM_THREADS              Halide's own number; --threads and TILEWRIGHT_THREADS go before "
           "it\n"
           "  OCL_ICD_VENDORS             Of OpenCL's loader: the folder of the drivers that it finds\n";
}

std::string device_of_environment() {
    return value_of("TILEWRIGHT_DEVICE");
}

static void add_device_and_threads(Command &command, std::string &device, const std::string &help) {
    const std::string of_environment = device_of_environment();
    device = of_environment.empty() ? "auto" : of_environment;
    command.add("--device", device, help)
        .default_text(one_line(device))
        .offer({"auto", "cpu", "cuda", "opencl"});
    command
        .add(
            "--threads",
            [](const std::string &text) {
                take_threads(text, "--threads");
                setenv("TILEWRIGHT_THREADS", text.c_str(), 1);  // for processes that this one starts
            },
            fmt::format("Threads on the CPU, 1 to {}; without it as the environment says, or one per CPU",
                most_threads))
        .value_name("NUMBER");
}

void add_device_and_threads(Command &command, std::string &device) {
    add_device_and_threads(command, device, "auto, cpu, cuda[:i] or opencl[:i]");
}

void add_devices_and_threads(Command &command, std::string &devices) {
    add_device_and_threads(
        command, devices, "auto, cpu, cuda[:i] or opencl[:i], several with commas, or all that can be used");
}

Device device_of(const std::string &word) {
    try {
        return Device::parse(word);
    } catch (const Error &error) {
        const std::string of_environment = device_of_environment();
        if (("," + of_environment + ",").find("," + word + ",") == std::string::npos) {
            throw;
        }
        throw Error(error.fault(),
            fmt::format("{} (the environment's TILEWRIGHT_DEVICE is {})", error.what(), of_environment));
    }
}

std::optional<Device> asked_device(const std::string &word) {
    return word == "auto" ? std::nullopt : std::optional(device_of(word));
}

void check_instruction_set() {
    if (const std::string cpu = value_of("TILEWRIGHT_INSTRUCTION_SET");
        !cpu.empty() && cpu != "avx2" && cpu != "x86-64") {
        throw Error(
            Fault::usage, "takes avx2 or x86-64", {.argument = "TILEWRIGHT_INSTRUCTION_SET", .value = cpu});
    }
}

void take_threads_of_environment() {
    if (const std::string text = value_of("TILEWRIGHT_THREADS"); !text.empty()) {
        take_threads(text, "TILEWRIGHT_THREADS");
    }
}

}  // namespace tilewright::app
