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

// ---- what several kernels compute; each adds its start()

// The sums of the columns of an image, or of its rows. Whole numbers up to 2^24 are exact in f32.
template<class In, class Out>
Arrays<In, Out> sums(Size size, bool of_rows) {
    constexpr bool is_real = std::is_floating_point_v<In>;
    const auto width = (size_t)size.width, terms = (size_t)(of_rows ? size.width : size.height);
    Arrays<In, Out> arrays;
    arrays.inputs = {random_values<In>(width * (size_t)size.height, 0, is_real ? 1 : 256, 1)};
    arrays.outputs = (size_t)(of_rows ? size.height : size.width);
    arrays.before = (Out)-1;
    arrays.operations = (double)terms;
    arrays.expected = [=](const std::vector<std::vector<In>> &in, size_t i) {
        double sum = 0;
        for (size_t k = 0; k < terms; k++) {
            sum += (double)in[0][of_rows ? i * width + k : k * width + i];
        }
        const bool is_rounded = std::is_floating_point_v<Out> && (is_real || sum > 1u << 24);
        return Expected{sum, is_rounded ? (double)terms * 0x1p-24 * sum : 0};
    };
    return arrays;
}

// The transpose of an image. 255 is in no input.
template<class T>
Arrays<T, T> transposed(Size size, size_t channels = 1) {
    const auto width = (size_t)size.width, height = (size_t)size.height;
    Arrays<T, T> arrays;
    arrays.inputs = {random_values<T>(channels * width * height, 0, 255, 1)};
    arrays.outputs = channels * width * height;
    arrays.before = (T)255;
    arrays.operations = 1;
    arrays.expected = [=](const std::vector<std::vector<T>> &in, size_t i) {
        const size_t x = i / channels / height, y = i / channels % height;
        return Expected{(double)in[0][(y * width + x) * channels + i % channels], 0};
    };
    return arrays;
}

// The product of two square matrices, by a kernel that rounds so often for each term of a sum.
inline Arrays<float, float> product(size_t n, int roundings) {
    Arrays<float, float> arrays;
    arrays.inputs = {random_values<float>(n * n, -1, 1, 1), random_values<float>(n * n, -1, 1, 2)};
    arrays.outputs = n * n;
    arrays.before = NAN;
    arrays.operations = (double)n;
    arrays.expected = [=](const std::vector<std::vector<float>> &in, size_t i) {
        double sum = 0, magnitude = 0;
        for (size_t k = 0; k < n; k++) {
            const double term = (double)in[0][i / n * n + k] * in[1][k * n + i % n];
            sum += term;
            magnitude += std::abs(term);
        }
        return Expected{sum, roundings * (double)n * 0x1p-24 * magnitude};
    };
    return arrays;
}

template<class In, class Out>
std::unique_ptr<Problem> problem_of(Arrays<In, Out> arrays) {
    return std::make_unique<ArrayProblem<In, Out>>(std::move(arrays));
}

// A kernel that computes what `arrays(size)` says.
template<class MakeArrays>
Kernel kernel_of(Kernel kernel, MakeArrays arrays) {
    if (!kernel.data) {
        kernel.data = [type = kernel.type](Size size) { return type + " " + text_of(size); };
    }
    kernel.prepare = [arrays](Size size) { return problem_of(arrays(size)); };
    return kernel;
}

}  // namespace published
