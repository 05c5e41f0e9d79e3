#pragma once
// What the environment says for every command: the devices and the number of threads.
#include "apps/tilewright/command_line/command_line.h"
#include "tilewright/device.h"
#include <optional>
#include <string>

namespace tilewright::app {

// The section of the help about the environment.
std::string environment_help();

// The words of TILEWRIGHT_DEVICE, which may be several with commas; empty where it is not set.
std::string devices_of_environment();

// Adds --device, whose default is "auto", and --threads. A call on "auto" takes the device of
// TILEWRIGHT_DEVICE, unless --device itself says auto.
void add_device_and_threads(Command &command, std::string &device);

// The same for a command that works on several devices, which its --device names with commas between them.
// The default is TILEWRIGHT_DEVICE or "auto".
void add_devices_and_threads(Command &command, std::string &devices);

// The device that the word means; of `auto` best_device(). Errors: usage, device; they name TILEWRIGHT_DEVICE
// where it is the word's origin.
Device device_of(const std::string &word);

// The same for a call; nothing for `auto`, where the call itself chooses one.
std::optional<Device> asked_device(const std::string &word);

// Errors: usage, where TILEWRIGHT_INSTRUCTION_SET is none that this program knows.
void check_instruction_set();

}  // namespace tilewright::app
