// Copies the data of a benchmark, and compares all outputs.
#include "apps/tilewright/timing/rotating_buffers.h"
#include "apps/tilewright/timing/machine.h"
#include "apps/tilewright/timing/threads.h"
#include <algorithm>
#include <cmath>

namespace tilewright::app {

namespace {

// How many bytes the sets must hold together. A variant of a CPU can be the fastest one on data from memory,
// and take 1.7 times as long as another one on data in the cache.
double bytes_to_hold(std::span<const Array> inputs, Device device) {
    // 128 MB: more than the cache of any GPU, and than what a core of a CPU has of a larger cache of several
    // chiplets.
    constexpr double small = 2.5e6, most = 128e6;
    if (device.backend != Backend::cpu) {
        return most;
    }
    return bytes_of(inputs) <= small ? 0 : std::min(most, (double)last_level_cache());
}

}  // namespace

Rotation::Rotation(const Operator &op, Sample sample, Device device, double most_bytes, int64_t row_bytes)
    : op_(op), row_bytes_(row_bytes) {
    const auto clone_inputs = [&](Sample &of) {
        for (Array &input : of.inputs) {
            input = input.clone(row_bytes);
        }
    };
    if (row_bytes != Array::padded) {
        clone_inputs(sample);
    }
    Array output = spoiled_output(op, sample, row_bytes);
    const double bytes = bytes_of({&output, 1}) + bytes_of(sample.inputs);
    constexpr double most_sets = 128;
    const double wanted = std::ceil(bytes_to_hold(sample.inputs, device) / bytes) + 1;
    const auto count =
        (size_t)std::clamp(wanted, 2., std::max(2., std::min(most_sets, std::floor(most_bytes / bytes))));
    sets_.push_back({std::move(sample), std::move(output)});
    while (sets_.size() < count) {
        Sample copy = sets_.front().sample;
        clone_inputs(copy);
        Array fresh = spoiled_output(op, copy, row_bytes);
        sets_.push_back({std::move(copy), std::move(fresh)});
    }
}

void Rotation::spoil() {
    for (Set &set : sets_) {
        set.output = spoiled_output(op_, set.sample, row_bytes_);
    }
}

std::string Rotation::difference(const Expected &expected) const {
    for (const Set &set : sets_) {
        set.output.sync();
    }
    // To compare takes longer than to compute, so each thread compares one set.
    std::vector<std::string> off(sets_.size());
    parallel((int)sets_.size(),
        [&](int i) { off[(size_t)i] = app::difference(sets_[(size_t)i].output, expected); });
    for (const std::string &first : off) {
        if (!first.empty()) {
            return first;
        }
    }
    return "";
}

}  // namespace tilewright::app
