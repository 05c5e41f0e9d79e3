#pragma once
// The process that builds, verifies and times points for `explore`. It is this same program with other words,
// so that a point that crashes or hangs ends neither the search nor what was measured.
#include "apps/laboratory/benchmark/benchmark.h"
#include "apps/tilewright/terminal/json.h"
#include <string>
#include <vector>

namespace tilewright::app {

// The option of `explore` that makes this program such a process.
constexpr const char *serve_points_option = "--serve-points";

// Reads tasks from standard input, one JSON object per line, and answers each with one line on standard
// output. A task has
//   generator: what --generator and its options say, where the operator is a generator of somebody else's;
//   operator, data, device, limit (seconds): on what it is timed (data_json), and how long that may take;
//   variant, tunables: the variant's name in the table, and "tile=16,pad=1"; without tunables the variant
//   itself;
//   bundle: the folder of a bundle, which has the libraries of all points; without it they are built.
// The answer is {"line": {...}}, the line of a results file; {"skipped": "the reason"} where
// the variant does not serve the data; or {"failed": "the reason"}, and with it
// "refused": true where no library could be made, so that the device had no part in it, and
// "missing_tool": true where that is because a program that makes libraries is missing.
// The task {"check": "cuda:0", "operator": "transpose"} runs the operator's tuned variant on little data, and
// is answered with {} where the result was right.
void serve_points();

// The data of a point, as a task has it. Of arrays of the user's own, `inputs` are the files.
Json data_json(const BenchmarkData &data, const std::vector<std::string> &inputs);
BenchmarkData data_of(const Json &json);

}  // namespace tilewright::app
