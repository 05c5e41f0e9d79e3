// How a row or a peer is timed on rotating sets of data, and what its output is held against.
#include "apps/tilewright/support/benchmark.h"
#include "apps/tilewright/support/context.h"
#include "apps/tilewright/support/report.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace tilewright::app {

namespace {

// How much of the memory the sets of a rotation may take.
double memory_for(Device device) {
    const double host = (double)device_info(Device{}).memory / 4;
    return device.backend == Backend::cpu ? host : std::min(host, (double)device_info(device).memory / 2);
}

// How many bytes of data no cache holds.
double cache_of(Device device) {
    constexpr double largest_gpu_cache = 128e6;
    return device.backend == Backend::cpu ? std::min(1e9, (double)last_level_cache()) : largest_gpu_cache;
}

// Whether a row is asked for the first time in this process.
bool is_first_call(const Row &row) {
    static std::set<const Row *> called;
    return called.insert(&row).second;
}

}  // namespace

Benchmark::Benchmark(
    const Operator &op, std::string type, Size size, Settings settings, Device device, const Plan &plan)
    : op_(op), type_(std::move(type)), size_(size), settings_(std::move(settings)), device_(device),
      plan_(plan), sets_(op, workload_of(op).benchmark_sample(type_, size.first, size.second, settings_),
                       cache_of(device), memory_for(device)) {
    work_ = workload_of(op_).work(sample().inputs, sets_[0].output, sample().settings);
}

Run Benchmark::row(const Row &row) {
    Run run = begin(&row);
    if (!app::serves(op_, row, sample(), sets_[0].output)) {
        run.why_not = "it does not serve this size";
        return run;
    }
    const auto direct = [&](size_t i) {
        Rotation::Set &set = sets_[i];
        op_.run(row, device_, set.sample.inputs, set.output, set.sample.settings);
    };
    const double limit_ms = plan_.limit_s * 1000, enough_ms = limit_ms / 4;
    const std::optional<SmallCall> small = small_call(row, device_);
    // Loads and compiles what there is to load and compile.
    const double first_ms = call_ms(device_, [&] { small ? small->call() : direct(0); });
    run.first_ms = is_first_call(row) ? std::optional(first_ms) : std::nullopt;
    const double ms = expected_ms(
        estimate(small, device_), [&] { return call_ms(device_, [&] { direct(0); }); }, enough_ms, limit_ms);
    if (ms > enough_ms) {
        run.why_not = fmt::format(
            "a call would take about {:.3g} s; raise --limit or take a smaller --size", ms / 1000);
        return run;
    }
    // A user's call checks its arguments and finds the row; a row that another one hides cannot be called so.
    const auto whole = [&](size_t i) {
        Rotation::Set &set = sets_[i];
        op_(set.sample.inputs, set.output, set.sample.settings,
            {.device = device_, .schedule = row.schedule});
    };
    run.libraries = other_libraries(
        row, op_.planned(row, device_, *op_.parse(sample().inputs, sample().settings), sets_[0].output));
    const bool reachable =
        &op_.choose(sample().inputs, sets_[0].output, sample().settings, row.schedule, device_) == &row;
    const Calls called = reachable ? Calls(whole) : direct;
    time(run, device_, direct, called);
    run.measured.host =
        device_.backend == Backend::cpu ? run.measured.call : host_calls(called, run.measured);
    check(run, &row);
    return run;
}

// Times calls whose inputs were written on the host, and whose result is brought there.
Times Benchmark::host_calls(const Calls &whole, const Measured &measured) {
    const auto from_host = [&](size_t i) {
        Rotation::Set &set = sets_[i];
        for (Array &input : set.sample.inputs) {
            input.data();  // to be written, so that a device's copy is an old one
        }
        whole(i);
        set.output.sync();
    };
    return app::host_calls(device_, from_host, measured, plan_);
}

Run Benchmark::failed(const Row &row, const Error &error) {
    Run run = begin(&row);
    run.failed = error.what();
    return run;
}

Run Benchmark::peer(const Peer &peer) {
    Run run = begin(nullptr);
    run.peer = peer.name;
    run.device = {};
    const auto call = [&](size_t i) { peer.run(sets_[i].sample, sets_[i].output); };
    time(run, Device{}, call, call);
    if (peer.computes) {
        check(run, nullptr);
    } else {
        run.unverified = "it only copies";
    }
    return run;
}

std::vector<Peer> Benchmark::peers() {
    return peers_of(op_, type_, sample(), work_);
}

const Row *Benchmark::chosen() {
    if (!chosen_) {
        try {
            chosen_ = &op_.choose(sample().inputs, sets_[0].output, sample().settings, "tuned", device_);
        } catch (const Error &) {
            chosen_ = nullptr;  // no row of the family serves the data on this device
        }
    }
    return *chosen_;
}

const Sample &Benchmark::sample() {
    return sets_[0].sample;
}

Run Benchmark::begin(const Row *row) {
    Run run;
    run.device = device_;
    if (row) {
        run.row = *row;
        run.chosen = row == chosen();
    }
    run.op = op_.name();
    run.type = type_;
    run.sample = {{}, sample().settings, sample().what};
    for (const Option &option : op_.options()) {  // a flag of the command line, of which the workload says
                                                  // nothing
        if (option.is_flag && settings_.text(option.name, "no") == "yes" &&
            run.sample.what.find(option.name) == std::string::npos) {
            run.sample.what += " " + option.name;
        }
    }
    for (const Array &input : sample().inputs) {
        run.inputs.push_back(input.describe());
    }
    const std::vector<int64_t> &shape = sample().inputs.front().shape();
    run.size = {shape.size() > 1 ? shape[1] : shape[0], shape.size() > 1 ? shape[0] : 1};
    run.work = work_;
    return run;
}

// Every set is visited before the clock starts: data is copied to the device, and code is loaded or compiled.
void Benchmark::time(Run &run, Device device, const Calls &call, const Calls &whole) {
    sets_.spoil();
    for (size_t i = 0; i < sets_.size(); i++) {
        call(i);
    }
    synchronize(device);
    const Counters before = counters();
    run.measured = measure(device, call, whole, plan_);
    const Counters after = counters();
    run.sets = sets_.size();
    run.copies =
        after.copies_to_device - before.copies_to_device + after.copies_to_host - before.copies_to_host;
}

// Nothing where the row does not serve that little data.
std::optional<Benchmark::SmallCall> Benchmark::small_call(const Row &row, Device device) {
    constexpr int64_t smaller = 16;
    const Workload &workload = workload_of(op_);
    const int64_t width = std::max<int64_t>(1, size_.first / smaller),
                  height = std::max<int64_t>(1, size_.second / smaller);
    const Sample small = workload.benchmark_sample(type_, width, height, settings_);
    Array output = spoiled_output(op_, small);
    if (!app::serves(op_, row, small, output)) {
        return {};
    }
    const Work work = workload.work(small.inputs, output, small.settings);
    const std::function<void()> call = [this, &row, device, small, output]() mutable {
        op_.run(row, device, small.inputs, output, small.settings);
    };
    return SmallCall{call, std::max(work_.bytes / work.bytes, work.flops > 0 ? work_.flops / work.flops : 0)};
}

// What estimates the milliseconds of a full call, by one that ran before; 0 when that says nothing.
std::function<double()> Benchmark::estimate(const std::optional<SmallCall> &small, Device device) {
    if (!small) {
        return [] { return 0.; };
    }
    return [device, small = *small] { return call_ms(device, small.call) * small.times; };
}

// What the output of `timed` is held against: the reference where it is affordable, and else the best row of
// the CPU.
const Expected *Benchmark::expected(const Row *timed) {
    constexpr double affordable_ms = 2000;
    const Row *reference = cpu_row(op_, "reference", type_);
    const auto is_affordable = [&] {
        const std::optional<SmallCall> small = small_call(*reference, Device{});
        if (small) {
            small->call();
        }
        return expected_ms(estimate(small, Device{}), {}, affordable_ms, 0) <= affordable_ms;
    };
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

// Holds what the timed calls left against what it should be. A peer is no row.
void Benchmark::check(Run &run, const Row *timed) {
    const Expected *right = expected(timed);
    if (!right) {
        run.unverified = "the reference would take too long at this size, and this row is the one that "
                         "others are held against";
        return;
    }
    run.verified_by = right->row->name();
    Expected held = *right;
    if (timed) {
        held.bound = workload_of(op_).bound_of(*timed, sample().inputs, sample().settings);
    }
    run.wrong = sets_.difference(held);
}

}  // namespace tilewright::app
