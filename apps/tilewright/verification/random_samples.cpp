#include "apps/tilewright/verification/verification.h"
#include "tilewright/error.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <random>

namespace tilewright::app {

namespace {

class Chance {
public:
    explicit Chance(int64_t side) : bits_((std::mt19937::result_type)side) {}
    size_t below(size_t n) {
        return bits_() % n;
    }
    // Small numbers are as frequent as large ones: each power of two up to the next.
    int64_t side(int64_t most) {
        const auto side = (int64_t)std::exp2(std::log2((double)most) * (double)below(1 << 16) / (1 << 16));
        return below(2) == 0 ? side : std::min((side + 15) / 16 * 16, most);
    }

private:
    std::mt19937 bits_;  // seeded with `side`: the same numbers each time, on every system
};

// The settings that the workload verifies or times, without lengths: those belong to the size of a sample.
std::vector<Settings> settings_of(const Operator &op, const std::string &type) {
    const Workload &workload = workload_of(op);
    std::vector<Settings> all = workload.benchmark_settings(type);
    for (const Sample &sample : workload.samples(type)) {
        Settings &kept = all.emplace_back();
        for (const auto &[name, value] : sample.settings.all()) {
            const auto option = std::ranges::find(op.options(), name, &Option::name);
            if (option == op.options().end() || option->unit.empty()) {
                kept.set(name, value);
            }
        }
    }
    return all;
}

}  // namespace

std::vector<Sample> random_samples(const Operator &op, const std::string &type, size_t count, int64_t side) {
    std::vector<Sample> samples;
    if (count == 0) {
        return samples;
    }
    const Workload &workload = workload_of(op);
    const std::vector<Settings> settings = settings_of(op, type);
    const int64_t channels = workload.takes_channels(type) ? 4 : 1;
    Chance chance(side);
    for (size_t i = 0; i < count; i++) {
        const DataSize size{
            chance.side(side), chance.side(side), 1 + (int64_t)chance.below((size_t)channels)};
        const bool dense = chance.below(2) == 0;
        try {
            Sample sample = workload.benchmark_sample(type, size, settings[chance.below(settings.size())]);
            op.output_of(sample.inputs, sample.settings);
            for (Array &input : sample.inputs) {
                input = dense ? input.clone(0) : input;
            }
            sample.what += fmt::format(", random sample {} of {}", i, in_words(size));
            samples.push_back(std::move(sample));
        } catch (const Error &) {  // NOLINT(bugprone-empty-catch): such settings are not for this size
        }
    }
    return samples;
}

}  // namespace tilewright::app
