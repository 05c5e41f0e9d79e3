#pragma once
// What --stats says of calls of operators and pipelines: as lines on standard error, or as JSON.
#include "apps/tilewright/calls/operation.h"
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace tilewright::app {

// Prints the lines of one call. `is_one_of_many`: its files are named first.
void print_report(const CallReport &report, bool is_one_of_many);

// Prints what the results were compared with, if they were.
void print_verified(const CallReport &report);

// {"version": 1, "device", "calls": [...]}: times in milliseconds, and what was counted. The device is that
// of the first call (each call names its own too); `otherwise`, where there is none.
nlohmann::ordered_json json(const std::vector<CallReport> &reports, Device otherwise);

}  // namespace tilewright::app
