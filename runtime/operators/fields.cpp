// Reads amplitudes, phases and fields.
#include "runtime/operators/fields.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>

namespace tilewright {

// Row y of an image, as fractions of full scale (u8, u16), or as they are (f32, f64).
template<typename Real>
static void read_row(const Array &image, int64_t y, std::vector<Real> &row) {
    const int64_t at = y * image.strides()[0];
    auto copy = [&](const auto *data, Real scale) {
        for (size_t x = 0; x < row.size(); x++) {
            row[x] = (Real)data[at + (int64_t)x] / scale;
        }
    };
    switch (image.type()) {
    case Type::u8: return copy(image.as<uint8_t>(), 255);
    case Type::u16: return copy(image.as<uint16_t>(), 65535);
    case Type::f64: return copy(image.as<double>(), 1);
    default: return copy(image.as<float>(), 1);
    }
}

template<typename Real>
static void write_numbers(std::span<const Array> inputs, Array &field, bool in_the_middle) {
    using Complex = std::complex<Real>;
    const Array &image = inputs[0];
    const int64_t h = image.shape()[0], n = image.shape()[1],
                  first_y = in_the_middle ? field.shape()[0] / 2 - h / 2 : 0,
                  first_x = in_the_middle ? field.shape()[1] / 2 - n / 2 : 0;
    Complex *out = field.template as<Complex>() + first_y * field.strides()[0] + first_x;
    std::vector<Real> amplitude((size_t)n), angle((size_t)n, 0);
    for (int64_t y = 0; y < h; y++, out += field.strides()[0]) {
        if (image.type() == field.type()) {
            memcpy((void *)out, image.template as<Complex>() + y * image.strides()[0],
                (size_t)n * sizeof(Complex));
            continue;
        }
        read_row(image, y, amplitude);
        if (inputs.size() < 2) {
            std::copy(amplitude.begin(), amplitude.end(), out);
            continue;
        }
        read_row(inputs[1], y, angle);
        const double unit = inputs[1].type() == Type::f32 ? 1 : 2 * std::numbers::pi;
        for (int64_t x = 0; x < n; x++) {
            out[x] = Complex(std::polar(1.0, unit * (double)angle[(size_t)x])) * amplitude[(size_t)x];
        }
    }
}

void write_field(std::span<const Array> inputs, Array &field, bool in_the_middle) {
    field.type() == Type::c64 ? write_numbers<float>(inputs, field, in_the_middle) :
                                write_numbers<double>(inputs, field, in_the_middle);
}

}  // namespace tilewright
