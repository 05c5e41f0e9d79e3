#pragma once
#include "tilewright/operator.h"
#include <string>

// Rows run one by one and held against another row's output, for `verify`, `bench` and `doctor`.
namespace tilewright::app {

// What an output should be, and how far it may be off.
struct Expected {
    Array output;
    Array bound;
    const Row *row = nullptr;  // what computed it
};

// A new output for the sample, with bytes in it that no operator would leave by accident.
Array spoiled_output(const Operator &op, const Sample &sample);

// The row of that schedule that runs on the CPU with this type, or none.
const Row *cpu_row(const Operator &op, const std::string &schedule, const std::string &type);

// Whether the row can run on this sample.
bool serves(const Operator &op, const Row &row, const Sample &sample, const Array &output);

// Runs `row` on the CPU.
Expected expect(const Operator &op, const Row &row, const Sample &sample);

// The first difference as a sentence, or an empty string. The expected output is itself an approximation of its class, so
// that twice the bound is allowed.
std::string difference(const Array &output, const Expected &expected);

// Holds the output of a call against the reference row of its type, on the CPU. Errors: mismatch, with the first difference; failed,
// when there is no such row.
void check_against_reference(const Operator &op, const Sample &sample, const Array &output, const Device &device);

}  // namespace tilewright::app
