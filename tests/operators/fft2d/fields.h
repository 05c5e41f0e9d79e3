#pragma once
// Fields for the tests of fft2d, their exact transforms, and how far a result is off.
#include "tests/support/arrays.h"
#include "tilewright/fft2d.h"
#include "tilewright/plain.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <map>
#include <tuple>
#include <vector>

namespace tilewright {

using Number = std::complex<double>;

// A field in f64, rows of any length.
struct Field {
    int64_t h, w;
    std::vector<Number> values;

    Number &at(int64_t y, int64_t x) {
        return values[(size_t)(y * w + x)];
    }
    const Number &at(int64_t y, int64_t x) const {
        return values[(size_t)(y * w + x)];
    }
};

inline Field read(const Array &array) {
    const int64_t h = array.shape()[0], w = array.shape()[1];
    Field field{h, w, std::vector<Number>((size_t)(h * w))};
    for (int64_t y = 0; y < h; y++) {
        for (int64_t x = 0; x < w; x++) {
            const int64_t at = y * array.strides()[0] + x;
            field.at(y, x) = array.type() == Type::c64  ? Number(array.as<std::complex<float>>()[at]) :
                             array.type() == Type::c128 ? array.as<Number>()[at] :
                             array.type() == Type::f64  ? Number(array.as<double>()[at]) :
                                                          Number(array.as<float>()[at]);
        }
    }
    return field;
}

inline Settings direction_of(Direction direction) {
    return {{"direction", std::string(direction == Direction::forward ? "forward" : "inverse")}};
}

// The exact result of a call, as complex numbers.
inline Field exact_result(const Array &field, const Settings &settings) {
    const Array exact = *plain_result(fft2d_operator(), {&field, 1}, settings);
    if (exact.dimensions() == 2) {
        return read(exact);
    }
    const auto *values = reinterpret_cast<const Number *>(exact.as<double>());
    return {exact.shape()[0], exact.shape()[1], {values, values + exact.size() / 2}};
}

inline Field transformed(const Array &field, Direction direction) {
    return exact_result(field, direction_of(direction));
}

// What is off, relative to the norm.
inline double relative_error(const Array &output, const Field &expected) {
    const Field actual = read(output);
    double off = 0, all = 0;
    for (size_t i = 0; i < expected.values.size(); i++) {
        off += std::norm(actual.values[i] - expected.values[i]);
        all += std::norm(expected.values[i]);
    }
    return std::sqrt(off / all);
}

// The bound of the header, of a type of fields.
inline double allowed(int64_t h, int64_t w, Type type = Type::c64) {
    return (type == Type::c64 ? 2e-6 : 4e-15) * std::log2((double)std::max({h, w, int64_t(2)}));
}

inline Array random_field(int64_t h, int64_t w, unsigned seed = 1, Type type = Type::c64) {
    Array field(type, {h, w});
    std::mt19937 random(seed);
    const auto next = [&] {
        const double re = (double)random() / 0x1p31 - 1, im = (double)random() / 0x1p31 - 1;
        return Number(re, im);
    };
    if (type == Type::c64) {
        fill<std::complex<float>>(field, [&] { return std::complex<float>(next()); });
    } else {
        fill<Number>(field, next);
    }
    return field;
}

// A random field and its exact transform, which variants share: the definition takes longer than most of
// them. The field is part of a larger one where it `is_crop`.
struct KnownTransform {
    Array field;
    Field exact;
};

inline const KnownTransform &known_transform(
    int64_t h, int64_t w, unsigned seed, Type type, Direction direction, bool is_crop = false) {
    static std::map<std::tuple<int64_t, int64_t, unsigned, Type, Direction, bool>, KnownTransform> all;
    const auto [at, is_new] = all.try_emplace({h, w, seed, type, direction, is_crop});
    KnownTransform &known = at->second;
    if (is_new) {
        known.field = is_crop ? random_field(h + 5, w + 9, seed, type).crop(2, 3, h, w) :
                                random_field(h, w, seed, type);
        known.exact = transformed(known.field, direction);
    }
    return known;
}

}  // namespace tilewright
