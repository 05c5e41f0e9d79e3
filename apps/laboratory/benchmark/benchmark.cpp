// How a variant or a peer is timed on rotating sets of data, and what its output is compared with.
#include "apps/laboratory/benchmark/benchmark.h"
#include "apps/tilewright/foreign/foreign_arguments.h"
#include "apps/tilewright/terminal/printing.h"
#include "runtime/dispatch/steps/plan.h"
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <set>

namespace tilewright::app {

namespace {

// How much of the memory the sets of a rotation may take.
double memory_for(Device device) {
    const double host = (double)device_info(Device{}).memory / 4;
    return device.backend == Backend::cpu ? host : std::min(host, (double)device_info(device).memory / 2);
}

// Whether a variant is asked for the first time in this process.
bool is_first_call(const Variant &variant) {
    static std::set<const Variant *> called;
    return called.insert(&variant).second;
}

}  // namespace

Benchmark::Benchmark(const Operator &op, BenchmarkData data, Device device, const Plan &plan)
    : op_(op), data_(std::move(data)), device_(device), plan_(plan),
      sets_(op, sample_of(op, data_), device, memory_for(device), data_.row_bytes) {
    work_ = workload_of(op_).work(sample().inputs, sets_[0].output, sample().settings);
    chosen_ = tuned_on(device_);
}

bool Benchmark::serves(const Variant &variant) const {
    return app::serves(op_, variant, sample(), sets_[0].output);
}

Run Benchmark::variant(const Variant &variant) {
    Run run = begin(&variant);
    if (run.why_not = why_not_timed(variant, run); !run.why_not.empty()) {
        return run;
    }
    const TimedCalls calls = calls_of(variant);
    visit(calls, device_);
    take(measure(device_, {calls}, plan_).front(), run, &variant);
    check(run, &variant);
    return run;
}

std::vector<Run> Benchmark::variants_in_turns(
    const std::vector<const Variant *> &variants, const std::function<void(const Variant &)> &begin_variant) {
    std::vector<Run> runs;
    std::vector<TimedCalls> calls;
    std::vector<size_t> timed;  // which of the runs these are
    const auto guarded = [&](size_t i, const std::function<void(Run &)> &work) {
        try {
            work(runs[i]);
        } catch (const Error &error) {
            runs[i] = failed(*variants[i], error.what());
        }
    };
    for (size_t i = 0; i < variants.size(); i++) {
        begin_variant(*variants[i]);
        runs.push_back(begin(variants[i]));
        guarded(i, [&](Run &run) {
            if (run.why_not = why_not_timed(*variants[i], run); run.why_not.empty()) {
                const TimedCalls one = calls_of(*variants[i]);
                visit(one, device_);
                calls.push_back(one);
                timed.push_back(i);
            }
        });
    }
    const std::vector<Measured> measured = measure(device_, calls, plan_);
    for (size_t t = 0; t < timed.size(); t++) {
        guarded(timed[t], [&](Run &run) {
            take(measured[t], run, variants[timed[t]]);
            visit(calls[t], device_);
            check(run, variants[timed[t]]);
        });
    }
    return runs;
}

// Loads and compiles what there is to load and compile. Returns why the variant is not timed: a call takes
// too long; empty where it is.
std::string Benchmark::why_not_timed(const Variant &variant, Run &run) {
    const auto full = [&] {
        return call_ms(
            device_, [&] { op_.run(variant, device_, sample().inputs, sets_[0].output, sample().settings); });
    };
    const double limit_ms = plan_.limit_s * 1000, enough_ms = limit_ms / 4;
    const std::optional<SmallCall> small = small_call(variant, device_);
    const auto once = [&] { return small ? call_ms(device_, small->call) : full(); };
    const double first_ms = once();
    run.first_ms = is_first_call(variant) ? std::optional(first_ms) : std::nullopt;
    // Full calls decide without a call on less data, and where that one is so short that most of it is its
    // launch: then the estimate is far too long.
    constexpr double launch_ms = .1;
    const auto estimate = [&] {
        const double small_ms = small ? once() : 0, ms = small ? small_ms * small->times : limit_ms;
        return small_ms < launch_ms ? std::min(ms, limit_ms) : ms;
    };
    const double ms = expected_ms(estimate, full, enough_ms, limit_ms);
    return ms <= enough_ms ?
               "" :
               fmt::format(
                   "a call would take about {:.3g} s; raise --limit or take a smaller --size", ms / 1000);
}

TimedCalls Benchmark::calls_of(const Variant &variant) {
    const std::function<void(size_t)> direct = [this, &variant](size_t i) {
        Rotation::Set &set = sets_[i];
        op_.run(variant, device_, set.sample.inputs, set.output, set.sample.settings);
    };
    // A user's call checks its arguments and finds the variant; a variant that another one hides, or that is
    // in no table, cannot be called so.
    const std::function<void(size_t)> whole = [this, &variant](size_t i) {
        Rotation::Set &set = sets_[i];
        op_(set.sample.inputs, set.output, set.sample.settings,
            {.device = device_, .schedule = variant.schedule});
    };
    const bool reachable = &op_.choose(sample().inputs, sets_[0].output, sample().settings, variant.schedule,
                               device_) == &variant;
    const std::function<void(size_t)> called = reachable ? whole : direct;
    const auto from_host = [this, called](size_t i) {
        Rotation::Set &set = sets_[i];
        for (Array &input : set.sample.inputs) {
            input.data();  // to be written, so that a device's copy is an old one
        }
        called(i);
        set.output.sync();
    };
    // On a GPU, calls like earlier ones are one launch. Variants that are compared with those that cannot be
    // called so, or whose plans the operator does not keep meanwhile, start each kernel by itself.
    const bool as_called = plan_.as_called && device_.backend != Backend::cpu;
    return {as_called ? called : direct, called,
        device_.backend == Backend::cpu ? std::function<void(size_t)>() : std::function(from_host),
        reachable ? prepared_call(variant) : std::function<void(size_t)>()};
}

// One prepared call, whose arrays are another set's each time.
std::function<void(size_t)> Benchmark::prepared_call(const Variant &variant) {
    Rotation::Set &first = sets_[0];
    const auto prepared = std::make_shared<Prepared>(op_.prepare(first.sample.inputs, first.output,
        first.sample.settings, {.device = device_, .schedule = variant.schedule}));
    return [this, prepared](size_t i) { (*prepared)(sets_[i].sample.inputs, sets_[i].output); };
}

Run Benchmark::failed(const Variant &variant, const std::string &why) {
    Run run = begin(&variant);
    run.failed = why;
    return run;
}

Run Benchmark::peer(const Peer &peer) {
    Run run = begin(nullptr);
    run.peer = peer.name;
    std::vector<std::function<void()>> prepared(sets_.size());
    const std::function<void(size_t)> call = [&](size_t i) {
        auto &one = prepared[i % sets_.size()];
        if (!one) {
            one = peer.prepare(sets_[i].sample, sets_[i].output);
        }
        one();
    };
    const TimedCalls calls{call, call, {}};
    try {
        visit(calls, device_);
        take(measure(device_, {calls}, plan_).front(), run, nullptr);
    } catch (const std::invalid_argument &error) {
        run.why_not = error.what();
        return run;
    } catch (const std::exception &error) {
        run.failed = error.what();
        return run;
    }
    if (peer.computes) {
        check(run, nullptr, peer.off);
    } else {
        run.unverified = "it only copies";
    }
    return run;
}

std::vector<Peer> Benchmark::peers() {
    std::vector<Peer> peers = peers_of(op_, data_.type, sample().settings, device_);
    if (device_.backend == Backend::cpu) {
        peers.push_back(copy_of(work_));
    }
    return peers;
}

const Variant *Benchmark::tuned_on(Device device) const {
    try {
        return &op_.choose(sample().inputs, sets_[0].output, sample().settings, "tuned", device);
    } catch (const Error &) {
        return nullptr;
    }
}

const Sample &Benchmark::sample() const {
    return sets_[0].sample;
}

Run Benchmark::begin(const Variant *variant) {
    Run run;
    run.device = device_;
    if (variant) {
        run.variant = *variant;
        run.chosen = variant == chosen_;
    }
    run.op = op_.name();
    run.type = data_.type;
    run.sample = {{}, sample().settings, sample().what};
    for (const Array &input : sample().inputs) {
        run.inputs.push_back(input.describe());
    }
    const std::vector<int64_t> &shape = sample().inputs.front().shape();
    run.size = {shape.size() > 1 ? shape[1] : shape[0], shape.size() > 1 ? shape[0] : 1,
        shape.size() > 2 ? shape[2] : 1};
    if (sample().settings.has(output_size)) {  // of a generator that is not ours, the output's
        const std::vector<int64_t> extents = extents_of(sample().settings.text(output_size), 3);
        run.size = {extents[0], extents[1], extents[2]};
    }
    run.work = work_;
    return run;
}

// Makes each set's output anew, and calls on every set: data is copied to the device, and what there is to
// load is loaded.
void Benchmark::visit(const TimedCalls &calls, Device device) {
    sets_.spoil();
    for (size_t i = 0; i < sets_.size(); i++) {
        calls.run(i);
    }
    synchronize(device);
}

// Errors: what ended the calls.
void Benchmark::take(const Measured &measured, Run &run, const Variant *variant) {
    if (measured.failure) {
        std::rethrow_exception(measured.failure);
    }
    run.measured = measured;
    run.sets = sets_.size();
    if (variant && device_.backend == Backend::cpu) {
        run.measured.host = measured.call;
    }
    if (variant && variant->family == "reference") {
        reference_ms_ = measured.batch.median;
    } else if (variant && variant->family == "tuned" && reference_ms_) {
        run.of_reference = measured.batch.median / *reference_ms_;
    }
    if (variant) {
        run.libraries = other_libraries(*variant,
            op_.plan(*variant, device_, *op_.parse(sample().inputs, sample().settings), sets_[0].output)
                .variants());
    }
}

// Nothing where there is no smaller sample: of files. Where less data does not take the settings that were
// asked for (the length of a result), it has the workload's own.
std::optional<Benchmark::SmallData> Benchmark::small_data() const {
    if (data_.own) {
        return {};
    }
    constexpr int64_t smaller = 16;
    BenchmarkData less = data_;
    less.row_bytes = Array::padded;
    less.size = {std::max<int64_t>(1, data_.size.width / smaller),
        std::max<int64_t>(1, data_.size.height / smaller), data_.size.channels};
    Sample sample = sample_of(op_, less);
    try {
        op_.parse(sample.inputs, sample.settings);
    } catch (const Error &) {
        less.settings = workload_of(op_).benchmark_settings(data_.type).front();
        sample = sample_of(op_, less);
    }
    const Array output = spoiled_output(op_, sample);
    const Work work = workload_of(op_).work(sample.inputs, output, sample.settings);
    const double times = std::max(work_.bytes / work.bytes, work.flops > 0 ? work_.flops / work.flops : 0);
    return SmallData{std::move(sample), output, times};
}

// Nothing where there is no smaller sample, or the variant does not serve it.
std::optional<Benchmark::SmallCall> Benchmark::small_call(const Variant &variant, Device device) const {
    const std::optional<SmallData> small = small_data();
    if (!small || !app::serves(op_, variant, small->sample, small->output)) {
        return {};
    }
    const std::function<void()> call = [this, &variant, device, sample = small->sample,
                                           output = small->output]() mutable {
        op_.run(variant, device, sample.inputs, output, sample.settings);
    };
    return SmallCall{call, small->times};
}

// What the output of `timed` is compared with: the reference where it is affordable, and else the best
// variant of the CPU. Where no variant of the CPU serves the data, the plain loop.
const Expected *Benchmark::expected(const Variant *timed) {
    constexpr double affordable_ms = 2000;
    const Variant *reference = cpu_variant(op_, "reference", data_.type);
    const auto is_affordable = [&] {
        const std::optional<SmallCall> small = small_call(*reference, Device{});
        if (!small) {
            return true;  // nothing says that it is not
        }
        small->call();
        const auto estimate = [&] { return call_ms(Device{}, small->call) * small->times; };
        return expected_ms(estimate, {}, affordable_ms, 0) <= affordable_ms;
    };
    if (!reference_ && reference && reference != timed && is_affordable()) {
        reference_ = expect(op_, *reference, sample());
    }
    if (reference_ && reference_->variant != timed) {
        return &*reference_;
    }
    const Variant *tuned = tuned_on(Device{});
    if (!tuned) {
        return plain();
    }
    if (tuned == timed) {
        return nullptr;
    }
    if (!tuned_) {
        tuned_ = expect(op_, *tuned, sample());
    }
    return &*tuned_;
}

const Expected *Benchmark::plain() {
    constexpr double affordable_ms = 10000;
    if (!plain_) {
        const std::optional<SmallData> small = small_data();
        const auto estimate = [&] {
            return small->times *
                   call_ms(Device{}, [&] { expect_plain(op_, small->sample, device_.backend); });
        };
        if (!small || expected_ms(estimate, {}, affordable_ms, 0) <= affordable_ms) {
            plain_ = expect_plain(op_, sample(), device_.backend);
        }
    }
    return plain_ ? &*plain_ : nullptr;
}

// Holds what the timed calls left against what it should be. A peer is no variant, and may be `off`.
void Benchmark::check(Run &run, const Variant *timed, double off) {
    const Expected *right = expected(timed);
    if (!right) {
        run.unverified = tuned_on(Device{}) ?
                             "the reference would take too long at this size, and this variant "
                             "is the one that others are compared with" :
                             "no variant of the CPU serves the data, and the plain loop would "
                             "take too long";
        return;
    }
    run.verified_by = right->variant ? right->variant->name() : source_of(*right);
    Expected held = *right;
    if (timed) {
        held.bound = workload_of(op_).bound_of(*timed, sample().inputs, sample().settings);
    }
    if (off > 0) {
        held.bound = Array(Type::f64, held.output.shape(), 0);
        std::fill_n(held.bound.as<double>(), held.bound.size(), off);
    }
    run.wrong = sets_.difference(held);
}

}  // namespace tilewright::app
