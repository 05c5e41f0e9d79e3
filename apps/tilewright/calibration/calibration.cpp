// Times variants by turns.
#include "apps/tilewright/calibration/calibration.h"
#include "apps/tilewright/command_line/variant_options.h"
#include "apps/tilewright/terminal/progress.h"
#include "apps/tilewright/timing/measure.h"
#include "apps/tilewright/timing/rotating_buffers.h"
#include "runtime/arrays/storage.h"
#include "tilewright/timing.h"
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <memory>

namespace tilewright::app {

namespace {

using Clock = std::chrono::steady_clock;

// A variant's measurements of one case.
struct Timed {
    const Variant *variant;
    double first_ms;  // of the call that decides how many calls make a measurement
    std::vector<double> ms;

    double least() const {
        return *std::min_element(ms.begin(), ms.end());
    }
};

bool is_asked(const Operator &op, const Variant &variant, Device device) {
    return variant.backend == device.backend && variant.origin == op.name() &&
           (variant.belongs_to("tuned") || op.may_stand_for_tuned(variant)) &&
           why_not_on(variant, device).empty();
}

// The cases of an operator and size.
std::vector<MeasuredCall> cases_of(const Operator &op, DataSize size, Device device) {
    const Workload &workload = workload_of(op);
    std::vector<MeasuredCall> cases;
    for (const std::string &type : type_names(op)) {
        const bool runs = std::any_of(op.variants().begin(), op.variants().end(),
            [&](const Variant &variant) { return variant.type == type && is_asked(op, variant, device); });
        if (!runs || (size.channels > 1 && !workload.takes_channels(type))) {
            continue;
        }
        for (const Settings &settings : workload.benchmark_settings(type)) {
            cases.push_back({&op, type, size, settings});
        }
    }
    return cases;
}

class Calibration {
public:
    Calibration(MeasuredFile &file, Device device) : file_(file), device_(device) {}

    // Whether the case was measured in about so many seconds. A case of a call that is known is not measured
    // again.
    bool measure(const MeasuredCall &one, double seconds);

private:
    // The time of a call in so many back to back.
    double time(const Operator &op, Rotation &sets, const Variant &variant, int calls) {
        return device_time_ms(device_, [&] {
            for (int i = 0; i < calls; i++) {
                Rotation::Set &set = sets[next_++];
                op.run(variant, device_, *requests_[(next_ - 1) % requests_.size()], set.output);
            }
        }) / calls;
    }
    std::vector<Timed> variants_that_serve(const MeasuredCall &one, Rotation &sets, double most_ms);
    double expected_ms(const Variant &variant, const Work &work) const;

    MeasuredFile &file_;
    const Device device_;
    size_t next_ = 0;
    std::vector<std::unique_ptr<const Request>> requests_;  // of the sets of a rotation
    // Of each variant the last case that was measured.
    struct Last {
        double ms;
        Work work;
    };
    std::map<const Variant *, Last> last_;
};

// What a variant will take by its last case, if its time grows as the work; 0 where there was none.
double Calibration::expected_ms(const Variant &variant, const Work &work) const {
    const auto last = last_.find(&variant);
    if (last == last_.end()) {
        return 0;
    }
    const Work &before = last->second.work;
    return last->second.ms *
           std::max(work.bytes / before.bytes, before.flops > 0 ? work.flops / before.flops : 0);
}

// The variants, each called twice: the first call loads or compiles. A variant that would take far longer
// than there is time for is not called: its expected time shows well enough that others are faster.
std::vector<Timed> Calibration::variants_that_serve(const MeasuredCall &one, Rotation &sets, double most_ms) {
    std::vector<Timed> variants;
    const Work work =
        workload_of(*one.op).work(sets[0].sample.inputs, sets[0].output, sets[0].sample.settings);
    for (const Variant &variant : one.op->variants()) {
        if (variant.type != one.type || !is_asked(*one.op, variant, device_) ||
            !one.op->serves(variant, *requests_[0], sets[0].output)) {
            continue;
        }
        const double expected = expected_ms(variant, work);
        const bool is_meant = one.op->is_meant_for(variant, *requests_[0]);
        if (!is_meant && (expected > 4 * most_ms || !one.op->may_stand_for_tuned(variant))) {
            continue;  // without a time, or if its time depends on values, it is not taken there
        }
        if (expected > 4 * most_ms && variant.belongs_to("tuned")) {
            return {};
        }
        if (expected > 4 * most_ms) {
            variants.push_back({&variant, expected, {expected}});
            continue;
        }
        try {
            time(*one.op, sets, variant, 1);
            const double ms = time(*one.op, sets, variant, 1);
            variants.push_back({&variant, ms, {ms}});
            last_[&variant] = {ms, work};
        } catch (const Error &) {
            continue;  // it has no time, and is not chosen by one
        }
    }
    return variants;
}

bool Calibration::measure(const MeasuredCall &one, double seconds) {
    const Clock::time_point start = Clock::now();
    const auto spent = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
    const Sample sample = workload_of(*one.op).benchmark_sample(one.type, one.size, one.settings);
    Rotation sets(*one.op, sample, device_, 4e9);
    requests_.clear();
    for (size_t i = 0; i < sets.size(); i++) {
        for (const Array &input : sets[i].sample.inputs) {
            input.sync(device_);  // otherwise the first call on each set would be timed with a copy
        }
        requests_.push_back(one.op->parse(sets[i].sample.inputs, sets[i].sample.settings));
    }
    std::vector<Timed> variants = variants_that_serve(one, sets, seconds * 1000);
    constexpr double batch_ms = .5;
    constexpr size_t most = 25, least = 3;
    for (size_t round = 0; round < most && (round < least || spent() < seconds); round++) {
        for (Timed &variant : variants) {
            if (variant.first_ms > seconds * 1000) {
                continue;
            }
            const int calls = std::clamp((int)(batch_ms / std::max(1e-4, variant.first_ms)), 1, 100);
            variant.ms.push_back(time(*one.op, sets, *variant.variant, calls));
            last_[variant.variant].ms = variant.least();
        }
    }
    const Measures call = one.op->measures(*requests_[0]);
    for (const Timed &variant : variants) {
        file_.add(one.op->name(), one.type, variant.variant->schedule, call, variant.least());
    }
    return !variants.empty();
}

// The rates at which arrays of the host are copied to a GPU and back.
CopyRates copy_rates(Device device) {
    if (device.backend == Backend::cpu) {
        return {};
    }
    const auto least_ms = [&](Array array, bool to_device) {
        double least = std::numeric_limits<double>::infinity();
        for (int i = 0; i < 5; i++) {
            if (to_device) {
                array.data();  // to be written, so that the device's copy is an old one
                least = std::min(least, call_ms(device, [&] { array.sync(device); }));
            } else {
                array.storage()->hold(device, true, true);  // as a kernel does that writes all of it
                array.storage()->release(true, false);
                least = std::min(least, call_ms(device, [&] { array.sync(); }));
            }
        }
        return least;
    };
    const Array small(Type::u8, {64, 64}), large(Type::u8, {8192, 8192});
    CopyRates rates;
    rates.ms = std::max(least_ms(small, true), least_ms(small, false));
    rates.to_device = (double)large.size() / std::max(1e-6, least_ms(large, true) - rates.ms);
    rates.to_host = (double)large.size() / std::max(1e-6, least_ms(large, false) - rates.ms);
    return rates;
}

}  // namespace

std::vector<MeasuredCall> calls_to_measure(const std::vector<const Operator *> &chosen, Device device) {
    std::vector<MeasuredCall> cases;
    bool more = true;
    for (size_t at = 0; more; at++) {
        std::vector<std::vector<MeasuredCall>> of_size;
        size_t most = 0;
        for (const Operator *op : chosen) {
            const auto sizes = workload_of(*op).sizes_to_measure();
            if (at < sizes.size()) {
                of_size.push_back(cases_of(*op, sizes[at], device));
                most = std::max(most, of_size.back().size());
            }
        }
        more = !of_size.empty();
        for (size_t i = 0; i < most; i++) {
            for (const std::vector<MeasuredCall> &of_operator : of_size) {
                if (i < of_operator.size()) {
                    cases.push_back(of_operator[i]);
                }
            }
        }
    }
    return cases;
}

Calibrated calibrate(
    MeasuredFile &file, const std::vector<const Operator *> &chosen, Device device, double seconds) {
    const Clock::time_point start = Clock::now();
    const auto left = [&] { return seconds - std::chrono::duration<double>(Clock::now() - start).count(); };
    file.set_copies(copy_rates(device));
    const std::vector<MeasuredCall> cases = calls_to_measure(chosen, device);
    Calibrated done{0, cases.size()};
    Progress progress("calibrate", cases.size());
    Calibration calibration(file, device);
    for (size_t i = 0; i < cases.size() && left() > 0; i++) {
        progress.show(i, fmt::format("{:.0f} s left, {} {} {}", left(), cases[i].op->name(), cases[i].type,
                             in_words(cases[i].size)));
        done.calls += calibration.measure(cases[i], left() / (double)(cases.size() - i));
    }
    Progress::hide();
    return done;
}

}  // namespace tilewright::app
