#pragma once
// What `explain` finds out about a call.
#include "apps/tilewright/built_variants/tunables.h"
#include "apps/tilewright/calls/call_arguments.h"
#include "apps/tilewright/explanation/warp_accesses.h"
#include "apps/tilewright/terminal/json.h"
#include "tilewright/launches.h"
#include "tilewright/workload.h"
#include <optional>
#include <string>
#include <vector>

namespace tilewright::app {

// Whether a variant serves the data, and why it does not.
struct VariantAnswer {
    const Variant *variant = nullptr;
    bool serves = false;
    std::string why_not = {};
    std::optional<double> predicted_ms = {};  // of variants that `tuned` may take and whose times are known
};

struct Explanation {
    const Operator *op = nullptr;
    Device device;
    std::string schedule, data, type;
    std::vector<std::string> conversions;  // of the files, as CallData has them
    size_t calls_of_command = 1;           // of which this explains the first
    std::vector<VariantAnswer> variants;   // of the data's type on the device's backend, in the table's order
    size_t other_variants = 0;             // of other types and backends
    const Variant *chosen = nullptr;
    std::string why_chosen;
    std::string predicted_from;                 // the file of measured times
    double median_factor = 0, most_factor = 0;  // how far its predictions are off: PredictedTime
    // Whether the values of the data decided which libraries of the variant's plan ran: then the predicted
    // time holds for data like that which was measured.
    bool values_decided = false;

    std::vector<LibraryRun> libraries;      // that one call ran, warm
    std::vector<LibraryAccesses> accesses;  // one for each library
    uint64_t moved_bytes = 0;  // at least: what the libraries take and give, and values between kernels twice
    Work work;                 // of the call
    // The most memory that the call had at a time, its inputs and its output included, and these alone.
    // Blocks below 64 KiB of host memory are not counted.
    uint64_t host_peak = 0, device_peak = 0, argument_bytes = 0;
    double first_ms = 0;  // of the first call, which loads or compiles kernels and copies the inputs
    double call_ms = 0;   // of one call of several, without copies from and to the host
    int calls = 0;        // so many
    std::optional<double> copy_rate;  // bytes per second
    std::string no_copy_rate;         // why there is none
};

// Runs the call and explains it; with values of tunables, by the chosen variant as it is built with them.
// Errors: those of a call, and those of built_variant().
Explanation explain(const Operator &op, const CallData &data, const std::string &schedule, Device device,
    const TunableValues &tunables = {});

// As text and as JSON.
std::string text_of(const Explanation &explanation);
Json json(const Explanation &explanation);

}  // namespace tilewright::app
