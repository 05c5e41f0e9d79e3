#pragma once
// Data for a generator of somebody else's: sizes of its output, random inputs, and how far results may
// differ.
#include "apps/tilewright/foreign/foreign_operator.h"
#include "tilewright/workload.h"
#include <mutex>

namespace tilewright::app {

// Integers must be the same. Floats a and b agree where |a - b| <= T (|b| + max |b| / 10), with T = 1e-5 of
// f32, 1e-12 of f64, 1e-2 of f16 and bf16, or what --tolerance says; b are the results of the reference.
class ForeignWorkload : public Workload {
public:
    explicit ForeignWorkload(const ForeignOperator &op) : Workload(op), foreign_(op) {}

    // A small output, one whose sides are odd, and one of powers of two, as far as the generator takes them;
    // if it takes none of them, its own size.
    std::vector<Sample> samples(const std::string &type) const override;
    Sample benchmark_sample(const std::string &type, DataSize size, const Settings &settings) const override;
    DataSize benchmark_size() const override;  // the estimates that the generator declares, or 2048x2048
    bool takes_channels(const std::string &) const override;
    Array bound(std::span<const Array> inputs, const Settings &settings) const override;

private:
    const ForeignOperator &foreign_;

    // The last bound that was asked for: all points are timed on the same data.
    mutable std::mutex mutex_;
    mutable std::vector<Array> inputs_;
    mutable Settings settings_;
    mutable Array bound_;
};

}  // namespace tilewright::app
