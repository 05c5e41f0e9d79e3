// Runs as lines of a table and as JSON.
#include "apps/laboratory/benchmark/benchmark_report.h"
#include "apps/laboratory/report/page.h"
#include "apps/laboratory/results/comparison.h"
#include "apps/laboratory/results/result_of_run.h"
#include "apps/laboratory/results/results_file.h"
#include "apps/tilewright/command_line/version.h"
#include "apps/tilewright/terminal/first_error.h"
#include "apps/tilewright/terminal/printing.h"
#include "apps/tilewright/terminal/standard_streams.h"
#include "apps/tilewright/timing/machine.h"
#include "runtime/files/output/output_file.h"
#include "tilewright/files.h"
#include "tilewright/timing.h"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <tuple>

namespace tilewright::app {

namespace {

const std::string standard_output = "-";

// The lines before the table: machine, versions and clocks. Without them the times cannot be compared.
std::string preamble(
    const std::vector<Device> &devices, const Json &about, int cpus, const Plan &plan, bool wide) {
    std::string text;
    for (const Device &device : devices) {
        const DeviceInfo &info = device_info(device);
        text += fmt::format("# {}: {}, {}\n", info.device.str(), info.name, info.driver);
    }
    text +=
        fmt::format("# tilewright {} ({}), Halide {}, LLVM {}; {}\n"
                    "# {} CPUs at {:.0f} MHz, load {:.2f}; Halide's threads are pinned, one per CPU\n"
                    "# ms: device time of a call in a batch of {} back to back, median of {}; fewer\n"
                    "# where that would take more than {:g} s. prepared: the same by a prepared call. call:\n"
                    "# one call with the wait for its end. host: from host arrays to a host array.\n"
                    "# *: the variant that `tuned` takes.\n"
                    "# SLOWER: a variant of `tuned` that takes more than {} times as long as `reference`.\n",
            tilewright_version, commit, halide_version, llvm_version, about["date"].get<std::string>(), cpus,
            about["mhz_per_cpu"].get<double>(),
            about["load_avg"].empty() ? 0. : about["load_avg"][0].get<double>(), plan.batch, plan.repeats,
            plan.limit_s, slower_than_reference);
    text +=
        wide ?
            "# p10, p90: percentiles of ms. single: a call alone. first: the variant's first call in this\n"
            "# process, with what it loads and compiles, on 1/16 of the side where it serves that.\n"
            "# mJ: the energy of a call while calls follow each other (--energy).\n" :
            "# --wide adds p10, p90, single, first, and what a result is compared with.\n";
    return text +
           "# Buffers rotate, so that no cache holds them; on a CPU, inputs of at most 2.5 MB stay in its\n"
           "# cache, as data that a program has just written.\n";
}

std::string heading(bool wide) {
    return wide ? fmt::format(
                      "{:<44} {:<32} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>9}  {}\n",
                      "variant", "data", "ms", "p10", "p90", "prepared", "single", "call", "host", "first",
                      "mJ", "GB/s", "GFLOP/s", "verified") :
                  fmt::format("{:<39} {:>7} {:>8} {:>7} {:>7} {:>6} {:>7}  {}\n", "variant", "ms", "prepared",
                      "call", "host", "GB/s", "GFLOP/s", "verified");
}

// The numbers of a line.
std::string numbers_of(const Run &run, bool wide) {
    const Measured &m = run.measured;
    const double seconds = m.batch.median / 1000;
    const auto rate = [&](double amount, int width) {
        return amount > 0 ? fmt::format("{:>{}.1f}", amount / seconds / 1e9, width) :
                            fmt::format("{:>{}}", "-", width);
    };
    // Long times have fewer decimals in the narrow table, whose columns have 7 letters.
    const auto time = [wide](std::optional<double> ms) {
        return !ms  ? fmt::format("{:>{}}", "-", wide ? 9 : 7) :
               wide ? fmt::format("{:>9.4f}", *ms) :
                      fmt::format("{:>7.{}f}", *ms, *ms < 100 ? 4 : 1);
    };
    const auto measured = [&](const Times &times) {
        return time(times.median > 0 ? std::optional(times.median) : std::nullopt);
    };
    std::string text = time(m.batch.median);
    if (wide) {
        text += fmt::format(
            " {:>9.4f} {:>9.4f} {} {}", m.batch.p10, m.batch.p90, measured(m.prepared), measured(m.single));
    } else {
        text += fmt::format(" {:>8}", measured(m.prepared));
    }
    text += fmt::format(
        " {} {}", measured(m.call), time(run.variant ? std::optional(m.host.median) : std::nullopt));
    if (wide) {
        text += " " + time(run.first_ms) + " " +
                time(m.energy_mj > 0 ? std::optional(m.energy_mj) : std::nullopt);
    }
    return text +
           fmt::format(" {} {}  ", rate(run.work.bytes, wide ? 8 : 6), rate(run.work.flops, wide ? 9 : 7));
}

// The roof of the report's roofline, of each device that was timed.
void add_copy_rates(const Json &runs, Json &about) {
    constexpr size_t buffer = 64 << 20;
    for (Json &one : about["devices"]) {
        const auto is_of_it = [&](const Json &run) { return run["device"] == one["device"]; };
        if (std::any_of(runs.begin(), runs.end(), is_of_it)) {
            one["copy_bytes_per_second"] = copy_rate(Device::parse(one["device"]), buffer);
        }
    }
}

}  // namespace

std::string line_of(const Run &run, const std::string &place, bool wide) {
    std::string line =
        fmt::format("{:<{}} ", run.name() + (wide ? place : "") + (run.chosen ? " *" : ""), wide ? 44 : 39);
    if (wide) {
        line += fmt::format("{:<32} ", run.sample.what);
    }
    if (!run.failed.empty()) {
        return line + "FAILED: " + one_line(run.failed) + "\n";
    }
    if (!run.why_not.empty()) {
        return line + "not timed: " + run.why_not + "\n";
    }
    line += numbers_of(run, wide);
    if (!run.wrong.empty()) {
        line += "WRONG against " + run.verified_by + ": " + one_line(run.wrong);
    } else if (!run.unverified.empty()) {
        line += "no: " + run.unverified;
    } else {
        line += wide ? "yes, " + run.verified_by : "yes";
    }
    if (wide && !run.libraries.empty()) {
        line += "; runs " + run.libraries;
    }
    if (run.of_reference.value_or(0) > slower_than_reference) {
        line += wide ? fmt::format("; SLOWER than reference, {:.2f} times its time", *run.of_reference) :
                       "; SLOWER";
    }
    if (const uint64_t copies = run.measured.copies; copies > 0) {
        line += fmt::format(" ({} copies between host and device were timed too)", copies);
    }
    return line + "\n";
}

struct BenchmarkReport::Content {
    Json about, runs = Json::array();
    std::unique_ptr<ResultsFile> results;
};

BenchmarkReport::BenchmarkReport(ReportFiles files, std::vector<Device> devices)
    : files_(std::move(files)), devices_(std::move(devices)), content_(std::make_unique<Content>()) {
    if (!files_.json.empty() && files_.json != standard_output) {
        check_writable(files_.json);
    }
    if (!files_.report.empty()) {
        check_writable(files_.report);
    }
    if (!files_.results.empty()) {
        content_->results = std::make_unique<ResultsFile>(files_.results);
        if (!content_->results->note().empty()) {
            print_error_line("tilewright: bench: ", content_->results->note());
        }
    }
}

BenchmarkReport::~BenchmarkReport() = default;

bool BenchmarkReport::has_table() const {
    return files_.json != standard_output;
}

void BenchmarkReport::begin(int cpus, const Plan &plan) {
    const Json about = context(devices_);
    {
        const std::lock_guard lock(mutex_);
        content_->about = about;
    }
    if (has_table()) {
        print(preamble(devices_, about, cpus, plan, files_.wide) + heading(files_.wide));
    }
}

void BenchmarkReport::remark(const std::string &text) {
    if (has_table()) {
        print("# " + one_line(text) + "\n");
    }
}

void BenchmarkReport::add(const Run &run) {
    {
        const std::lock_guard lock(mutex_);
        content_->runs.push_back(json(run));
        runs_++;
        wrong_ += !run.wrong.empty();
        failed_ += !run.failed.empty();
        not_timed_ += !run.why_not.empty() || !run.failed.empty();
    }
    if (has_table()) {
        const std::string place = devices_.size() > 1 ? " on " + run.device.str() : "";
        if (!files_.wide && run.sample.what + place != data_) {
            data_ = run.sample.what + place;
            print("# " + data_ + ":\n");
        }
        print_verdicts(line_of(run, place, files_.wide));
    }
    if (content_->results) {
        content_->results->append(results_line(run));
    }
}

void BenchmarkReport::add(const Json &report, int process) {
    const std::lock_guard lock(mutex_);
    processes_ = process;
    left_out_ = report.at("not_served").get<size_t>();
    not_timed_ += report.at("not_timed").get<size_t>();
    const Json &about = report.at("context");
    if (content_->about.is_null()) {
        content_->about = about;
    }
    for (Json run : report.at("runs")) {
        run["process"] = process;
        runs_++;
        wrong_ += !run.value("wrong", "").empty();
        failed_ += run.contains("failed");
        if (content_->results) {
            Json line = {{"version", json_version}, {"context", about}};
            line.update(run);
            content_->results->append(line);
        }
        content_->runs.push_back(std::move(run));
    }
}

// The lines of all processes together: the median, the least and the greatest of their medians.
void BenchmarkReport::print_processes() const {
    std::vector<std::vector<std::string>> lines = {
        {"variant", "data", "device", "ms", "least", "most", "verified"}};
    std::vector<std::pair<const TimedRun *, RunsOfSide>> rows;
    const TimedFile file = timed_file(whole(true), "bench");
    for (const TimedRun &run : file.runs) {
        auto row = std::find_if(rows.begin(), rows.end(), [&](const auto &one) {
            const TimedRun &first = *one.first;
            return std::tie(first.op, first.name, first.data, first.device) ==
                   std::tie(run.op, run.name, run.data, run.device);
        });
        if (row == rows.end()) {
            row = rows.insert(row, {&run, {}});
        }
        if (run.timed) {
            row->second.times.push_back(run.median);
        }
        if (!run.verified) {
            row->first = &run;  // its reason is shown
        }
    }
    const auto ms = [](double time) { return fmt::format("{:.4g}", time); };
    for (const auto &[run, side] : rows) {
        const bool timed = !side.times.empty();
        lines.push_back({run->name, run->data, run->device, timed ? ms(side.median()) : "-",
            timed ? ms(side.least()) : "-", timed ? ms(side.most()) : "-",
            run->verified ? "yes" : "no: " + run->why_not});
    }
    print(fmt::format("# {} processes; ms: the median, the least and the greatest of their medians\n{}",
        processes_, table(lines)));
}

void BenchmarkReport::leave_out(size_t variants) {
    const std::lock_guard lock(mutex_);
    left_out_ += variants;
}

Json BenchmarkReport::whole(bool complete) const {
    return {{"version", json_version}, {"complete", complete}, {"context", content_->about},
        {"runs", content_->runs}, {"not_timed", not_timed_}, {"not_served", left_out_}};
}

void BenchmarkReport::write_json(bool complete) {
    if (files_.json.empty()) {
        return;
    }
    const Json all = whole(complete);
    if (has_table()) {
        OutputFile file(files_.json);
        file.put(app::text_of(all));
        file.commit();
    } else {
        print(all);
    }
}

void BenchmarkReport::save() noexcept {
    try {
        const std::lock_guard lock(mutex_);
        if (!ended_) {
            ended_ = true;
            write_json(false);
        }
    } catch (const std::exception &error) {
        print_error_line("tilewright: bench: what was timed is not saved: ", error.what());
    }
}

void BenchmarkReport::print_counts() const {
    if (has_table() && not_timed_ > 0) {
        print(fmt::format("# not timed: {} of {}; their lines say why\n", not_timed_, runs_));
    }
    if (has_table() && left_out_ > 0) {
        print(fmt::format("# not listed, because they do not serve the data: {} of {} variants\n", left_out_,
            left_out_ + runs_));
    }
}

// Errors: what the runs were.
void BenchmarkReport::check_runs() const {
    if (wrong_ > 0) {
        throw Error(Fault::mismatch, fmt::format("{} of {} runs gave a wrong result", wrong_, runs_));
    }
    if (failed_ > 0) {
        throw Error(
            Fault::failed, fmt::format("{} of {} variants failed; the lines above say why", failed_, runs_));
    }
    if (runs_ == 0) {
        throw Error(Fault::input,
            fmt::format(
                "none of the {} variants that were asked for serves the data; take another --size or other "
                "variants (`tilewright explain OP --size WxH` says why)",
                left_out_));
    }
}

void BenchmarkReport::end() {
    FirstError first("bench");
    if (processes_ > 0 && has_table() && runs_ > 0) {
        print_processes();
    }
    first.keep([&] { check_runs(); });
    first.keep([&] {
        const std::lock_guard lock(mutex_);
        if (!files_.report.empty()) {
            add_copy_rates(content_->runs, content_->about);
        }
        ended_ = true;
        write_json(true);
    });
    if (!files_.report.empty() && runs_ > 0) {
        first.keep([&] { write_report(files_.report, {timed_file(whole(true), "bench")}); });
    }
    first.keep([&] { print_counts(); });
    first.end();
}

}  // namespace tilewright::app
