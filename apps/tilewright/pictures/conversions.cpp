#include "apps/tilewright/pictures/conversions.h"
#include "runtime/arrays/copy.h"
#include "runtime/arrays/element.h"
#include "tilewright/error.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <stdexcept>

namespace tilewright::app {

namespace {

// Calls `with` with a value of the C++ type of a picture's values, u8 or u16.
template<typename With>
void with_integer(Type type, const With &with) {
    type == Type::u8 ? with(uint8_t()) : with(uint16_t());
}

// Calls `with` with a value of the C++ type of a complex field's values.
template<typename With>
void with_complex(Type type, const With &with) {
    type == Type::c64 ? with(std::complex<float>()) : with(std::complex<double>());
}

// out(y, x) = make(pointer to the pixel (y, x) of the image), for every pixel.
template<typename From, typename To, typename Make>
void for_pixels(const Array &image, Array &out, const Make &make) {
    const int64_t channels = image.dimensions() == 3 ? image.shape()[2] : 1;
    const From *from = image.as<From>();
    To *to = out.as<To>();
    for (int64_t y = 0; y < out.shape()[0]; y++) {
        for (int64_t x = 0; x < out.shape()[1]; x++) {
            to[y * out.strides()[0] + x] = make(from + y * image.strides()[0] + x * channels);
        }
    }
}

// Rounded, and kept in the range of the type; 0 of NaN.
template<typename T>
T limited_to(double value) {
    constexpr double top = std::numeric_limits<T>::max();
    value += .5;
    return value >= top ? (T)top : value >= 0 ? (T)value : (T)0;
}

Array grey_like(const Array &image) {
    return Array::uninitialized(image.type(), {image.shape()[0], image.shape()[1]});
}

template<typename From, typename To>
To value_as(From value) {
    if constexpr (std::is_same_v<To, int32_t>) {
        const auto wide = (double)value;
        if (!(wide >= -0x1p31 && wide < 0x1p31) || wide != std::floor(wide)) {
            throw Error(
                Fault::input, fmt::format("{} is no i32, the type of the other input; make that f64", wide));
        }
    }
    return (To)value;
}

}  // namespace

Array grey_values(const Array &image, bool has_alpha) {
    const int64_t colours = image.shape()[2] - (has_alpha ? 1 : 0);
    if (colours < 3) {
        return channel_of(image, 0);
    }
    Array grey = grey_like(image);
    const auto integers = [](const auto *p) {
        return (299u * p[0] + 587u * p[1] + 114u * p[2] + 500) / 1000;
    };
    if (image.type() == Type::u8) {
        for_pixels<uint8_t, uint8_t>(image, grey, integers);
    } else if (image.type() == Type::u16) {
        for_pixels<uint16_t, uint16_t>(image, grey, integers);
    } else if (image.type() == Type::f32) {
        for_pixels<float, float>(
            image, grey, [](const float *p) { return .299f * p[0] + .587f * p[1] + .114f * p[2]; });
    } else {
        throw Error(Fault::input, fmt::format("{} has no grey values; take --channel", image.describe()));
    }
    return grey;
}

Array channel_of(const Array &image, int64_t channel) {
    Array one = grey_like(image);
    with_element(image.type(), [&](auto element) {
        using T = decltype(element);
        for_pixels<T, T>(image, one, [channel](const T *pixel) { return pixel[channel]; });
    });
    return one;
}

Array converted(const Array &array, Type type) {
    Array result = Array::uninitialized(type, array.shape());
    const int64_t rows = array.dimensions() == 1 ? 1 : array.shape()[0], row = array.size() / rows;
    with_element(array.type(), [&](auto from_element) {
        with_element(type, [&](auto to_element) {
            using From = decltype(from_element);
            using To = decltype(to_element);
            if constexpr (std::is_same_v<From, std::complex<float>> ||
                          std::is_same_v<From, std::complex<double>> || !std::is_convertible_v<From, To> ||
                          (!std::is_floating_point_v<To> && !std::is_same_v<To, int32_t>)) {
                throw std::logic_error("converted: types");
            } else {
                const From *from = array.as<From>();
                To *to = result.as<To>();
                for (int64_t y = 0; y < rows; y++) {
                    for (int64_t x = 0; x < row; x++) {
                        to[y * (rows == 1 ? 0 : result.strides()[0]) + x] =
                            value_as<From, To>(from[y * (rows == 1 ? 0 : array.strides()[0]) + x]);
                    }
                }
            }
        });
    });
    return result;
}

Array matrix_of(const Array &vector, bool is_row) {
    const int64_t n = vector.size();
    Array matrix = Array::uninitialized(
        vector.type(), is_row ? std::vector<int64_t>{1, n} : std::vector<int64_t>{n, 1}, 0);
    std::memcpy(matrix.data(), vector.data(), (size_t)n * size_of(vector.type()));
    return matrix;
}

Array middle_of(const Array &image, int64_t h, int64_t w) {
    return image.crop((image.shape()[0] - h) / 2, (image.shape()[1] - w) / 2, h, w);
}

Array surrounded(const Array &image, int64_t h, int64_t w) {
    Array larger(image.type(), {h, w});
    Array middle = middle_of(larger, image.shape()[0], image.shape()[1]);
    copy(image, middle);
    return larger;
}

Array picture_of_spectrum(const Array &field, Type type) {
    const int64_t h = field.shape()[0], w = field.shape()[1];
    Array logarithms(Type::f32, {h, w});
    with_complex(field.type(), [&](auto element) {
        using C = decltype(element);
        for_pixels<C, float>(
            field, logarithms, [](const C *value) { return (float)std::log1p(std::abs(*value)); });
    });
    float largest = 0;
    for_pixels<float, float>(logarithms, logarithms, [&](const float *value) {
        largest = std::isfinite(*value) ? std::max(largest, *value) : largest;
        return *value;
    });
    const float top = type == Type::u8 ? 255 : 65535, factor = largest > 0 ? top / largest : 0;
    Array picture(type, {h, w});
    with_integer(type, [&](auto element) {
        using T = decltype(element);
        for (int64_t y = 0; y < h; y++) {
            const float *from = logarithms.as<float>() + (y + h - h / 2) % h * logarithms.strides()[0];
            T *to = picture.as<T>() + y * picture.strides()[0];
            for (int64_t x = 0; x < w; x++) {
                to[x] = limited_to<T>(from[(x + w - w / 2) % w] * factor);
            }
        }
    });
    return picture;
}

Array picture_of_values(const Array &field, Type type) {
    Array picture(type, field.shape());
    with_integer(type, [&](auto element) {
        using T = decltype(element);
        with_complex(field.type(), [&](auto of_field) {
            using C = decltype(of_field);
            for_pixels<C, T>(field, picture, [](const C *value) { return limited_to<T>(value->real()); });
        });
    });
    return picture;
}

}  // namespace tilewright::app
