#pragma once
// What `bench` and `explore` time: the data, the devices and the variants that their command lines mean.
#include "apps/laboratory/benchmark/benchmark.h"
#include "apps/tilewright/built_variants/tunable_options.h"
#include "apps/tilewright/calls/call_arguments.h"
#include "apps/tilewright/command_line/variant_options.h"
#include <functional>
#include <string>
#include <vector>

namespace tilewright::app {

// The options of the command line about it.
struct CaseOptions {
    std::vector<std::string> sizes;  // of the workloads' samples; none: each operator's own
    VariantOptions variants;
    DataOptions data;  // files, and what goes with them; options of operators
    int64_t row_bytes = Array::padded;
    std::vector<std::string> tunables;
};

// Adds --size, --input, --row-pitch, what goes with files, and the options of all operators. `options`
// outlives the command.
void add_case_data(Command &command, CaseOptions &options);

// Whether a variant that the words ask for is timed on a device. `runs_here`: whether it can run there.
using TakesVariant = std::function<bool(const Variant &, Device)>;
bool runs_here(const Variant &variant, Device device);

// A variant of the table, or one that is built with other values of its tunables.
struct AskedVariant {
    const Variant *variant = nullptr;
    TunableValues point = {};  // none: the variant as it is

    Variant named() const;  // the variant with those values, without a library: for its name
};

// One set of data on one device, and the variants that are timed on it.
struct Case {
    const Operator *op = nullptr;
    BenchmarkData data;
    Device device;
    std::vector<AskedVariant> variants;
    std::vector<std::string> conversions;  // what was done to files so that the operator takes them
};

// The devices of the cases, each once.
std::vector<Device> devices_of(const std::vector<Case> &cases);

// All cases, in the order of operators, types, sizes, settings and devices. Without devices: for each
// operator and type the best one that can run its variants; where schedules are named of which it has none,
// the best one for these too. Variants that `takes` refuses are left out; a variant that takes values of
// `tunables` stands there once for each of its points, and any other variant as it is. Errors: usage, for
// words that no chosen operator knows or that exclude each other; input, for files; device, when no variant
// can run.
std::vector<Case> cases_of(const std::vector<const Operator *> &chosen, const CaseOptions &options,
    const std::vector<Device> &devices, const TakesVariant &takes = runs_here);

}  // namespace tilewright::app
