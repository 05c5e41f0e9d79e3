// Runs as JSON objects.
#include "apps/laboratory/results/result_of_run.h"
#include "apps/tilewright/terminal/printing.h"
#include "apps/tilewright/timing/machine.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tilewright::app {

std::string text_of(const Settings &settings) {
    std::vector<std::string> words;
    for (const auto &[name, value] : settings.all()) {
        words.push_back(value.index() == 0 ? fmt::format("{}={}", name, std::get<double>(value)) :
                                             name + "=" + std::get<std::string>(value));
    }
    return joined(words);
}

namespace {

Json json(const Times &times) {
    return {{"median", times.median}, {"p10", times.p10}, {"p90", times.p90}};
}

// What was timed: a variant, or a peer of the operator.
Json subject_of(const Run &run) {
    if (run.variant) {
        return app::json(*run.variant);
    }
    return {{"peer", run.peer}, {"operator", run.op}, {"type", run.type},
        {"backend", name_of(run.device.backend)}};
}

// The names of Google Benchmark where it has one: real_time, time_unit, iterations, repetitions,
// bytes_per_second.
void add_times(const Run &run, Json &out) {
    const Measured &m = run.measured;
    const double seconds = m.batch.median / 1000;
    out["real_time"] = m.batch.median;
    out["time_unit"] = "ms";
    out["iterations"] = m.batch_size;
    out["repetitions"] = m.repeats;
    out["batch"] = json(m.batch);
    if (m.single.median > 0) {  // of peers in another program only batches are timed
        out["single"] = json(m.single);
        out["call"] = json(m.call);
    }
    if (run.variant) {
        out["host_call"] = json(m.host);
    }
    if (m.prepared.median > 0) {
        out["prepared"] = json(m.prepared);
    }
    if (m.energy_mj > 0) {
        out["energy_mj"] = m.energy_mj;
    }
    if (run.first_ms) {
        out["first_call_ms"] = *run.first_ms;
    }
    out["buffer_sets"] = run.sets;
    out["bytes"] = run.work.bytes;
    out["flops"] = run.work.flops;
    out["bytes_per_second"] = run.work.bytes / seconds;
    out["flops_per_second"] = run.work.flops / seconds;
    if (run.of_reference) {
        out["of_reference"] = *run.of_reference;
    }
    out["libraries"] = run.libraries;
    out["copies_while_timed"] = m.copies;
    out["verified"] = !run.verified_by.empty() && run.wrong.empty();
    out["verified_by"] = run.verified_by;
    out["unverified"] = run.unverified;
    out["wrong"] = run.wrong;
}

}  // namespace

Json json(const Run &run) {
    Json out = subject_of(run);
    out["device"] = run.device.str();
    out["data"] = run.sample.what;
    out["width"] = run.size.width;
    out["height"] = run.size.height;
    out["channels"] = run.size.channels;
    out["settings"] = text_of(run.sample.settings);
    out["inputs"] = run.inputs;
    if (run.variant) {
        out["chosen"] = run.chosen;
    }
    if (!run.failed.empty()) {
        out["failed"] = run.failed;
    } else if (!run.why_not.empty()) {
        out["skipped"] = run.why_not;
    } else {
        add_times(run, out);
    }
    return out;
}

Json results_line(const Run &run) {
    Json line = {{"version", json_version}, {"context", short_context(run.device)}};
    line.update(json(run));
    return line;
}

}  // namespace tilewright::app
