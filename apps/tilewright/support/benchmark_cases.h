#pragma once
// What `bench` times: the data, the devices and the rows that its command line means.
#include "apps/tilewright/support/benchmark.h"
#include "apps/tilewright/support/call_data.h"
#include "apps/tilewright/support/selection.h"
#include <string>
#include <vector>

namespace tilewright::app {

// The words of the command line about it.
struct CaseWords {
    std::vector<std::string> sizes;  // of the workloads' samples; none: each operator's own
    RowWords rows;
    DataWords data;  // files, and what goes with them; options of operators
    int64_t row_bytes = Array::padded;
};

// One set of data on one device, and the rows that are timed on it.
struct Case {
    const Operator *op = nullptr;
    BenchmarkData data;
    Device device;
    std::vector<const Row *> rows;
    std::vector<std::string> conversions;  // what was done to files so that the operator takes them
};

// All cases, in the order of operators, types, sizes, settings and devices. Rows that no device can run are
// left out. Errors: usage, for words that no chosen operator knows or that exclude each other; input, for
// files; device, when no row can run.
std::vector<Case> cases_of(
    const std::vector<const Operator *> &chosen, const CaseWords &words, const std::vector<Device> &devices);

}  // namespace tilewright::app
