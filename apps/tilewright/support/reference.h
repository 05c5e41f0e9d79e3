#pragma once
#include "tilewright/operator.h"
#include "tilewright/workload.h"
#include <string>

// Rows run one by one and held against what they should give, for `verify`, `bench`, `doctor` and `--check`.
namespace tilewright::app {

// What an output should be, and how far it may be off.
struct Expected {
    Array output;
    Array bound;
    const Row *row = nullptr;  // what computed it; none: the plain definition, which is exact
};

// A new output for the sample, with bytes in it that no operator would leave by accident.
Array spoiled_output(const Operator &op, const Sample &sample);

// The row of that schedule that runs on the CPU with this type, or none.
const Row *cpu_row(const Operator &op, const std::string &schedule, const std::string &type);

// Whether the row can run on this sample.
bool serves(const Operator &op, const Row &row, const Sample &sample, const Array &output);

// Runs `row` on the CPU.
Expected expect(const Operator &op, const Row &row, const Sample &sample);

// What a row on that backend should give: by the operator's plain definition, or, where none is registered, by the reference row of its
// type. Errors: failed, when there is neither; those of the row.
Expected expect(const Operator &op, const Sample &sample, Backend backend);

// The first difference as a sentence, or an empty string. The output of a row is itself an approximation of its class, so that twice the
// bound is allowed; the plain definition is exact, and once is.
std::string difference(const Array &output, const Expected &expected);

// "the plain definition", or "its reference row; no plain definition is registered".
std::string source_of(const Expected &expected);

// Holds the output that a row (by its name) gave on a device against what it should be. Returns against what that was. Errors: mismatch,
// with the first difference; those of expect().
std::string check_result(const Operator &op, const Sample &sample, const Array &output, Device device, const std::string &row);

}  // namespace tilewright::app
