#pragma once
// One call of an operator on files: they are read and fitted, the operator runs, and the result is written.
#include "apps/tilewright/calls/call_options.h"
#include "apps/tilewright/pictures/fitting.h"
#include "apps/tilewright/pictures/input_and_output.h"
#include "tilewright/operator.h"
#include <optional>
#include <string>
#include <vector>

namespace tilewright::app {

// What all calls of one command share.
struct Operation {
    const Operator *op = nullptr;
    std::optional<Device> device;  // unset: the operator chooses one for each call
    Settings settings;
    const CallOptions &options;
};

// What an operator did. A picture whose channels are separate calls has statistics of the last one, with the
// counters of all.
struct WorkReport {
    Statistics statistics;
    Remarks remarks;
    std::string verified;  // what the result was compared with; empty: it was not
};

// What a call of an operator or of a pipeline did, for --stats.
struct CallReport {
    std::vector<std::string> inputs, conversions;
    std::string output;
    Device device;
    WorkReport work;                 // of a pipeline, its counters alone
    std::vector<WorkReport> stages;  // of a pipeline
    CallTimes times;
};

// Runs the operator on the inputs and writes the result. Everything that can be refused is refused before the
// operator computes. Errors: all of them.
CallReport run_on_files(
    const Operation &operation, const std::vector<std::string> &inputs, const Output &output);

}  // namespace tilewright::app
