// Samples, error bounds and amounts of work of recursive_gaussian.
#include "generators/algorithms/recursive_gaussian/configuration.h"
#include "runtime/workloads/blurs.h"

namespace tilewright {

namespace {

class RecursiveGaussianWorkload : public BlurWorkload {
public:
    using BlurWorkload::BlurWorkload;

    // Single pixels and lines, sizes around the edges of tiles of 64, the whole range of sigma, channels and
    // crops.
    std::vector<Sample> samples(const std::string &type) const override {
        const auto sigma = [](double value) { return Settings{{"sigma", value}}; };
        const Case cases[] = {
            {{1, 1}, sigma(5)},
            {{5, 3}, sigma(.5)},
            {{1, 1031}, sigma(20)},
            {{1031, 1}, sigma(2)},
            {{63, 65}, sigma(1)},
            {{64, 64}, sigma(5)},
            {{128, 192}, sigma(200)},
            {{127, 131}, sigma(20)},
            {{257, 521}, sigma(5)},
            {{197, 291}, sigma(5), true},
            {{200001, 1}, sigma(3)},
            {{1, 200001}, sigma(3)},
            {{70, 90, 3}, sigma(5)},
            {{64, 128, 4}, sigma(2)},
            {{61, 67, 3}, sigma(10), true},
        };
        std::vector<Sample> samples;
        for (const Case &c : cases) {
            samples.push_back(sample(type, c));
        }
        return samples;
    }

    // Two passes of two filters, with four multiplications and four additions each per sample.
    Work work(std::span<const Array> inputs, const Array &output, const Settings &settings) const override {
        Work work = Workload::work(inputs, output, settings);
        work.flops = 4. * 8 * (double)output.size();
        return work;
    }

    // f32: 2e-6 max |image|; integers: half a step more, for the rounding.
    Array bound(std::span<const Array> inputs, const Settings &) const override {
        const Array &image = inputs[0];
        return bound_of_all(
            image.shape(), 2e-6 * largest_magnitude(image) + (image.type() == Type::f32 ? 0 : .5));
    }

    // Half-precision floats between the filters of rows and those of columns: a value there is rounded by
    // 2^-11 of itself, or by 2^-25. Each filter multiplies the largest magnitude by at most 1.058, at sigma
    // .5 (the sum of the magnitudes of its response), so both by less than 1.12.
    Array bound_of(const Row &row, std::span<const Array> inputs, const Settings &settings) const override {
        if (row.form != "recursive_gaussian_copies" ||
            !row.configuration<RecursiveGaussianCopiesConfiguration>().half) {
            return bound(inputs, settings);
        }
        const Array &image = inputs[0];
        const double largest = largest_magnitude(image);
        return bound_of_all(image.shape(), (2e-6 + std::ldexp(1.12, -11)) * largest + std::ldexp(1.12, -25));
    }
};

}  // namespace

std::unique_ptr<Workload> recursive_gaussian_workload(const Operator &op) {
    return std::make_unique<RecursiveGaussianWorkload>(op);
}

}  // namespace tilewright
