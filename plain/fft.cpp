#include "plain/fft.h"
#include "plain/elements.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

namespace tilewright::plain {

Complex unit_phase(double revolutions) {
    return std::polar(1.0, 2 * std::numbers::pi * (revolutions - std::floor(revolutions)));
}

int64_t padded_side(int64_t n) {
    return std::max<int64_t>(16, (int64_t)std::bit_ceil((uint64_t)n));
}

// roots_ holds the roots of one stage after another; the stage of lines of 2 half elements has exp(sign 2 pi
// i k / (2 half)) for k < half.
Fft::Fft(int64_t n, int sign) : reversed_((size_t)n) {
    for (int64_t half = 1; half < n; half *= 2) {
        for (int64_t k = 0; k < half; k++) {
            roots_.push_back(unit_phase(sign * (double)k / (double)(2 * half)));
        }
    }
    for (size_t i = 1; i < reversed_.size(); i++) {
        reversed_[i] = reversed_[i / 2] / 2 + (i % 2 ? (uint32_t)n / 2 : 0);
    }
}

// Products are written out, because those of std::complex check for infinities.
void Fft::operator()(Complex *line) const {
    const size_t n = reversed_.size();
    for (size_t i = 0; i < n; i++) {
        if (i < reversed_[i]) {
            std::swap(line[i], line[reversed_[i]]);
        }
    }
    const Complex *roots = roots_.data();
    for (size_t half = 1; half < n; roots += half, half *= 2) {
        for (size_t first = 0; first < n; first += 2 * half) {
            Complex *a = line + first, *b = a + half;
            for (size_t k = 0; k < half; k++) {
                const double re = b[k].real() * roots[k].real() - b[k].imag() * roots[k].imag();
                const double im = b[k].real() * roots[k].imag() + b[k].imag() * roots[k].real();
                b[k] = {a[k].real() - re, a[k].imag() - im};
                a[k] = {a[k].real() + re, a[k].imag() + im};
            }
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
    image.type() == Type::c64 ? copy(image.as<std::complex<float>>()) : with_elements(image, copy);
    return field;
}

Complex *numbers(Array &field) {
    return reinterpret_cast<Complex *>(field.as<double>());
}

}  // namespace tilewright::plain
