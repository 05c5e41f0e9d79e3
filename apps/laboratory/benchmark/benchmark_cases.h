#pragma once
// What `bench` and `explore` time: the data, the devices and the rows that their command lines mean.
#include "apps/laboratory/benchmark/benchmark.h"
#include "apps/tilewright/built_variants/tunable_options.h"
#include "apps/tilewright/calls/call_arguments.h"
#include "apps/tilewright/command_line/variant_options.h"
#include <functional>
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

// Adds --size, --input, --row-pitch, what goes with files, and the options of all operators. `words` outlives
// the command.
void add_case_data(Command &command, CaseWords &words);

// Whether a row that the words ask for is timed on a device. `runs_here`: whether it can run there.
using TakesRow = std::function<bool(const Row &, Device)>;
bool runs_here(const Row &row, Device device);

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

// The devices of the cases, each once.
std::vector<Device> devices_of(const std::vector<Case> &cases);

// All cases, in the order of operators, types, sizes, settings and devices. Without devices: for each
// operator and type the best one that can run its rows; where schedules are named of which it has none, the
// best one for these too. Rows that `takes` refuses are
// left out; a row that takes values of `tunables` stands there once for each of its points, and any other row
// as it is. Errors: usage, for words that no chosen operator knows or that exclude each other; input, for
// files; device, when no row can run.
std::vector<Case> cases_of(const std::vector<const Operator *> &chosen, const CaseWords &words,
    const std::vector<Device> &devices, const TakesRow &takes = runs_here);

}  // namespace tilewright::app
