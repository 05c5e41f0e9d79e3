#include "apps/tilewright/verification/verification.h"
#include "tilewright/error.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tilewright::app {

namespace {

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

RandomSamples::RandomSamples(const Operator &op, const std::string &type, size_t count, int64_t side)
    : op_(op), type_(type), settings_(count > 0 ? settings_of(op, type) : std::vector<Settings>()),
      count_(count), side_(side), channels_(workload_of(op).takes_channels(type) ? 4 : 1),
      bits_((std::mt19937::result_type)side) {}

// Small numbers are as frequent as large ones: each power of two up to the next.
int64_t RandomSamples::random_side() {
    const auto side = (int64_t)std::exp2(std::log2((double)side_) * (double)below(1 << 16) / (1 << 16));
    return below(2) == 0 ? side : std::min((side + 15) / 16 * 16, side_);
}

std::optional<Sample> RandomSamples::next() {
    while (made_ < count_) {
        const int64_t height = random_side(), width = random_side();
        const DataSize size{height, width, 1 + (int64_t)below((size_t)channels_)};
        const bool dense = below(2) == 0;
        const Settings &settings = settings_[below(settings_.size())];
        const size_t number = made_++;
        try {
            Sample sample = workload_of(op_).benchmark_sample(type_, size, settings);
            op_.output_of(sample.inputs, sample.settings);
            for (Array &input : sample.inputs) {
                input = dense ? input.clone(0) : input;
            }
            sample.what += fmt::format(", random sample {} of {}", number, in_words(size));
            return sample;
        } catch (const Error &) {  // NOLINT(bugprone-empty-catch): such settings are not for this size
        }
    }
    return std::nullopt;
}

}  // namespace tilewright::app
