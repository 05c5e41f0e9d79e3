#include "apps/tilewright/command_line/environment.h"
#include "apps/tilewright/terminal/printing.h"
#include "apps/tilewright/timing/threads.h"
#include "runtime/devices/best_device.h"
#include "runtime/devices/calls/halide_calls.h"
#include "runtime/process/environment.h"
#include "tilewright/error.h"
#include <cstdlib>
#include <fmt/format.h>

namespace tilewright::app {

std::string environment_help() {
    return "Environment:\n"
           "  TILEWRIGHT_DEVICE           The device of commands without --device\n"
           "  TILEWRIGHT_THREADS          The number of threads on the CPU of commands without --threads\n"
           "  TILEWRIGHT_INSTRUCTION_SET  avx2 or x86-64: CPU code without AVX-512, or for any x86-64\n"
           "  TILEWRIGHT_MEASURED         The folder of the times that `calibrate` measured; off: none are "
           "read\n"
           "  TILEWRIGHT_GENERATORS       A folder of generator programs, for `show`, `explain`,\n"
           "                              `explore` and `bench --tunable`\n"
           "  NO_COLOR                    Any value: no colours on a terminal\n"
           "  HL_NUM_THREADS              The number of threads of Halide, where neither --threads\n"
           "                              nor TILEWRIGHT_THREADS says it\n"
           "  OCL_ICD_VENDORS             The folder in which OpenCL's loader looks for drivers\n";
}

std::string devices_of_environment() {
    return environment_value("TILEWRIGHT_DEVICE");
}

static void add_device_and_threads(Command &command, std::string &device, const std::string &help) {
    const auto take = [&device](const std::string &word) {
        device = word;
        if (word == "auto") {  // goes before the variable, which the library reads at the first call
            unsetenv("TILEWRIGHT_DEVICE");
        }
    };
    const std::string of_environment = devices_of_environment();
    command.add("--device", take, help)
        .default_text(of_environment.empty() ? "auto" : one_line(of_environment))
        .offer({"auto", "cpu", "cuda", "opencl"});
    command
        .add(
            "--threads",
            [](const std::string &text) {
                set_threads(threads_in(text, "--threads"));
                setenv("TILEWRIGHT_THREADS", text.c_str(), 1);  // for processes that this one starts
            },
            fmt::format("Threads on the CPU, 1 to {}; without it as the environment says, or one per CPU",
                most_threads))
        .value_name("NUMBER");
}

void add_device_and_threads(Command &command, std::string &device) {
    device = "auto";
    add_device_and_threads(command, device, "auto, cpu, cuda[:i] or opencl[:i]");
}

void add_devices_and_threads(Command &command, std::string &devices) {
    devices = devices_of_environment().empty() ? "auto" : devices_of_environment();
    add_device_and_threads(
        command, devices, "auto, cpu, cuda[:i] or opencl[:i], several with commas, or all that can be used");
}

Device device_of(const std::string &word) {
    if (word == "auto") {
        return best_device();
    }
    const std::string all = "," + devices_of_environment() + ",";
    return all.find("," + word + ",") != std::string::npos ? device_of_environment(word) :
                                                             Device::parse(word);
}

std::optional<Device> asked_device(const std::string &word) {
    return word == "auto" ? std::nullopt : std::optional(device_of(word));
}

void check_instruction_set() {
    if (const std::string cpu = environment_value("TILEWRIGHT_INSTRUCTION_SET");
        !cpu.empty() && cpu != "avx2" && cpu != "x86-64") {
        throw Error(
            Fault::usage, "takes avx2 or x86-64", {.argument = "TILEWRIGHT_INSTRUCTION_SET", .value = cpu});
    }
}

}  // namespace tilewright::app
