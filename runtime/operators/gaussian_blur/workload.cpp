// Samples, error bounds and amounts of work of gaussian_blur.
#include <algorithm>
#include <cmath>

#include "runtime/operators/blur_workload.h"
#include "runtime/operators/gaussian_blur/request.h"

namespace tilewright {

namespace {

class GaussianBlurWorkload : public BlurWorkload<GaussianBlurRequest> {
public:
    using BlurWorkload::BlurWorkload;

    // All borders, radii up to and beyond the image, channels, crops, and sizes around the edges of tiles.
    std::vector<Sample> samples(const std::string &type) const override {
        const auto settings = [](double sigma, const char *border) {
            return Settings{{"sigma", sigma}, {"border", border}};
        };
        const Case cases[] = {
            {{1, 1}, settings(1, "reflect")},
            {{1, 1}, settings(2.25, "mirror")},
            {{5, 7}, settings(3, "reflect")},
            {{31, 33}, settings(.5, "nearest")},
            {{64, 64}, settings(1, "zero")},
            {{65, 127}, settings(2.25, "mirror")},
            {{101, 211}, settings(1, "reflect")},
            {{77, 150}, settings(.8, "mirror")},
            {{70, 300}, settings(.05, "reflect")},
            {{46, 66, 3}, settings(.8, "zero"), true},
            {{7, 1031}, settings(1.5, "zero")},
            {{523, 3}, settings(1, "nearest")},
            {{40, 50, 3}, settings(1, "reflect")},
            {{33, 70, 4}, settings(2, "mirror")},
            {{37, 45, 2}, settings(1.5, "nearest")},
            {{128, 256}, settings(1, "reflect")},
            {{90, 110}, settings(1, "reflect"), true},
            {{48, 61, 3}, settings(2.25, "zero"), true},
            {{80, 96}, settings(7.5, "nearest")},
            {{50, 270, 2}, settings(1, "mirror")},
            {{43, 250, 4}, settings(1, "zero")},
            {{75, 301, 3}, settings(3, "reflect")},
            {{101, 245, 4}, settings(10, "mirror")},
            {{99, 260, 2}, settings(7.5, "zero"), true},
            {{20, 24}, settings(31, "reflect")},
            {{96, 520}, settings(3, "reflect")},
            {{600, 1030}, settings(1, "nearest")},
            {{40, 61}, {{"sigma", .8}, {"sigma-y", 2.5}, {"border", "mirror"}}},
            {{31, 23, 3}, {{"sigma", 3.}, {"sigma-y", 1.}, {"truncate", 2.}, {"border", "wrap"}}},
            {{21, 35}, {{"sigma", 2.}, {"border", "constant"}, {"value", 7.}}},
            {{1, 2}, {{"sigma", 2.}, {"border", "constant"}, {"value", 250.}}},
        };
        std::vector<Sample> samples;
        for (const Case &c : cases) {
            samples.push_back(sample(type, c));
        }
        if (type == "f32") {  // of each length of the windows of tuned_floats_*
            samples.push_back(sample(type, {{60, 222}, settings(5, "reflect")}));
            samples.push_back(sample(type, {{75, 300}, settings(10, "mirror")}));
            samples.push_back(sample(type, {{70, 330}, settings(16, "reflect")}));
            samples.push_back(sample(type, {{110, 520}, settings(25, "nearest")}));
        }
        if (type == "u8") {  // more rows than a grid has blocks along its second axis: one type shows it
            samples.push_back(sample(type, {{600001, 3}, settings(.5, "nearest")}));
        }
        return samples;
    }

    std::vector<Settings> benchmark_settings(const std::string &) const override {
        return {{{"sigma", 1.}}, {{"sigma", 2.25}}, {{"sigma", 3.}}, {{"sigma", 5.}}, {{"sigma", 7.5}},
            {{"sigma", 10.}}};
    }

    // Two passes of a multiplication and an addition per tap.
    Work work(std::span<const Array> inputs, const Array &output, const Settings &settings) const override {
        Work work = Workload::work(inputs, output, settings);
        work.flops = 4. * (2 * radius_of(inputs, settings) + 1) * (double)output.size();
        return work;
    }

protected:
    std::string in_words(const Settings &settings) const override {
        std::string words = fmt::format("{} {}", BlurWorkload::in_words(settings), settings.text("border"));
        if (settings.number("truncate", 4) != 4) {
            words += fmt::format(" truncate {}", settings.number("truncate"));
        }
        return words;
    }

    // f32: 2 (2 r + 3) 2^-24 times the largest |pixel|, the value of the border `constant` among them, and
    // what the variant loses besides. f64: with 2^-53. 16-bit floats: as f32, and half a step of the result.
    // Integers: the same bytes.
    Array bound_with(
        const BlurError &own, std::span<const Array> inputs, const Settings &settings) const override {
        const Array &image = inputs[0];
        if (image.type() == Type::u8 || image.type() == Type::u16) {
            return {};
        }
        const double largest = std::max(largest_magnitude(image), std::abs(settings.number("value", 0))),
                     units = 2 * (2 * radius_of(inputs, settings) + 3) + own.weights;
        // The plain loop adds in f64 as well.
        const double sums = image.type() == Type::f64 ? std::ldexp(2 * units * largest, -53) :
                                                        std::ldexp(units * largest, -24);
        const double rounding = image.type() == Type::f16  ? std::ldexp(largest, -11) + 0x1p-25 :
                                image.type() == Type::bf16 ? std::ldexp(largest, -8) :
                                                             0;
        return bound_of_all(image.shape(), sums + 1.01 * rounding + rounding_between_passes(own, largest));
    }

private:
    // Of the window, which the operator may fold.
    int radius_of(std::span<const Array> inputs, const Settings &settings) const {
        const auto request =
            static_cast<const OperatorOf<GaussianBlurRequest> &>(op_).request(inputs, settings);
        return GaussianWeights::radius_of(
            std::max(request->sigma, request->sigma_y), request->numbers().truncate);
    }
};

}  // namespace

std::unique_ptr<Workload> gaussian_blur_workload(const Operator &op) {
    return std::make_unique<GaussianBlurWorkload>(op);
}

}  // namespace tilewright
