// Batches, single calls and whole calls, timed as often as the plan and its limit allow.
#include "apps/tilewright/support/measure.h"
#include "tilewright/timing.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

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

// Calls `once` at most `repeats` times and for about `limit_s` seconds, but at least three times. Sets
// `repeats` to the number of calls.
Times repeat(int &repeats, double limit_s, const std::function<double()> &once) {
    const auto start = std::chrono::steady_clock::now();
    const auto late = [&] {
        return std::chrono::steady_clock::now() - start > std::chrono::duration<double>(limit_s);
    };
    std::vector<double> ms;
    while ((int)ms.size() < repeats && (ms.size() < 3 || !late())) {
        ms.push_back(once());
    }
    repeats = (int)ms.size();
    return quantiles(std::move(ms));
}

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
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 3 && least > enough_ms; i++) {
        least = std::min(least, estimate());
    }
    return least > enough_ms && least <= most_ms ? std::min(least, full()) : least;
}

Measured measure(Device device, const std::function<void(size_t)> &run,
    const std::function<void(size_t)> &whole, const Plan &plan) {
    size_t next = 0;
    const auto call = [&] { run(next++); };

    // One repeat is a batch, a single call and a whole call. A slow row has smaller batches first, then fewer
    // repeats.
    const double ms = std::max(1e-3, call_ms(device, call));
    const double calls = plan.limit_s * 1000 / ms;
    Measured measured;
    measured.batch_size = (int)std::clamp(calls / plan.repeats - 2, 1., (double)plan.batch);
    measured.repeats =
        (int)std::clamp(calls / (measured.batch_size + 2), 3., (double)std::max(3, plan.repeats));

    measured.batch = repeat(measured.repeats, plan.limit_s, [&] {
        return device_time_ms(device, [&] {
            for (int i = 0; i < measured.batch_size; i++) {
                call();
            }
        }) / measured.batch_size;
    });
    int singles = measured.repeats, calls_alone = measured.repeats;
    measured.single = measured.batch_size == 1 ?
                          measured.batch :
                          repeat(singles, plan.limit_s, [&] { return device_time_ms(device, call); });
    measured.call =
        repeat(calls_alone, plan.limit_s, [&] { return call_ms(device, [&] { whole(next++); }); });
    return measured;
}

Times host_calls(
    Device device, const std::function<void(size_t)> &from_host, const Measured &measured, const Plan &plan) {
    size_t next = 0;
    int repeats = measured.repeats;
    return repeat(repeats, plan.limit_s, [&] { return call_ms(device, [&] { from_host(next++); }); });
}

}  // namespace tilewright::app
