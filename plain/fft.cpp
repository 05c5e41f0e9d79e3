#include "plain/fft.h"
#include "plain/elements.h"
#include <cmath>
#include <numbers>

namespace tilewright::plain {

Complex unit_phase(double revolutions) {
    return std::polar(1.0, 2 * std::numbers::pi * (revolutions - std::floor(revolutions)));
}

Fft::Fft(int64_t n, int sign) : copy_((size_t)n), values_((size_t)n) {
    for (int64_t k = 0; k < n; k++) {
        roots_.push_back(unit_phase(sign * (double)k / (double)n));
    }
}

void Fft::operator()(Complex *line) const {
    std::copy_n(line, copy_.size(), copy_.data());
    transform(copy_.data(), line, copy_.size(), 1);
}

// The least factor p of n: the sums of all p-th values are transforms of n / p values. Products are written
// out, because those of std::complex check for infinities.
void Fft::transform(const Complex *from, Complex *to, size_t n, size_t stride) const {
    if (n == 1) {
        *to = *from;
        return;
    }
    size_t p = 2;
    while (n % p != 0) {
        p++;
    }
    const size_t part = n / p;
    for (size_t j = 0; j < p; j++) {
        transform(from + j * stride, to + j * part, part, p * stride);
    }
    Complex *values = values_.data();
    for (size_t k = 0; k < part; k++) {
        for (size_t j = 0; j < p; j++) {
            values[j] = to[k + j * part];
        }
        for (size_t q = 0; q < p; q++) {
            double re = 0, im = 0;
            for (size_t j = 0, root = 0; j < p; j++) {
                const Complex &w = roots_[root * stride];
                re += values[j].real() * w.real() - values[j].imag() * w.imag();
                im += values[j].real() * w.imag() + values[j].imag() * w.real();
                root += k + q * part;
                root -= root < n ? 0 : n;
            }
            to[k + q * part] = {re, im};
        }
    }
}

Array complex_field(const Array &image, int64_t h, int64_t w, int64_t y0, int64_t x0) {
    Array field(Type::f64, {h, w, 2}, 0);
    const int64_t pitch = image.strides()[0];
    Complex *to = numbers(field) + y0 * w + x0;
    const auto copy = [&](const auto *from) {
        for (int64_t y = 0; y < height(image); y++) {
            std::copy_n(from + y * pitch, width(image), to + y * w);
        }
    };
    if (image.type() == Type::c64) {
        copy(image.as<std::complex<float>>());
    } else if (image.type() == Type::c128) {
        copy(image.as<std::complex<double>>());
    } else {
        with_elements(image, copy);
    }
    return field;
}

Complex *numbers(Array &field) {
    return reinterpret_cast<Complex *>(field.as<double>());
}

}  // namespace tilewright::plain
