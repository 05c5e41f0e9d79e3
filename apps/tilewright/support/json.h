#pragma once
// What the commands print with --json. A file that builds a Json includes <nlohmann/json.hpp> as well, which
// is large.
#include "tilewright/device.h"
#include "tilewright/row.h"
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tilewright::app {

using Json = nlohmann::ordered_json;

Json json(const DeviceInfo &info);
Json json(const Row &row);

// The text of a report, and that text printed to standard output. Errors of print: failed, when it cannot be
// written.
std::string text_of(const Json &json);
void print(const Json &json);

}  // namespace tilewright::app
