#pragma once
// What the commands print with --json. A file that builds a Json includes <nlohmann/json.hpp> as well, which
// is large.
#include "tilewright/device.h"
#include "tilewright/row.h"
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tilewright::app {

using Json = nlohmann::ordered_json;

// The version of the fields of all JSON that has rows or runs in it.
constexpr int json_version = 2;

Json json(const DeviceInfo &info);

// A row: the fields that every JSON object about a row has (docs/JSON.md), and with those that `list` adds.
Json json(const Row &row);
Json listed(const Row &row);

// The text of a report, and that text printed to standard output. Errors of print: failed, when it cannot be
// written.
std::string text_of(const Json &json);
void print(const Json &json);

}  // namespace tilewright::app
