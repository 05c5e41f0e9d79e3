#pragma once
// The data that variants and peers are timed on.
#include "tilewright/operator.h"
#include "tilewright/workload.h"
#include <optional>
#include <string>

namespace tilewright::app {

// The sample of the operator's workload, or arrays of the user's own.
struct BenchmarkData {
    std::string type;
    DataSize size = {};                 // of the workload's sample
    Settings settings = {};             // of the workload's sample
    std::optional<Sample> own = {};     // in place of the workload's sample
    int64_t row_bytes = Array::padded;  // from a row of an image to the next one, as Array has it
};

// The sample to time, with the settings that were asked for even where the workload does not know them.
// Errors: usage, for a pitch that is too short for the rows of an array, or no multiple of their elements.
Sample sample_of(const Operator &op, const BenchmarkData &data);

}  // namespace tilewright::app
