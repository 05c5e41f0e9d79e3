// Runs as lines of a table and as JSON.
#include "apps/tilewright/support/benchmark_report.h"
#include "apps/tilewright/support/context.h"
#include "apps/tilewright/support/report.h"
#include "apps/tilewright/support/run_json.h"
#include "apps/tilewright/support/version.h"
#include "runtime/files/output_file.h"
#include "tilewright/files.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tilewright::app {

namespace {

const std::string standard_output = "-";

// The lines before the table: machine, versions and clocks. Without them the times cannot be compared.
std::string preamble(Device device, const Json &about, int cpus, const Plan &plan) {
    const DeviceInfo &info = device_info(device);
    return fmt::format("# {}: {}, {}; tilewright {} ({}), Halide {}, LLVM {}; {}\n"
                       "# {} CPUs at {:.0f} MHz, load {:.2f}; Halide's threads are pinned, one per CPU\n"
                       "# ms: device time of a call in a batch of {} back to back, median of {} with p10 and "
                       "p90; single: one alone; call: with the wait for its end;\n"
                       "# host: from host arrays to a host array; first: the row's first call in this "
                       "process, with what it loads and compiles, on 1/16 of the side where it serves that;\n"
                       "# *: the row that `tuned` takes for the data; fewer of each where that would take "
                       "more than {:g} s. Buffers rotate, so that no "
                       "cache holds them.\n",
        info.device.str(), info.name, info.driver, tilewright_version, commit, halide_version, llvm_version,
        about["date"].get<std::string>(), cpus, about["mhz_per_cpu"].get<double>(),
        about["load_avg"].empty() ? 0. : about["load_avg"][0].get<double>(), plan.batch, plan.repeats,
        plan.limit_s);
}

std::string heading() {
    return fmt::format("{:<44} {:<32} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>9}  {}\n", "row",
        "data", "ms", "p10", "p90", "single", "call", "host", "first", "GB/s", "GFLOP/s", "verified");
}

std::string line_of(const Run &run) {
    std::string line = fmt::format("{:<44} {:<32} ", run.name() + (run.chosen ? " *" : ""), run.sample.what);
    if (!run.failed.empty()) {
        return line + "FAILED: " + one_line(run.failed) + "\n";
    }
    if (!run.why_not.empty()) {
        return line + "not timed: " + run.why_not + "\n";
    }
    const Measured &m = run.measured;
    const double seconds = m.batch.median / 1000;
    const auto rate = [&](double amount, int width) {
        return amount > 0 ? fmt::format("{:>{}.1f}", amount / seconds / 1e9, width) :
                            fmt::format("{:>{}}", "-", width);
    };
    const auto time = [](std::optional<double> ms) {
        return ms ? fmt::format("{:>9.4f}", *ms) : fmt::format("{:>9}", "-");
    };
    line += fmt::format("{:>9.4f} {:>9.4f} {:>9.4f} {:>9.4f} {:>9.4f} {} {} {} {}  ", m.batch.median,
        m.batch.p10, m.batch.p90, m.single.median, m.call.median,
        time(run.row ? std::optional(m.host.median) : std::nullopt), time(run.first_ms),
        rate(run.work.bytes, 8), rate(run.work.flops, 9));
    if (!run.wrong.empty()) {
        line += "WRONG against " + run.verified_by + ": " + one_line(run.wrong);
    } else if (!run.unverified.empty()) {
        line += "no: " + run.unverified;
    } else {
        line += "yes, " + run.verified_by;
    }
    if (!run.libraries.empty()) {
        line += "; runs " + run.libraries;
    }
    if (run.copies > 0) {
        line += fmt::format(" ({} copies between host and device were timed too)", run.copies);
    }
    return line + "\n";
}

void write_file(const std::string &path, const std::string &text) {
    OutputFile file(path);
    if (!file.write(text.data(), text.size())) {
        file.fail();
    }
    file.commit();
}

}  // namespace

struct BenchmarkReport::Content {
    Json about, runs;
};

BenchmarkReport::BenchmarkReport(std::string json, Device device) : json_(std::move(json)), device_(device) {
    if (!json_.empty() && json_ != standard_output) {
        check_writable(json_);
    }
}

BenchmarkReport::~BenchmarkReport() = default;

void BenchmarkReport::begin(int cpus, const Plan &plan) {
    content_ = std::make_unique<Content>(Content{context(device_), Json::array()});
    if (json_ != standard_output) {
        print(preamble(device_, content_->about, cpus, plan) + heading());
    }
}

void BenchmarkReport::add(const Run &run) {
    content_->runs.push_back(json(run));
    runs_++;
    wrong_ += !run.wrong.empty();
    not_timed_ += !run.why_not.empty();
    failed_ += !run.failed.empty();
    if (json_ != standard_output) {
        print(line_of(run));
    }
}

void BenchmarkReport::end() {
    const Json all = {{"version", json_version}, {"context", content_->about}, {"runs", content_->runs},
        {"not_timed", not_timed_}};
    if (json_ == standard_output) {
        print(all);
    } else if (!json_.empty()) {
        write_file(json_, app::text_of(all));
    }
    if (json_ != standard_output && not_timed_ > 0) {
        print(fmt::format("# not timed: {} of {}; their lines say why\n", not_timed_, runs_));
    }
    if (wrong_ > 0) {
        throw Error(Fault::mismatch, fmt::format("{} of {} runs gave a wrong result", wrong_, runs_));
    }
    if (failed_ > 0) {
        throw Error(
            Fault::failed, fmt::format("{} of {} rows failed; the lines above say why", failed_, runs_));
    }
}

}  // namespace tilewright::app
