// Reads amplitudes, phases and fields.
#include "runtime/operators/fields.h"
#include "runtime/arrays/copy.h"
#include "runtime/devices/calls/halide_calls.h"
#include <algorithm>
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
    const auto write_row = [&](int64_t y, std::vector<Real> &amplitude, std::vector<Real> &angle) {
        Complex *row = out + y * field.strides()[0];
        if (image.type() == field.type()) {
            memcpy((void *)row, image.template as<Complex>() + y * image.strides()[0],
                (size_t)n * sizeof(Complex));
            return;
        }
        read_row(image, y, amplitude);
        if (inputs.size() < 2) {
            std::copy(amplitude.begin(), amplitude.end(), row);
            return;
        }
        read_row(inputs[1], y, angle);
        const double unit = inputs[1].type() == Type::f32 ? 1 : 2 * std::numbers::pi;
        for (int64_t x = 0; x < n; x++) {
            row[x] = Complex(std::polar(1.0, unit * (double)angle[(size_t)x])) * amplitude[(size_t)x];
        }
    };
    for (const Array &input : inputs) {
        (void)input.data();  // what a device wrote is copied once, and not by the threads
    }
    by_rows(h, n * (int64_t)sizeof(Complex), [&](int64_t first, int64_t last) {
        std::vector<Real> amplitude((size_t)n), angle((size_t)n);
        for (int64_t y = first; y < last; y++) {
            write_row(y, amplitude, angle);
        }
    });
}

void write_field(std::span<const Array> inputs, Array &field, bool in_the_middle) {
    field.type() == Type::c64 ? write_numbers<float>(inputs, field, in_the_middle) :
                                write_numbers<double>(inputs, field, in_the_middle);
}

static bool begins_at_an_element(const Array &array) {
    return array.offset_bytes() % (int64_t)size_of(array.type()) == 0;
}

void add_passes(const PassPlan &passes, Plan &plan, const Array &field, Array &output) {
    Array from = field;
    if (!begins_at_an_element(field)) {
        from = Array::uninitialized(field.type(), field.shape());
        plan.host([field, from]() mutable { copy(field, from); });
    }
    if (begins_at_an_element(output)) {
        return passes.add_to(plan, from, output);
    }
    Array to = Array::uninitialized(output.type(), output.shape());
    passes.add_to(plan, from, to);
    plan.host([to, output]() mutable { copy(to, output); });
}

}  // namespace tilewright
