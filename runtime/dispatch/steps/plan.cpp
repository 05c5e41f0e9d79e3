#include "runtime/dispatch/steps/plan.h"
#include "runtime/devices/calls/watch.h"
#include <algorithm>

namespace tilewright {

std::vector<const Variant *> Plan::variants() const {
    std::vector<const Variant *> all;
    for (const auto &step : steps_) {
        if (const Launch *launch = std::get_if<Launch>(&step)) {
            all.push_back(&launch->variant());
        } else if (const Decision *decision = std::get_if<Decision>(&step)) {
            all.insert(all.end(), decision->possible.begin(), decision->possible.end());
        }
    }
    return all;
}

std::vector<const Launch *> Plan::launches() const {
    std::vector<const Launch *> all;
    for (const auto &step : steps_) {
        if (const Launch *launch = std::get_if<Launch>(&step)) {
            all.push_back(launch);
        }
    }
    return all;
}

void Plan::replace(std::span<const Array> from, std::span<const Array> to) {
    for (auto &step : steps_) {
        if (Launch *launch = std::get_if<Launch>(&step)) {
            launch->replace(from, to);
        }
    }
}

void Plan::set_images(int64_t count, std::span<const Array> arrays, std::span<const int64_t> steps) {
    for (auto &step : steps_) {
        if (Launch *launch = std::get_if<Launch>(&step)) {
            launch->set_images(count, arrays, steps);
        }
    }
}

bool Plan::fits() const {
    return std::ranges::all_of(launches(), [](const Launch *launch) { return launch->fits(); });
}

std::vector<const Variant *> Plan::run() {
    std::vector<const Variant *> ran;
    size_t number = 0;
    for (auto &step : steps_) {
        const Watch::Part part(number++, steps_.size());
        if (Launch *launch = std::get_if<Launch>(&step)) {
            launch->run();
            ran.push_back(&launch->variant());
        } else if (const auto *work = std::get_if<std::function<void()>>(&step)) {
            (*work)();
        } else {
            const std::vector<const Variant *> more = std::get<Decision>(step).decide().run();
            ran.insert(ran.end(), more.begin(), more.end());
        }
    }
    return ran;
}

}  // namespace tilewright
