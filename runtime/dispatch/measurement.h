#pragma once
// The statistics of a call. Not installed.
#include "runtime/devices/calls/hooks.h"
#include "tilewright/statistics.h"
#include "tilewright/variant.h"
#include <chrono>
#include <vector>

namespace tilewright {

// What a call cost, from the construction on. Calls without statistics measure nothing.
class Measurement {
public:
    explicit Measurement(Statistics *statistics) : statistics_(statistics) {
        if (statistics) {
            start_ = std::chrono::steady_clock::now();
            before_ = counters();
        }
    }

    void write(Device device, const Variant &variant, const std::vector<const Variant *> &ran) const {
        if (!statistics_) {
            return;
        }
        synchronize(device);
        statistics_->counters = counters() - before_;
        statistics_->variant = variant.name();
        statistics_->libraries.clear();
        for (const Variant *library : ran) {
            statistics_->libraries.push_back(library->name());
        }
        statistics_->device = device.str();
        statistics_->total_ms =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    Statistics *const statistics_;
    std::chrono::steady_clock::time_point start_;
    Counters before_;
};

}  // namespace tilewright
