#pragma once
// What the commands print with --json. A file that builds a Json includes <nlohmann/json.hpp> as well, which
// is large.
#include "tilewright/device.h"
#include "tilewright/variant.h"
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace tilewright::app {

using Json = nlohmann::ordered_json;

// The version of the fields of all JSON that has variants or runs in it.
constexpr int json_version = 2;

Json json(const DeviceInfo &info);

// A variant: the fields that every JSON object about a variant has (docs/JSON.md), and with those that `list`
// adds.
Json json(const Variant &variant);
Json listed(const Variant &variant);

// The value of a JSON text; `is_discarded()` where the text is not JSON. Errors: input, where it is nested so
// deep, or has an object of so many members, that a program may end or wait for it; `name` says what the text
// is.
Json json_in(std::string_view text, const std::string &name);

// The text of a file of JSON. Errors: input, where it cannot be read, is too long, or is a pipe that has a
// name: opening it could wait for ever. /dev/stdin and what this process has open already (<(...)) are read.
std::string json_text_of(const std::string &path);

// The whole number that a value is. Errors: Json::exception, where it is no number; std::out_of_range, where
// it is none that int holds.
int int_of(const Json &value);

// The text of a report, in ASCII with all other letters escaped; and that text printed to standard output.
// Errors of print: failed, when it cannot be written.
std::string text_of(const Json &json);
void print(const Json &json);

}  // namespace tilewright::app
