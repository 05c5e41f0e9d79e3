#pragma once
// What the fronts of column_sum and row_sum share. Not installed.
#include "runtime/dispatch/launch.h"
#include "tilewright/operator.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace tilewright {

// Where an image lies in the words of its storage, in bytes.
struct Placement {
    int32_t offset, stride, width, height;
    int32_t element;  // bytes of one
};

class SumOperator : public Operator {
public:
    std::vector<Option> options() const override {
        return {{"output-type",
                 "Type of the sums: u32 or f32 for integer images (u32 is the default), f32 for f32 images",
                 false,
                 "",
                 {"u32", "f32"}}};
    }

    std::string type_of(std::span<const Array> inputs, const Settings &settings) const override {
        const Array &image = inputs[0];
        if (image.dimensions() != 2) {
            refuse(Fault::input, "takes an image of shape (h, w); add up or pick a channel first", "input", image.describe());
        }
        if (image.type() != Type::u8 && image.type() != Type::u16 && image.type() != Type::f32) {
            refuse(Fault::input, "takes u8, u16 or f32; convert it first", "input", image.describe());
        }
        const std::string element = name_of(image.type()), output = settings.text("output-type", "");
        if (!output.empty() && output != "u32" && output != "f32") {
            refuse(Fault::usage, "takes u32 or f32", "output-type", output);
        }
        if (image.type() == Type::f32) {
            if (output == "u32") {
                refuse(Fault::usage, "sums of an f32 image are f32; leave it out", "output-type", output);
            }
            return element;
        }
        return output == "f32" ? element + "f32" : element;
    }

    std::pair<Type, std::vector<int64_t>> output_of(std::span<const Array> inputs, const Settings &settings) const override {
        const std::string type = type_of(inputs, settings);
        const bool is_float = type.size() >= 3 && type.substr(type.size() - 3) == "f32";
        return {is_float ? Type::f32 : Type::u32, {inputs[0].shape()[kept_axis()]}};
    }

    // Sums of integers are exact, converted or not; those of f32 are off by at most 2^-24 of the sum of magnitudes at each
    // addition. What is not finite has no error: it must come out the same.
    Array bound(std::span<const Array> inputs, const Settings &) const override {
        const Array &image = inputs[0];
        if (image.type() != Type::f32) {
            return {};
        }
        Array bound(Type::f64, {image.shape()[kept_axis()]});
        const float *pixels = image.as<float>();
        double *sums = bound.as<double>();
        const double unit = std::ldexp((double)image.shape()[1 - kept_axis()], -24);
        for (int64_t y = 0; y < image.shape()[0]; y++) {
            for (int64_t x = 0; x < image.shape()[1]; x++) {
                const double magnitude = std::abs((double)pixels[y * image.strides()[0] + x]);
                sums[kept_axis() == 0 ? y : x] += std::isfinite(magnitude) ? unit * magnitude : 0;
            }
        }
        return bound;
    }

    std::vector<Sample> samples(const std::string &type) const override {
        const Settings settings = settings_of(type);
        std::vector<Sample> all;
        for (const auto &[h, w] : sizes()) {
            Array image(element_of(type), {h, w});
            scramble(image, (uint32_t)(h * 31 + w));
            all.push_back({{image}, settings, fmt::format("{} {}x{}", type, w, h)});
        }
        // Nothing that a fast path could ask for: odd rows, an odd pitch and an odd beginning.
        Array dense(element_of(type), {301, 523}, 0);
        scramble(dense, 7);
        all.push_back({{dense}, settings, type + " 523x301 dense"});
        all.push_back({{dense.crop(2, 5, 290, 511)}, settings, type + " 511x290 crop of 523x301"});
        all.push_back({{dense.crop(1, 3, 41, 77)}, settings, type + " 77x41 crop of 523x301"});
        // The largest values show sums that do not fit where they are held.
        if (element_of(type) != Type::f32) {
            const auto [h, w] = largest();
            Array full(element_of(type), {h, w});
            memset(full.data(), 0xff, (size_t)(full.strides()[0] * h) * size_of(full.type()));
            all.push_back({{full}, settings, fmt::format("{} {}x{} all at their largest", type, w, h)});
        }
        return all;
    }

    Sample benchmark_sample(const std::string &type, int64_t w, int64_t h, const Settings &settings) const override {
        Array image(element_of(type), {h, w});
        scramble(image, 1);
        Settings all = settings_of(type);
        for (const auto &[name, value] : settings.all()) {
            all.set(name, value);
        }
        return {{image}, all, fmt::format("{} {}x{}", type, w, h)};
    }

    // The public functions.
    void call(const Array &image, Array &sums, const Call &how) const {
        Settings settings;
        if (!sums.empty()) {
            settings.set("output-type", std::string(name_of(sums.type())));
        }
        (*this)(std::span(&image, 1), sums, settings, how);
    }
    Array call(const Array &image, Type output, const Call &how) const {
        Array sums;
        (*this)(std::span(&image, 1), sums, {{"output-type", std::string(name_of(output))}}, how);
        return sums;
    }

protected:
    virtual int kept_axis() const = 0;                                  // of (h, w): the one that the sums run over is the other
    virtual std::vector<std::pair<int64_t, int64_t>> sizes() const = 0;  // (h, w) of samples
    virtual std::pair<int64_t, int64_t> largest() const = 0;            // (h, w) of the sample of largest values

    // Autoscheduled rows move their last vector or block of sums inwards: there must be that many.
    bool enough_for_autoscheduler(const Row &row, const Array &image) const {
        constexpr int64_t widest_block = 64;
        return row.autoscheduler.empty() || image.shape()[kept_axis()] >= widest_block;
    }

    static Placement placement(const Array &image) {
        const int64_t element = (int64_t)size_of(image.type());
        return {(int32_t)image.offset_bytes(), (int32_t)(image.strides()[0] * element), (int32_t)image.shape()[1],
                (int32_t)image.shape()[0], (int32_t)element};
    }

private:
    static Type element_of(const std::string &type) {
        return type.rfind("u16", 0) == 0 ? Type::u16 : type.rfind("u8", 0) == 0 ? Type::u8 : Type::f32;
    }

    static Settings settings_of(const std::string &type) {
        return type == "u8f32" || type == "u16f32" ? Settings{{"output-type", "f32"}} : Settings{};
    }

    // Pseudo-random integers of all bits, or floats in [-1, 1).
    static void scramble(Array &image, uint32_t seed) {
        const size_t bytes = (size_t)(image.strides()[0] * image.shape()[0]) * size_of(image.type());
        auto *to = static_cast<unsigned char *>(image.data());
        uint64_t state = 0x9e3779b97f4a7c15u * (seed + 1);
        for (size_t i = 0; i < bytes; i += 4) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            const auto word = (uint32_t)(state >> 32);
            const float number = std::ldexp((float)(int32_t)word, -31);
            memcpy(to + i, image.type() == Type::f32 ? (const void *)&number : &word, std::min<size_t>(4, bytes - i));
        }
    }
};

inline int32_t ceil_div(int64_t a, int64_t b) {
    return (int32_t)((a + b - 1) / b);
}

}  // namespace tilewright
