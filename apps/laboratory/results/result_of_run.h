#pragma once
// What was timed, as the JSON objects that docs/JSON.md describes.
#include "apps/laboratory/benchmark/benchmark.h"
#include "apps/tilewright/terminal/json.h"
#include <string>

namespace tilewright::app {

// "sigma=3, border=reflect"; empty where there is none.
std::string text_of(const Settings &settings);

// One run: an element of `runs` of `bench --json`.
Json json(const Run &run);

// The same as one line of a results file: the run with the version of its fields, and with the machine and
// the programs that it was timed with.
Json results_line(const Run &run);

}  // namespace tilewright::app
