#pragma once
// What the workloads of gaussian_blur and recursive_gaussian share. Not installed.
#include "runtime/dispatch/options/settings.h"
#include "runtime/operators/blurs.h"
#include "runtime/workloads/image_workload.h"
#include "runtime/workloads/random.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tilewright {

// `R` is the request of the blur.
template<typename R>
class BlurWorkload : public ImageWorkload {
public:
    using ImageWorkload::ImageWorkload;

    // A random image; floats are finite, as a bound is made from the largest value.
    Sample benchmark_sample(const std::string &type, DataSize size, const Settings &settings) const override {
        std::vector<int64_t> shape = {size.height, size.width};
        if (size.channels > 1) {
            shape.push_back(size.channels);
        }
        return {{random_array(pixel_of(type).type, shape)}, settings,
            fmt::format("{} {} {}", type, tilewright::in_words(size), in_words(with_defaults(settings)))};
    }

    // Those of grey images, and a few of colours, which other variants serve.
    std::vector<DataSize> sizes_to_measure() const override {
        std::vector<DataSize> sizes = ImageWorkload::sizes_to_measure();
        sizes.insert(sizes.end() - 3, {{256, 256, 3}, {1920, 1080, 3}, {1920, 1080, 4}, {4000, 3000, 3}});
        return sizes;
    }

    Array bound(std::span<const Array> inputs, const Settings &settings) const final {
        return bound_with({}, inputs, settings);
    }
    Array bound_of(
        const Variant &variant, std::span<const Array> inputs, const Settings &settings) const final {
        return bound_with(
            static_cast<const BlurForm<R> &>(op_.form(variant)).own_error(variant), inputs, settings);
    }

protected:
    // The bound for rows that lose so much besides.
    virtual Array bound_with(
        const BlurError &own, std::span<const Array> inputs, const Settings &settings) const = 0;

    // A value between the passes is rounded by 2^-bits of itself, or by 2^-25.
    static double rounding_between_passes(const BlurError &own, double largest) {
        return own.bits ? std::ldexp(largest, -own.bits) + std::ldexp(1., -25) : 0;
    }

    struct Case {
        std::vector<int64_t> shape;
        Settings settings;
        bool crop = false;  // the image is a part of a larger one
    };

    Sample sample(const std::string &type, const Case &c) const {
        std::vector<int64_t> shape = c.shape;
        if (c.crop) {
            shape[0] += 5;
            shape[1] += 9;
        }
        Array image = random_array(pixel_of(type).type, shape);
        if (c.crop) {
            image = image.crop(2, 3, c.shape[0], c.shape[1]);
        }
        return {{image}, c.settings,
            fmt::format("{} {}{}", image.describe(), in_words(c.settings), c.crop ? " crop" : "")};
    }

    Settings with_defaults(const Settings &settings) const {
        Settings completed;
        return checked_settings(op_.name(), op_.options(), settings, completed);
    }

    // "sigma 3", and what else the operator has.
    virtual std::string in_words(const Settings &settings) const {
        std::string words = fmt::format("sigma {}", settings.number("sigma"));
        return settings.has("sigma-y") ? words + fmt::format(" sigma-y {}", settings.number("sigma-y")) :
                                         words;
    }

    // A bound that is the same for each element of an output of that shape.
    static Array bound_of_all(const std::vector<int64_t> &shape, double allowed) {
        Array bound(Type::f64, shape);
        const int64_t h = shape[0], n = bound.size() / h;
        for (int64_t y = 0; y < h; y++) {
            std::fill_n(bound.as<double>() + y * bound.strides()[0], n, allowed);
        }
        return bound;
    }

    // max |image|, where NaN does not count.
    static double largest_magnitude(const Array &image) {
        switch (image.type()) {
        case Type::u8: return largest_magnitude_of<uint8_t>(image);
        case Type::u16: return largest_magnitude_of<uint16_t>(image);
        case Type::f64: return largest_magnitude_of<double>(image);
        case Type::f16: return largest_magnitude_of<Float16>(image);
        case Type::bf16: return largest_magnitude_of<BFloat16>(image);
        default: return largest_magnitude_of<float>(image);
        }
    }

private:
    template<typename T>
    static double largest_magnitude_of(const Array &image) {
        const int64_t h = image.shape()[0], n = image.size() / h, pitch = image.strides()[0];
        const T *pixels = image.as<T>();
        double largest = 0;
        for (int64_t y = 0; y < h; y++) {
            for (int64_t x = 0; x < n; x++) {
                largest = std::fmax(largest, std::fabs((double)pixels[y * pitch + x]));
            }
        }
        return largest;
    }
};

}  // namespace tilewright
