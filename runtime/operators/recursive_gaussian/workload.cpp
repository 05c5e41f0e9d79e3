// Samples, error bounds and amounts of work of recursive_gaussian.
#include "runtime/operators/blur_workload.h"

namespace tilewright {

namespace {

// Half a step of a type, at most, where values have this magnitude.
double half_step(Type type, double largest) {
    switch (type) {
    case Type::u8:
    case Type::u16: return .5;
    case Type::f16: return 1.01 * (std::ldexp(largest, -11) + 0x1p-25);
    case Type::bf16: return 1.01 * std::ldexp(largest, -8);
    default: return 0;
    }
}

class RecursiveGaussianWorkload : public BlurWorkload<BlurRequest> {
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
            {{192, 256}, sigma(5)},
            {{128, 192}, sigma(200)},
            {{90, 300}, sigma(2000)},
            {{127, 131}, sigma(20)},
            {{257, 521}, sigma(5)},
            {{197, 291}, sigma(5), true},
            {{200001, 1}, sigma(3)},
            {{1, 200001}, sigma(3)},
            {{70, 90, 3}, sigma(5)},
            {{64, 128, 4}, sigma(2)},
            {{61, 67, 3}, sigma(10), true},
            {{67, 131, 3}, {{"sigma", 5.}, {"sigma-y", .75}}},
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

protected:
    // f32: 2e-6 max |image|, from sigma 200 on 5e-6; f64: 1e-14 + 3e-18 sigma^3, because the
    // published form loses that much in the plain loop; 16-bit floats and integers: as f32, and half a step
    // more, for the rounding. Each filter multiplies the largest magnitude by at most 1.058, at sigma .5 (the
    // sum of the magnitudes of its response), so both that follow a rounding between the passes by less than
    // 1.12.
    Array bound_with(
        const BlurError &own, std::span<const Array> inputs, const Settings &settings) const override {
        const Array &image = inputs[0];
        const double sigma = std::max(settings.number("sigma", 5), settings.number("sigma-y", 0)),
                     largest = largest_magnitude(image),
                     error = image.type() == Type::f64 ? 1e-14 + 3e-18 * sigma * sigma * sigma :
                             sigma < 200               ? 2e-6 :
                                                         5e-6,
                     rounding = half_step(image.type(), largest);
        return bound_of_all(
            image.shape(), error * largest + rounding + 1.12 * rounding_between_passes(own, largest));
    }
};

}  // namespace

std::unique_ptr<Workload> recursive_gaussian_workload(const Operator &op) {
    return std::make_unique<RecursiveGaussianWorkload>(op);
}

}  // namespace tilewright
