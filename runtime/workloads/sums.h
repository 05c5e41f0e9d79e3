#pragma once
// The workload of column_sum and row_sum. Not installed.
#include "generators/algorithms/sums/most_terms.h"
#include "runtime/workloads/random.h"
#include "tilewright/workload.h"
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace tilewright {

class SumWorkload : public Workload {
public:
    // `kept_axis` of (h, w), as the front has it; `sizes`: (h, w) of samples; `largest`: (h, w) of the sample
    // of largest values.
    using Size = std::pair<int64_t, int64_t>;
    SumWorkload(const Operator &op, size_t kept_axis, std::vector<Size> sizes, Size largest)
        : Workload(op), kept_axis_(kept_axis), sizes_(std::move(sizes)), largest_(largest) {}

    // Sums of integers are exact, converted or not; those of f32 are off by at most 2^-24 of the sum of
    // magnitudes at each addition. What is not finite has no error: it must come out the same.
    Array bound(std::span<const Array> inputs, const Settings &) const override {
        const Array &image = inputs[0];
        switch (image.type()) {
        case Type::f32: return bound_of(image, image.as<float>(), -24);
        case Type::f64: return bound_of(image, image.as<double>(), -52);  // and those of the plain loop
        case Type::f16: return bound_of(image, image.as<Float16>(), -24);
        case Type::bf16: return bound_of(image, image.as<BFloat16>(), -24);
        default: return {};
        }
    }

    std::vector<Sample> samples(const std::string &type) const override {
        const Type element = element_of(type);
        const Settings settings = settings_of(type);
        std::vector<Sample> all;
        for (const auto &[h, w] : sizes_) {
            if (!is_converted(type) || u32_holds_sums(element, h, w)) {
                all.push_back({{random_array(element, {h, w}, (uint64_t)(h * 31 + w))},
                    settings_of(type, h, w), fmt::format("{} {}x{}", type, w, h)});
            }
        }
        // Nothing that a fast path could ask for: odd rows, an odd pitch and an odd beginning.
        Array dense(element, {301, 523}, 0);
        fill_random(dense, 7);
        all.push_back({{dense}, settings, type + " 523x301 dense"});
        all.push_back({{dense.crop(2, 5, 290, 511)}, settings, type + " 511x290 crop of 523x301"});
        all.push_back({{dense.crop(1, 3, 41, 77)}, settings, type + " 77x41 crop of 523x301"});
        // The largest values show sums that do not fit where they are held.
        if (element == Type::u8 || element == Type::u16) {
            const auto [h, w] = largest_;
            Array full(element, {h, w});
            memset(full.data(), 0xff, (size_t)(full.strides()[0] * h) * size_of(element));
            all.push_back({{full}, settings, fmt::format("{} {}x{} all at their largest", type, w, h)});
        }
        return all;
    }

    Sample benchmark_sample(const std::string &type, DataSize size, const Settings &settings) const override {
        Settings all = settings_of(type, size.height, size.width);
        for (const auto &[name, value] : settings.all()) {
            all.set(name, value);
        }
        return {
            {random_array(element_of(type), {size.height, size.width}, 1)}, all, type + " " + in_words(size)};
    }

private:
    template<typename T>
    Array bound_of(const Array &image, const T *pixels, int exponent) const {
        const std::vector<int64_t> &shape = image.shape();
        const int64_t c = shape.size() == 3 ? shape[2] : 1;
        Array bound(Type::f64,
            shape.size() == 3 ? std::vector{shape[kept_axis_], c} : std::vector{shape[kept_axis_]}, 0);
        double *sums = bound.as<double>();
        const double unit = std::ldexp((double)shape[1 - kept_axis_], exponent);
        for (int64_t y = 0; y < shape[0]; y++) {
            for (int64_t x = 0; x < shape[1] * c; x++) {
                const double magnitude = std::abs((double)pixels[y * image.strides()[0] + x]);
                sums[kept_axis_ == 0 ? y * c + x % c : x] += std::isfinite(magnitude) ? unit * magnitude : 0;
            }
        }
        return bound;
    }

    static Type element_of(const std::string &type) {
        for (const Type element : all_types) {
            if (type == name_of(element)) {
                return element;
            }
        }
        return type.starts_with("u16") ? Type::u16 : Type::u8;
    }

    // Whether the variants of the type convert sums of integers to f32.
    static bool is_converted(const std::string &type) {
        return type == "u8f32" || type == "u16f32";
    }

    static Settings settings_of(const std::string &type) {
        return is_converted(type) ? Settings{{"output-type", "f32"}} : Settings{};
    }

    bool u32_holds_sums(Type element, int64_t h, int64_t w) const {
        return (element != Type::u8 && element != Type::u16) ||
               (kept_axis_ == 0 ? w : h) <= most_terms((int64_t)size_of(element));
    }

    // The same for an image of that size: sums that u32 does not hold are asked for in u64.
    Settings settings_of(const std::string &type, int64_t h, int64_t w) const {
        return u32_holds_sums(element_of(type), h, w) ? settings_of(type) : Settings{{"output-type", "u64"}};
    }

    size_t kept_axis_;
    std::vector<Size> sizes_;
    Size largest_;
};

}  // namespace tilewright
