#pragma once
// A Problem of arrays: sets of inputs and an output on the device, and the comparison of outputs.
#include "apps/laboratory/published_kernels/device.h"
#include "apps/laboratory/published_kernels/published.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

namespace published {

// What one element of the output must be: at most `bound` away from `value`.
struct Expected {
    double value = 0, bound = 0;
};

template<class In, class Out>
struct Arrays {
    std::vector<std::vector<In>> inputs;  // on the host
    size_t outputs = 0, scratch = 0;      // elements of the output, and of memory for a call's own use
    Out before{};       // the value of all elements of the output before a call; a call may read it
    double operations;  // of the plain loop, per element of the output

    // Starts the kernels of one call. `in` has one pointer per input.
    std::function<void(const std::vector<const In *> &in, Out *out, Out *scratch)> start;

    // The right element of the output, by a plain loop on the host.
    std::function<Expected(const std::vector<std::vector<In>> &in, size_t i)> expected;
};

template<class In, class Out>
class ArrayProblem : public Problem {
public:
    explicit ArrayProblem(Arrays<In, Out> arrays)
        : arrays_(std::move(arrays)), scratch_(std::max<size_t>(1, arrays_.scratch)) {
        size_t bytes = arrays_.outputs * sizeof(Out);
        for (const auto &input : arrays_.inputs) {
            bytes += input.size() * sizeof(In);
        }
        // No second-level cache holds 128 MB.
        const size_t count = std::clamp<size_t>((size_t)std::ceil(128e6 / (double)bytes) + 1, 2, 128);
        while (sets_.size() < count) {
            sets_.emplace_back(arrays_);
        }
    }

    void start(size_t call) override {
        Set &set = sets_[call % sets_.size()];
        arrays_.start(set.in, set.out.data(), scratch_.data());
    }

    void spoil() override {
        const std::vector<Out> values(arrays_.outputs, arrays_.before);
        for (Set &set : sets_) {
            set.out.upload(values.data());
        }
    }

    std::string difference(size_t calls) override {
        const std::vector<size_t> chosen = chosen_outputs();
        std::vector<Expected> right;
        right.reserve(chosen.size());
        for (const size_t i : chosen) {
            right.push_back(arrays_.expected(arrays_.inputs, i));
        }
        std::vector<Out> values(arrays_.outputs);
        for (size_t s = 0; s < std::min(calls, sets_.size()); s++) {
            sets_[s].out.download(values.data());
            for (size_t k = 0; k < chosen.size(); k++) {
                const double value = (double)values[chosen[k]];
                // Written so that a NaN differs.
                if (value != right[k].value && !(std::abs(value - right[k].value) <= right[k].bound)) {
                    char text[160];
                    std::snprintf(text, sizeof text, "element %zu of set %zu is %.9g and must be %.9g",
                        chosen[k], s, value, right[k].value);
                    return text;
                }
            }
        }
        return "";
    }

private:
    struct Set {
        explicit Set(const Arrays<In, Out> &arrays) : out(arrays.outputs) {
            for (const auto &input : arrays.inputs) {
                inputs.emplace_back(input.size());
                inputs.back().upload(input.data());
                in.push_back(inputs.back().data());
            }
        }

        std::vector<DeviceArray<In>> inputs;
        std::vector<const In *> in;
        DeviceArray<Out> out;
    };

    // The elements that are compared: all of them where the plain loop takes about a second, and otherwise as
    // many as it computes in that time, spread from the first to the last.
    std::vector<size_t> chosen_outputs() const {
        constexpr double affordable = 4e8;
        const double share = affordable / (arrays_.operations * (double)arrays_.outputs);
        const size_t n = arrays_.outputs;
        const size_t count = share >= 1 ? n : std::clamp<size_t>((size_t)(share * (double)n), 2, n);
        std::vector<size_t> chosen;
        chosen.reserve(count);
        for (size_t k = 0; k < count; k++) {
            chosen.push_back(count == 1 ? 0 : (size_t)((double)k * (double)(n - 1) / (double)(count - 1)));
        }
        return chosen;
    }

    Arrays<In, Out> arrays_;
    DeviceArray<Out> scratch_;
    std::vector<Set> sets_;
};

// Random numbers from `low` to `high`; whole numbers where T is an integer. The same ones in every run.
template<class T>
std::vector<T> random_values(size_t count, double low, double high, unsigned seed) {
    std::mt19937 generator(seed);
    std::vector<T> values(count);
    for (T &value : values) {
        const double share = (double)(generator() >> 8) / (1 << 24);
        value = (T)(low + share * (high - low));
    }
    return values;
}

inline unsigned blocks_for(int64_t work, int64_t per_block) {
    return (unsigned)((work + per_block - 1) / per_block);
}

}  // namespace published
