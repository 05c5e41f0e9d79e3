#pragma once
// What `bench` times: the data, the devices and the rows that its command line means.
#include "apps/tilewright/support/benchmark.h"
#include "apps/tilewright/support/call_data.h"
#include "apps/tilewright/support/selection.h"
#include "apps/tilewright/support/tunable_grid.h"
#include <string>
#include <vector>

namespace tilewright::app {

// The words of the command line about it.
struct CaseWords {
    std::vector<std::string> sizes;  // of the workloads' samples; none: each operator's own
    RowWords rows;
    DataWords data;  // files, and what goes with them; options of operators
    int64_t row_bytes = Array::padded;
    std::vector<std::string> tunables;
};

// A row of the table, or one that is built with other values of its tunables.
struct AskedRow {
    const Row *row = nullptr;
    TunableValues point = {};  // none: the row as it is

    Row named() const;  // the row with those values, without a library: for its name
};

// One set of data on one device, and the rows that are timed on it.
struct Case {
    const Operator *op = nullptr;
    BenchmarkData data;
    Device device;
    std::vector<AskedRow> rows;
    std::vector<std::string> conversions;  // what was done to files so that the operator takes them
};

// All cases, in the order of operators, types, sizes, settings and devices. Rows that no device can run are
// left out; a row that takes values of `tunables` stands there once for each of its points, and any other row
// as it is. Errors: usage, for words that no chosen operator knows or that exclude each other; input, for
// files; device, when no row can run.
std::vector<Case> cases_of(
    const std::vector<const Operator *> &chosen, const CaseWords &words, const std::vector<Device> &devices);

}  // namespace tilewright::app
