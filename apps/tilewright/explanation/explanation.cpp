// Asks the variants, runs the call, and measures what its time is compared with.
#include "apps/tilewright/explanation/explanation.h"
#include "apps/tilewright/built_variants/tunable_options.h"
#include "apps/tilewright/calls/call_options.h"
#include "apps/tilewright/command_line/variant_options.h"
#include "apps/tilewright/terminal/printing.h"
#include "apps/tilewright/timing/measure.h"
#include "runtime/arrays/storage.h"
#include "runtime/devices/memory/host_memory.h"
#include "runtime/devices/memory/memory_pool.h"
#include "runtime/dispatch/steps/plan.h"
#include "tilewright/error.h"
#include "tilewright/timing.h"
#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace tilewright::app {

namespace {

VariantAnswer answer_of(
    const Operator &op, const Variant &variant, const Request &request, const Array &output, Device device) {
    VariantAnswer answer{&variant, false, why_not_here(variant, {device}, true)};
    if (!answer.why_not.empty()) {
        return answer;
    }
    try {
        answer.serves = op.serves(variant, request, output);
        answer.why_not = answer.serves ? "" :
                                         "it takes other sizes, alignments or settings than these" +
                                             (variant.summary.empty() ? "" : ". " + variant.summary);
    } catch (const Error &error) {  // the library of an autoscheduler is asked itself
        answer.why_not = one_line(error.what());
    }
    return answer;
}

std::string why_chosen(const Explanation &e) {
    for (const VariantAnswer &answer : e.variants) {
        if (answer.variant == e.chosen && e.schedule == "tuned" && answer.predicted_ms) {
            return fmt::format(
                "of the variants that serve the data and whose times are known it has the least predicted "
                "time, "
                "{:.4g} ms by {}, or comes first in the table of those that are as fast within 5 %{}",
                *answer.predicted_ms, e.predicted_from,
                e.most_factor == 0 ?
                    "" :
                    fmt::format("; of predictions from this file half are within a factor of "
                                "{:.3g}, nine in ten within {:.3g}",
                        e.median_factor, e.most_factor));
        }
    }
    std::vector<std::string> before;
    size_t named = 0;
    bool reached = false;
    for (const VariantAnswer &answer : e.variants) {
        if (!answer.variant->belongs_to(e.schedule)) {
            continue;
        }
        named++;
        reached = reached || answer.variant == e.chosen;
        if (!reached) {
            before.push_back(answer.variant->schedule);
        }
    }
    if (named == 1) {
        return fmt::format("the schedule '{}' names this variant alone", e.schedule);
    }
    return fmt::format(
        "the schedule '{}' names {} variants, asked in the order of this table; it is the first that "
        "serves the data{}",
        e.schedule, named, before.empty() ? "" : fmt::format(" ({} did not)", joined(before, ", ")));
}

// Adds the times by which `tuned` chooses, where that was asked for.
void add_predictions(Explanation &e, const Request &request) {
    if (e.schedule != "tuned") {
        return;
    }
    for (const PredictedTime &time : e.op->predicted_times(request, e.device)) {
        for (VariantAnswer &answer : e.variants) {
            if (answer.variant == time.variant) {
                answer.predicted_ms = time.ms;
                e.predicted_from = time.from;
                e.median_factor = time.median_factor;
                e.most_factor = time.most_factor;
            }
        }
    }
}

// The libraries and their kernels of one call that finds everything loaded and all data on the device.
void record(Explanation &e, const CallData &data, Array &output) {
    LaunchRecording recording;
    Statistics statistics;
    const auto start = std::chrono::steady_clock::now();
    e.op->execute(*e.chosen, e.device, *data.request, output, &statistics);
    e.first_ms = ms_since(start);
    recording.take();
    e.op->run(*e.chosen, e.device, *data.request, output);
    synchronize(e.device);
    e.libraries = recording.take();
}

// Whether results of the first libraries decided which others ran (Plan::then).
bool values_decided(const Explanation &e, const CallData &data, Array &output) {
    const auto ran = [&](const std::string &name) {
        return std::any_of(e.libraries.begin(), e.libraries.end(),
            [&](const LibraryRun &library) { return library.variant == name; });
    };
    const std::vector<const Variant *> planned =
        e.op->plan(*e.chosen, e.device, *data.request, output).variants();
    return std::any_of(
        planned.begin(), planned.end(), [&](const Variant *variant) { return !ran(variant->name()); });
}

// Counts memory from its construction on.
class MemoryOfCall {
public:
    MemoryOfCall() {
        for (driver::MemoryPool *memory : {&driver::cuda_memory(), &driver::opencl_memory()}) {
            memory->restart_peak();
        }
        driver::host_memory().restart_peak();
    }

    // `e.argument_bytes`, which were on the host before, are there.
    void write(Explanation &e) const {
        e.host_peak = driver::host_memory().use().peak - before_ + e.argument_bytes;
        if (e.device.backend != Backend::cpu) {
            auto &memory =
                e.device.backend == Backend::cuda ? driver::cuda_memory() : driver::opencl_memory();
            e.device_peak = memory.use().peak;
        }
    }

private:
    const size_t before_ = driver::host_memory().use().taken;
};

uint64_t bytes_of(const CallData &data, const Array &output) {
    uint64_t bytes = output.storage()->bytes();
    for (const Array &input : data.inputs) {
        bytes += input.storage()->bytes();
    }
    return bytes;
}

// The median time of calls in batches; about a second of them.
void time_calls(Explanation &e, const CallData &data, Array &output) {
    const auto call = [&] { e.op->run(*e.chosen, e.device, *data.request, output); };
    const double one = std::max(1e-3, app::call_ms(e.device, call));
    constexpr double wanted_ms = 1000;
    constexpr int most_batches = 9, most_calls = 20;
    const int calls = std::clamp((int)(wanted_ms / one / most_batches), 1, most_calls);
    const int batches = std::clamp((int)(wanted_ms / one), 1, most_batches);
    std::vector<double> ms;
    for (int i = 0; i < batches; i++) {
        ms.push_back(device_time_ms(e.device, [&] {
            for (int n = 0; n < calls; n++) {
                call();
            }
        }) / calls);
    }
    std::nth_element(ms.begin(), ms.begin() + (std::ptrdiff_t)ms.size() / 2, ms.end());
    e.call_ms = ms[ms.size() / 2];
    e.calls = calls * batches;
}

}  // namespace

Explanation explain(const Operator &op, const CallData &data, const std::string &schedule, Device device,
    const TunableValues &tunables) {
    Explanation e;
    e.op = &op;
    e.device = device;
    e.schedule = schedule;
    e.data = data.what;
    e.conversions = data.conversions;
    e.calls_of_command = data.calls;
    e.type = data.request->type;
    Array output(data.request->output_type, data.request->output_shape);
    for (const Variant &variant : op.variants()) {
        if (variant.backend == device.backend && variant.type == e.type) {
            e.variants.push_back(answer_of(op, variant, *data.request, output, device));
        } else {
            e.other_variants++;
        }
    }
    e.argument_bytes = bytes_of(data, output);
    const MemoryOfCall memory;
    e.chosen = &op.choose(*data.request, output, schedule, device);
    add_predictions(e, *data.request);
    e.why_chosen = why_chosen(e);
    const Variant &in_table = *e.chosen;
    if (!tunables.empty()) {
        e.chosen = &variant_at(in_table, tunables);
        e.variants.push_back(answer_of(op, *e.chosen, *data.request, output, device));
        if (!e.variants.back().serves) {
            throw Error(Fault::input, e.variants.back().why_not, {.operation = e.chosen->name()});
        }
        e.why_chosen += "; it was built with other tunables";
    }
    record(e, data, output);
    e.values_decided = values_decided(e, data, output);
    memory.write(e);
    time_calls(e, data, output);
    e.work = workload_of(op).work(data.inputs, output, data.settings);
    for (const LibraryRun &library : e.libraries) {
        e.moved_bytes += library.argument_bytes + 2 * library.scratch_bytes;
        e.accesses.push_back(accesses_of(library, *e.chosen, in_table));
    }
    try {
        e.copy_rate = copy_rate(device);
    } catch (const Error &error) {
        e.no_copy_rate = one_line(error.what());
    }
    return e;
}

}  // namespace tilewright::app
