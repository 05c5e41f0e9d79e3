#pragma once
#include "tilewright/device.h"
#include "tilewright/row.h"
#include "runtime/dispatch/option_text.h"
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

// Words and numbers as the subcommands print them. Data goes to standard output, words to standard error.
namespace tilewright::app {

using Json = nlohmann::ordered_json;

// Ends in one line, whatever the message holds.
std::string one_line(const std::string &text);

// Lines of cells as columns; the first line is the heading.
std::string table(const std::vector<std::vector<std::string>> &lines);

// "140 GB", "12.5 MB"
std::string bytes(double count);

std::string joined(const std::vector<std::string> &words, const std::string &between = " ");

std::string name_of(Backend backend);

Json json(const DeviceInfo &info);
Json json(const Row &row);

// Prints to standard output. Errors: failed, when it cannot be written.
void print(const std::string &text);
void print(const Json &json);

}  // namespace tilewright::app
