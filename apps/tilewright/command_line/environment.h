#pragma once
// What the environment says for every command: the device and the number of threads.
#include "apps/tilewright/command_line/command_line.h"
#include "tilewright/device.h"
#include <optional>
#include <string>

namespace tilewright::app {

// The section of the help about the environment.
std::string environment_help();

// The word of TILEWRIGHT_DEVICE; empty where it is not set.
std::string device_of_environment();

// Adds --device, whose default is TILEWRIGHT_DEVICE or "auto", and --threads.
void add_device_and_threads(Command &command, std::string &device);

// The same for a command that works on several devices, which its --device names with commas between them.
void add_devices_and_threads(Command &command, std::string &devices);

// The device that the word means. Errors: usage, device; they name TILEWRIGHT_DEVICE where it is the word's
// origin.
Device device_of(const std::string &word);

// The same for a call; nothing for `auto`, where the call itself chooses one.
std::optional<Device> asked_device(const std::string &word);

// Errors: usage, where TILEWRIGHT_INSTRUCTION_SET is none that this program knows.
void check_instruction_set();

// Gives Halide as many threads as TILEWRIGHT_THREADS says, if it says a number. Errors: usage.
void take_threads_of_environment();

}  // namespace tilewright::app
