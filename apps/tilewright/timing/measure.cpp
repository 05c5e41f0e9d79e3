// Batches, single calls and whole calls, timed as often as the plan and its limit allow.
#include "apps/tilewright/timing/measure.h"
#include "apps/tilewright/timing/energy.h"
#include "tilewright/statistics.h"
#include "tilewright/timing.h"
#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <utility>

namespace tilewright::app {

namespace {

Times quantiles(std::vector<double> ms) {
    std::sort(ms.begin(), ms.end());
    const auto at = [&](double share) {  // interpolated between the two nearest samples
        const double place = share * (double)(ms.size() - 1);
        const size_t below = (size_t)place;
        const size_t above = std::min(below + 1, ms.size() - 1);
        return ms[below] + (place - (double)below) * (ms[above] - ms[below]);
    };
    return {at(.5), at(.1), at(.9)};
}

// The parts of a measurement, in their order.
enum Part { batches, singles, calls, host_calls, prepared_calls, parts };

// The times of one of several that are timed in turns.
class Measurement {
public:
    // `next` counts the calls of all that are timed in turns.
    Measurement(Device device, const TimedCalls &calls, const Plan &plan, bool is_alone, size_t &next)
        : device_(device), calls_(calls), plan_(plan), is_alone_(is_alone), next_(next) {
        guard([&] {
            // One repeat is a batch, a single call and a whole call. A slow variant has smaller batches
            // first, then fewer repeats.
            const double ms = std::max(1e-3, call_ms(device_, [&] { run(); }));
            const double affordable = plan_.limit_s * 1000 / ms;
            batch_size_ = (int)std::clamp(affordable / plan_.repeats - 2, 1., (double)plan_.batch);
            repeats_ =
                (int)std::clamp(affordable / (batch_size_ + 2), 3., (double)std::max(3, plan_.repeats));
        });
    }

    // Times a part once more. Returns false where that part has been timed often enough: as often as was
    // planned, or for about the plan's limit, but at least three times.
    bool step(Part part) {
        if (failure_ || !wants(part)) {
            return false;
        }
        guard([&] {
            if (!is_alone_) {
                run();
                synchronize(device_);
            }
            const Counters before = counters();
            const auto start = std::chrono::steady_clock::now();
            ms_[part].push_back(timed(part));
            spent_[part] += std::chrono::steady_clock::now() - start;
            const Counters after = counters();
            if (part != host_calls) {
                copies_ += after.copies_to_device - before.copies_to_device + after.copies_to_host -
                           before.copies_to_host;
            }
        });
        return !failure_;
    }

    // Counts calls between two changes of the device's counter, which are at least half a second apart.
    void measure_energy() {
        guard([&] {
            const std::optional<double> begin = change_of_energy(0).first;
            const auto [end, calls] = begin ? change_of_energy(.5) : std::pair(begin, 0);
            energy_mj_ = end ? (*end - *begin) / calls : 0;
        });
    }

    Measured result() const {
        Measured all;
        all.energy_mj = energy_mj_;
        all.batch_size = batch_size_;
        all.repeats = (int)ms_[batches].size();
        all.copies = copies_;
        all.failure = failure_;
        if (!failure_) {
            all.batch = quantiles(ms_[batches]);
            all.single = batch_size_ == 1 ? all.batch : quantiles(ms_[singles]);
            all.call = quantiles(ms_[calls]);
            all.host = calls_.from_host ? quantiles(ms_[host_calls]) : Times{};
            all.prepared = calls_.prepared ? quantiles(ms_[prepared_calls]) : Times{};
        }
        return all;
    }

private:
    template<typename Work>
    void guard(const Work &work) {
        try {
            work();
        } catch (...) {
            failure_ = std::current_exception();
        }
    }

    void run() {
        calls_.run(next_++);
    }

    bool wants(Part part) const {
        if ((part == singles && batch_size_ == 1) || (part == host_calls && !calls_.from_host) ||
            (part == prepared_calls && !calls_.prepared)) {
            return false;
        }
        const size_t wanted = part == batches ? (size_t)repeats_ : ms_[batches].size(),
                     made = ms_[part].size();
        return made < wanted && (made < 3 || spent_[part] <= std::chrono::duration<double>(plan_.limit_s));
    }

    double batch_ms(const std::function<void(size_t)> &call) {
        return device_time_ms(device_, [&] {
            for (int i = 0; i < batch_size_; i++) {
                call(next_++);
            }
        }) / batch_size_;
    }

    // Calls for so many seconds at least, until the counter changes: what it says then, and how many calls
    // that were. Nothing where there is no counter, or where it does not change.
    std::pair<std::optional<double>, int> change_of_energy(double seconds) {
        const std::optional<double> before = energy_mj(device_);
        const auto start = std::chrono::steady_clock::now();
        const auto passed = [&](double s) {
            return std::chrono::steady_clock::now() - start >= std::chrono::duration<double>(s);
        };
        for (int calls = 0; before && !passed(seconds + 1);) {
            for (int i = 0; i < batch_size_; i++, calls++) {
                run();
            }
            synchronize(device_);
            const std::optional<double> now = energy_mj(device_);
            if (now != before && passed(seconds)) {
                return {now, calls};
            }
        }
        return {};
    }

    double timed(Part part) {
        switch (part) {
        case batches: return batch_ms(calls_.run);
        case prepared_calls: return batch_ms(calls_.prepared);
        case singles: return device_time_ms(device_, [&] { run(); });
        case calls: return call_ms(device_, [&] { calls_.whole(next_++); });
        default: return call_ms(device_, [&] { calls_.from_host(next_++); });
        }
    }

    const Device device_;
    const TimedCalls &calls_;
    const Plan &plan_;
    const bool is_alone_;
    size_t &next_;
    int batch_size_ = 0, repeats_ = 0;
    uint64_t copies_ = 0;
    double energy_mj_ = 0;
    std::vector<double> ms_[parts];
    std::chrono::duration<double> spent_[parts] = {};
    std::exception_ptr failure_;
};

}  // namespace

double call_ms(Device device, const std::function<void()> &call) {
    synchronize(device);
    const auto start = std::chrono::steady_clock::now();
    call();
    synchronize(device);
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double expected_ms(const std::function<double()> &estimate, const std::function<double()> &full,
    double enough_ms, double most_ms) {
    constexpr int most_estimates = 30;
    constexpr std::chrono::milliseconds most_time(250);
    double least = std::numeric_limits<double>::infinity();
    const auto start = std::chrono::steady_clock::now();
    const auto is_cheap = [&] { return std::chrono::steady_clock::now() - start < most_time; };
    for (int i = 0; least > enough_ms && (i < 3 || (i < most_estimates && is_cheap())); i++) {
        least = std::min(least, estimate());
    }
    if (least > most_ms) {
        return least;
    }
    double spent = 0;
    for (int i = 0; i < 3 && least > enough_ms && spent <= most_ms; i++) {
        const double ms = full();
        spent += ms;
        least = std::min(least, ms);
    }
    return least;
}

std::vector<Measured> measure(Device device, const std::vector<TimedCalls> &all, const Plan &plan) {
    size_t next = 0;
    std::vector<Measurement> measurements;
    measurements.reserve(all.size());
    for (const TimedCalls &one : all) {
        measurements.emplace_back(device, one, plan, all.size() == 1, next);
    }
    for (const Part part : {batches, singles, calls, host_calls, prepared_calls}) {
        for (bool more = true; more;) {
            more = false;
            for (Measurement &one : measurements) {
                more = one.step(part) || more;
            }
        }
    }
    std::vector<Measured> results;
    for (Measurement &one : measurements) {
        if (plan.energy) {
            one.measure_energy();
        }
        results.push_back(one.result());
    }
    return results;
}

}  // namespace tilewright::app
