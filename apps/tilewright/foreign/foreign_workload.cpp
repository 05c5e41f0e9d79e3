#include "apps/tilewright/foreign/foreign_workload.h"
#include "apps/tilewright/foreign/foreign_arguments.h"
#include "apps/tilewright/verification/expected_result.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewright::app {

namespace {

// The estimate of a dimension of the output that the generator declares; `otherwise` where there is none.
int64_t estimate(const halide_filter_argument_t &output, int dimension, int64_t otherwise) {
    const int64_t *const extent =
        output.buffer_estimates ? output.buffer_estimates[2 * dimension + 1] : nullptr;
    return extent ? *extent : otherwise;
}

bool has_same_memory(const std::vector<Array> &one, std::span<const Array> other) {
    return std::equal(one.begin(), one.end(), other.begin(), other.end(),
        [](const Array &a, const Array &b) { return a.storage() == b.storage(); });
}

template<typename T>
void fill_bound(const Array &expected, double tolerance, Array &bound) {
    const Array dense = expected.clone(0);
    const T *const values = dense.as<T>();
    double greatest = 0;
    for (int64_t i = 0; i < dense.size(); i++) {
        const double value = std::abs((double)values[i]);
        greatest = std::isfinite(value) ? std::max(greatest, value) : greatest;
    }
    for (int64_t i = 0; i < dense.size(); i++) {
        const double value = std::abs((double)values[i]);
        bound.as<double>()[i] = tolerance * ((std::isfinite(value) ? value : 0) + greatest / 10);
    }
}

}  // namespace

DataSize ForeignWorkload::benchmark_size() const {
    constexpr int64_t usual = 2048;
    const halide_filter_argument_t &output = foreign_.output();
    const int dimensions = output.dimensions;
    return {dimensions > 0 ? estimate(output, 0, usual) : 1, dimensions > 1 ? estimate(output, 1, usual) : 1,
        dimensions > 2 ? estimate(output, 2, 1) : 1};
}

bool ForeignWorkload::takes_channels(const std::string &) const {
    return foreign_.output().dimensions > 2;
}

Sample ForeignWorkload::benchmark_sample(const std::string &, DataSize size, const Settings &settings) const {
    const halide_filter_argument_t &output = foreign_.output();
    std::vector<int64_t> extents = {size.width, size.height, size.channels};
    extents.resize((size_t)output.dimensions, 1);
    for (int d = 2; d < output.dimensions; d++) {  // one channel stands for what the generator declares
        int64_t &extent = extents[(size_t)d];
        extent = extent == 1 ? estimate(output, d, 1) : extent;
    }
    Settings all = settings;
    all.set(output_size, extents.empty() ? "1" : fmt::format("{}", fmt::join(extents, "x")));
    return foreign_.sample(all);
}

std::vector<Sample> ForeignWorkload::samples(const std::string &type) const {
    std::vector<Sample> samples;
    for (const DataSize size : {DataSize{64, 48}, DataSize{331, 177}, DataSize{512, 256}}) {
        try {
            Sample sample = benchmark_sample(type, size, {});
            foreign_.parse(sample.inputs, sample.settings);
            samples.push_back(std::move(sample));
        } catch (const Error &) {  // NOLINT(bugprone-empty-catch): a size that the generator does not take
        }
    }
    if (samples.empty()) {
        samples.push_back(benchmark_sample(type, benchmark_size(), {}));
    }
    return samples;
}

Array ForeignWorkload::bound(std::span<const Array> inputs, const Settings &settings) const {
    // A result of the reference is an approximation itself, for which the bound counts twice (difference()).
    const double tolerance = foreign_.tolerance() / 2;
    if (tolerance == 0) {
        return {};
    }
    const std::lock_guard lock(mutex_);
    if (!bound_.empty() && has_same_memory(inputs_, inputs) && settings_.all() == settings.all()) {
        return bound_;
    }
    const Sample sample{{inputs.begin(), inputs.end()}, settings, ""};
    const Variant &reference = *cpu_variant(foreign_, "reference", foreign_.variants().front().type);
    Array expected = spoiled_output(foreign_, sample);
    foreign_.run(reference, Device{}, inputs, expected, settings);
    bound_ = Array(Type::f64, expected.shape(), 0);
    switch (expected.type()) {
    case Type::f64: fill_bound<double>(expected, tolerance, bound_); break;
    case Type::f16: fill_bound<Float16>(expected, tolerance, bound_); break;
    case Type::bf16: fill_bound<BFloat16>(expected, tolerance, bound_); break;
    default: fill_bound<float>(expected, tolerance, bound_);
    }
    inputs_ = sample.inputs;
    settings_ = settings;
    return bound_;
}

}  // namespace tilewright::app
