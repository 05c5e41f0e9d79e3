#include "apps/tilewright/commands/commands.h"
#include "apps/tilewright/support/context.h"
#include "apps/tilewright/support/measure.h"
#include "runtime/files/output_file.h"
#include "apps/tilewright/support/peers.h"
#include "apps/tilewright/support/progress.h"
#include "apps/tilewright/support/reference.h"
#include "apps/tilewright/support/report.h"
#include "apps/tilewright/support/rotation.h"
#include "apps/tilewright/support/selection.h"
#include "apps/tilewright/support/streams.h"
#include "apps/tilewright/support/threads.h"
#include "tilewright/files.h"
#include "tilewright/workload.h"
#include "apps/tilewright/support/version.h"
#include <charconv>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <optional>

namespace tilewright::app {

namespace {

using Size = std::pair<int64_t, int64_t>;

struct Options {
    std::vector<std::string> operators, sizes;
    std::string device = "auto", schedule, type, json;
    bool peers = false;
    Plan plan;
};

// What is timed: one row or peer on one set of data.
struct Run {
    std::string name, op, type;
    Sample sample;                    // without its inputs
    std::vector<std::string> inputs;  // what they were: "f32 (512, 512)"
    Size size;                        // of the first one; a vector has height 1
    Work work;
    std::string why_not;  // not empty: it was not timed
    Measured measured;
    size_t sets = 0;
    uint64_t copies = 0;        // between host and device while it was timed; there should be none
    std::string verified_by;    // the row that its output was held against
    std::string unverified;     // or why there was none
    std::string wrong;          // the first difference
};

Size size_of(const std::string &text) {
    Size size{0, 0};
    const char *end = text.data() + text.size();
    const auto [stopped, fault] = std::from_chars(text.data(), end, size.first);
    bool good = fault == std::errc();
    if (good && stopped == end) {
        size.second = size.first;
    } else if (good && *stopped == 'x') {
        const auto [last, second_fault] = std::from_chars(stopped + 1, end, size.second);
        good = second_fault == std::errc() && last == end;
    } else {
        good = false;
    }
    if (!good || size.first < 1 || size.second < 1 || size.first > 1 << 20 || size.second > 1 << 20) {
        throw Error(Fault::usage, "takes WIDTHxHEIGHT from 1x1 to 1048576x1048576, for example 4096x2048", {.argument = "--size", .value = text});
    }
    return size;
}

std::string text_of(const Settings &settings) {
    std::vector<std::string> words;
    for (const auto &[name, value] : settings.all()) {
        words.push_back(value.index() == 0 ? fmt::format("{}={}", name, std::get<double>(value)) : name + "=" + std::get<std::string>(value));
    }
    return joined(words);
}

// How much of the memory the sets of a rotation may take, and how much data no cache holds.
double memory_for(Device device) {
    const double host = (double)device_info(Device{}).memory / 4;
    return device.backend == Backend::cpu ? host : std::min(host, (double)device_info(device).memory / 2);
}

double cache_of(Device device) {
    constexpr double largest_gpu_cache = 128e6;
    return device.backend == Backend::cpu ? std::min(1e9, (double)last_level_cache()) : largest_gpu_cache;
}

// The rows and peers of one operator, type, size and settings on one device; they share the data.
class Bench {
public:
    Bench(const Operator &op, std::string type, Size size, Settings settings, Device device, const Plan &plan)
        : op_(op), type_(std::move(type)), size_(size), settings_(std::move(settings)), device_(device), plan_(plan),
          sets_(op, workload_of(op).benchmark_sample(type_, size.first, size.second, settings_), cache_of(device), memory_for(device)) {
        work_ = workload_of(op_).work(sample().inputs, sets_[0].output, sample().settings);
    }

    Run row(const Row &row) {
        Run run = begin(row.name());
        if (!app::serves(op_, row, sample(), sets_[0].output)) {
            run.why_not = "it does not serve this size";
            return run;
        }
        const auto direct = [&](size_t i) {
            Rotation::Set &set = sets_[i];
            op_.run(row, device_, set.sample.inputs, set.output, set.sample.settings);
        };
        const double limit_ms = plan_.limit_s * 1000, enough_ms = limit_ms / 4;
        const double ms = expected_ms(estimate(row, device_), [&] { return call_ms(device_, [&] { direct(0); }); }, enough_ms, limit_ms);
        if (ms > enough_ms) {
            run.why_not = fmt::format("a call would take about {:.3g} s; raise --limit or take a smaller --size", ms / 1000);
            return run;
        }
        // A user's call checks its arguments and finds the row; a row that another one hides cannot be called so.
        const auto whole = [&](size_t i) {
            Rotation::Set &set = sets_[i];
            op_(set.sample.inputs, set.output, set.sample.settings, {.device = device_, .schedule = row.schedule});
        };
        const bool reachable = &op_.choose(sample().inputs, sets_[0].output, sample().settings, row.schedule, device_) == &row;
        time(run, device_, direct, reachable ? std::function<void(size_t)>(whole) : direct);
        check(run, &row);
        return run;
    }

    // The run of a row that ended in an error.
    Run failed(const Row &row, const Error &error) {
        Run run = begin(row.name());
        run.why_not = std::string("FAILED: ") + error.what();
        return run;
    }

    Run peer(const Peer &peer) {
        Run run = begin("peer: " + peer.name);
        const auto call = [&](size_t i) { peer.run(sets_[i].sample, sets_[i].output); };
        time(run, Device{}, call, call);
        if (peer.computes) {
            check(run, nullptr);
        } else {
            run.unverified = "it only copies";
        }
        return run;
    }

    std::vector<Peer> peers() {
        return peers_of(op_, type_, sample(), work_);
    }

private:
    const Sample &sample() {
        return sets_[0].sample;
    }

    Run begin(const std::string &name) {
        Run run;
        run.name = name;
        run.op = op_.name();
        run.type = type_;
        run.sample = {{}, sample().settings, sample().what};
        for (const Array &input : sample().inputs) {
            run.inputs.push_back(input.describe());
        }
        const std::vector<int64_t> &shape = sample().inputs.front().shape();
        run.size = {shape.size() > 1 ? shape[1] : shape[0], shape.size() > 1 ? shape[0] : 1};
        run.work = work_;
        return run;
    }

    // Every set is visited before the clock starts: data goes to the device, and code is loaded or compiled.
    void time(Run &run, Device device, const std::function<void(size_t)> &call, const std::function<void(size_t)> &whole) {
        sets_.spoil();
        for (size_t i = 0; i < sets_.size(); i++) {
            call(i);
        }
        synchronize(device);
        const Counters before = counters();
        run.measured = measure(device, call, whole, plan_);
        const Counters after = counters();
        run.sets = sets_.size();
        run.copies = after.copies_to_device - before.copies_to_device + after.copies_to_host - before.copies_to_host;
    }

    // What estimates the milliseconds of a call, by one on an image of 1/16 the side; 0 when that says nothing.
    std::function<double()> estimate(const Row &row, Device device) {
        constexpr int64_t smaller = 16;
        const Sample small = workload_of(op_).benchmark_sample(type_, std::max<int64_t>(1, size_.first / smaller), std::max<int64_t>(1, size_.second / smaller), settings_);
        Array output = spoiled_output(op_, small);
        if (!app::serves(op_, row, small, output)) {
            return [] { return 0.; };
        }
        const Work work = workload_of(op_).work(small.inputs, output, small.settings);
        const double times = std::max(work_.bytes / work.bytes, work.flops > 0 ? work_.flops / work.flops : 0);
        const std::function<void()> call = [this, &row, device, small, output]() mutable { op_.run(row, device, small.inputs, output, small.settings); };
        call();  // loads and compiles what there is to load and compile
        return [device, call, times] { return call_ms(device, call) * times; };
    }

    // The reference where it is affordable, and else the best row of the CPU.
    const Expected *expected(const Row *timed) {
        constexpr double affordable_ms = 2000;
        const Row *reference = cpu_row(op_, "reference", type_);
        const auto is_affordable = [&] { return expected_ms(estimate(*reference, Device{}), {}, affordable_ms, 0) <= affordable_ms; };
        if (!reference_ && reference && reference != timed && is_affordable()) {
            reference_ = expect(op_, *reference, sample());
        }
        if (reference_ && reference_->row != timed) {
            return &*reference_;
        }
        const Row &tuned = op_.choose(sample().inputs, sets_[0].output, sample().settings, "tuned", Device{});
        if (&tuned == timed) {
            return nullptr;
        }
        if (!tuned_) {
            tuned_ = expect(op_, tuned, sample());
        }
        return &*tuned_;
    }

    // Holds what the timed calls left against what it should be.
    void check(Run &run, const Row *timed) {
        const Expected *right = expected(timed);
        if (!right) {
            run.unverified = "the reference would take too long at this size, and this row is the one that others are held against";
            return;
        }
        run.verified_by = right->row->name();
        Expected held = *right;
        if (timed) {
            held.bound = workload_of(op_).bound_of(*timed, sample().inputs, sample().settings);
        }
        run.wrong = sets_.difference(held);
    }

    const Operator &op_;
    const std::string type_;
    const Size size_;
    const Settings settings_;
    const Device device_;
    const Plan plan_;
    Rotation sets_;
    Work work_;
    std::optional<Expected> reference_, tuned_;
};

std::string heading() {
    return fmt::format("{:<44} {:<32} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>9}  {}\n", "row", "data", "ms", "p10", "p90", "single", "call",
                       "GB/s", "GFLOP/s", "verified");
}

std::string line_of(const Run &run) {
    std::string line = fmt::format("{:<44} {:<32} ", run.name, run.sample.what);
    if (!run.why_not.empty()) {
        return line + "not timed: " + run.why_not + "\n";
    }
    const Measured &m = run.measured;
    const double seconds = m.batch.median / 1000;
    const auto rate = [&](double amount, int width) { return amount > 0 ? fmt::format("{:>{}.1f}", amount / seconds / 1e9, width) : fmt::format("{:>{}}", "-", width); };
    line += fmt::format("{:>9.4f} {:>9.4f} {:>9.4f} {:>9.4f} {:>9.4f} {} {}  ", m.batch.median, m.batch.p10, m.batch.p90, m.single.median,
                        m.call.median, rate(run.work.bytes, 8), rate(run.work.flops, 9));
    if (!run.wrong.empty()) {
        line += "WRONG against " + run.verified_by + ": " + one_line(run.wrong);
    } else if (!run.unverified.empty()) {
        line += "no: " + run.unverified;
    } else {
        line += "yes, " + run.verified_by;
    }
    if (run.copies > 0) {
        line += fmt::format(" ({} copies between host and device were timed too)", run.copies);
    }
    return line + "\n";
}

Json json(const Times &times) {
    return {{"median", times.median}, {"p10", times.p10}, {"p90", times.p90}};
}

// The names of Google Benchmark where it has one: name, real_time, time_unit, iterations, repetitions, bytes_per_second.
Json json(const Run &run, Device device) {
    Json out = {{"name", run.name}, {"operator", run.op}, {"type", run.type}, {"device", device.str()}, {"data", run.sample.what}, {"settings", text_of(run.sample.settings)},
                {"inputs", run.inputs}, {"width", run.size.first}, {"height", run.size.second}};
    if (!run.why_not.empty()) {
        out["skipped"] = run.why_not;
        return out;
    }
    const Measured &m = run.measured;
    const double seconds = m.batch.median / 1000;
    out["real_time"] = m.batch.median;
    out["time_unit"] = "ms";
    out["iterations"] = m.batch_size;
    out["repetitions"] = m.repeats;
    out["batch"] = json(m.batch);
    out["single"] = json(m.single);
    out["call"] = json(m.call);
    out["buffer_sets"] = run.sets;
    out["bytes"] = run.work.bytes;
    out["flops"] = run.work.flops;
    out["bytes_per_second"] = run.work.bytes / seconds;
    out["flops_per_second"] = run.work.flops / seconds;
    out["copies_while_timed"] = run.copies;
    out["verified"] = !run.verified_by.empty() && run.wrong.empty();
    out["verified_by"] = run.verified_by;
    out["unverified"] = run.unverified;
    out["wrong"] = run.wrong;
    return out;
}

// The lines before the table: what a time is worth without them, nobody knows.
std::string preamble(Device device, const Json &about, int cpus, const Plan &plan) {
    const DeviceInfo &info = device_info(device);
    return fmt::format("# {}: {}, {}; tilewright {} ({}), Halide {}, LLVM {}; {}\n"
                       "# {} CPUs at {:.0f} MHz, load {:.2f}; Halide's threads are pinned, one a CPU\n"
                       "# ms: device time of a call in a batch of {} back to back, median of {} with p10 and p90; single: one alone; call: with the wait for its end;\n"
                       "# fewer of each where that would take more than {:g} s. Buffers rotate, so that no cache holds them.\n",
                       info.device.str(), info.name, info.driver, tilewright_version, commit, halide_version, llvm_version,
                       about["date"].get<std::string>(), cpus, about["mhz_per_cpu"].get<double>(),
                       about["load_avg"].empty() ? 0. : about["load_avg"][0].get<double>(), plan.batch, plan.repeats, plan.limit_s);
}

void write_json(const std::string &path, const Json &report) {
    const std::string text = report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    OutputFile file(path);
    if (!file.write(text.data(), text.size())) {
        file.fail();
    }
    file.commit();
}

// The rows of one operator and type that were asked for and can run on the device.
std::vector<const Row *> rows_of(const Operator &op, const std::string &type, const Options &options, Device device) {
    std::vector<const Row *> rows;
    for (const Row &row : op.rows()) {
        const bool asked = row.type == type && (options.schedule.empty() || row.belongs_to(options.schedule));
        if (asked && row.backend == device.backend && why_not_here(row, {device}, true).empty()) {
            rows.push_back(&row);
        }
    }
    return rows;
}

void check_type(const std::vector<const Operator *> &chosen, const std::string &type) {
    std::vector<std::string> known;
    for (const Operator *op : chosen) {
        for (const std::string &name : type_names(*op)) {
            if (type.empty() || name == type) {
                return;
            }
            known.push_back(name);
        }
    }
    throw Error(Fault::usage, fmt::format("no such type; known: {}", joined(known)), {.argument = "--type", .value = type});
}

void bench(const Options &options) {
    const auto chosen = chosen_operators(options.operators);
    check_schedule(chosen, options.schedule);
    check_type(chosen, options.type);
    std::vector<Size> sizes;
    for (const std::string &text : options.sizes) {
        sizes.push_back(size_of(text));
    }
    const Device device = Device::parse(options.device);
    const bool to_stdout = options.json == "-";
    if (!options.json.empty() && !to_stdout) {
        check_writable(options.json);
    }
    const int cpus = pin_threads();
    const Json about = context(device);
    Json runs = Json::array();
    size_t wrong = 0, failed = 0, not_timed = 0;
    const auto report = [&](const Run &run) {
        runs.push_back(json(run, device));
        wrong += !run.wrong.empty();
        not_timed += !run.why_not.empty();
        if (!to_stdout) {
            print(line_of(run));
        }
    };
    if (!to_stdout) {
        print(preamble(device, about, cpus, options.plan) + heading());
    }
    if (options.peers) {
        for (const std::string &missing : missing_peers()) {
            print_error(fmt::format("tilewright: bench: no peer {}\n", missing));
        }
        if (device.backend != Backend::cpu) {
            print_error(fmt::format("tilewright: bench: the peers run on the CPU: there are none for {}; add --device cpu\n", device.str()));
        }
    }

    size_t steps = 0;
    for (const Operator *op : chosen) {
        for (const std::string &type : type_names(*op)) {
            const size_t lines = workload_of(*op).benchmark_settings(type).size() * std::max<size_t>(1, sizes.size());
            steps += options.type.empty() || type == options.type ? rows_of(*op, type, options, device).size() * lines : 0;
        }
    }
    if (steps == 0) {
        throw Error(Fault::device, "none of the rows that were asked for can run here; `tilewright list` shows where they run",
                    {.device = device.str()});
    }
    Progress progress("bench", steps);
    for (const Operator *op : chosen) {
        for (const std::string &type : type_names(*op)) {
            const auto rows = rows_of(*op, type, options, device);
            if (rows.empty() || (!options.type.empty() && type != options.type)) {
                continue;
            }
            for (const Size &size : sizes.empty() ? std::vector{workload_of(*op).benchmark_size()} : sizes) {
                for (const Settings &settings : workload_of(*op).benchmark_settings(type)) {
                    Bench one(*op, type, size, settings, device, options.plan);
                    for (const Row *row : rows) {
                        progress.step(row->name());
                        try {
                            report(one.row(*row));
                        } catch (const Error &error) {
                            failed++;
                            report(one.failed(*row, error));
                        }
                    }
                    for (const Peer &peer : options.peers && device.backend == Backend::cpu ? one.peers() : std::vector<Peer>{}) {
                        report(one.peer(peer));
                    }
                }
            }
        }
    }
    Progress::hide();

    const Json all = {{"version", 1}, {"context", about}, {"runs", runs}, {"not_timed", not_timed}};
    if (to_stdout) {
        print(all);
    } else if (!options.json.empty()) {
        write_json(options.json, all);
    }
    if (!to_stdout && not_timed > 0) {
        print(fmt::format("# not timed: {} of {}; their lines say why\n", not_timed, runs.size()));
    }
    if (wrong > 0) {
        throw Error(Fault::mismatch, fmt::format("{} of {} runs gave a wrong result", wrong, runs.size()));
    }
    if (failed > 0) {
        throw Error(Fault::failed, fmt::format("{} of {} rows failed; the lines above say why", failed, runs.size()));
    }
}

}  // namespace

void add_bench(CLI::App &app) {
    CLI::App *command = app.add_subcommand("bench", "Times the schedules, and verifies what the timed calls computed");
    static Options options;
    command->add_option("operator", options.operators, "Operators (default: all)");
    command->add_option("--device", options.device, "auto, cpu, cuda[:i] or opencl[:i]")->capture_default_str();
    command->add_option("--schedule", options.schedule, "Only this schedule");
    command->add_option("--type", options.type, "Only this type of data, for example u8");
    command->add_option("--size", options.sizes, "WIDTHxHEIGHT, several separated by commas (default: the operator's own)")->delimiter(',')->allow_extra_args(false);
    command->add_option("--batch", options.plan.batch, "Back-to-back calls a measurement")->capture_default_str()->check(CLI::Range(1, 100000));
    command->add_option("--repeats", options.plan.repeats, "Measurements")->capture_default_str()->check(CLI::Range(3, 1000000));
    command->add_option("--limit", options.plan.limit_s, "Seconds a row may take, about")->capture_default_str()->check(CLI::Range(.001, 1e6));
    command->add_flag("--peers", options.peers, "Time plain loops and what libraries there are as well (on the CPU)");
    command->add_option("--json", options.json, "Write JSON to this file (- is standard output, instead of the table)");
    const std::string first = operators().front()->name();
    command->footer(fmt::format("Examples:\n"
                                "  tilewright bench --json times.json\n"
                                "  tilewright bench {0} --device cpu --size 4096x4096 --peers\n"
                                "  tilewright bench {0} --schedule tuned --size 512x512,8192x8192\n",
                                first));
    command->callback([] { bench(options); });
}

}  // namespace tilewright::app
