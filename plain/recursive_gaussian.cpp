#include "plain/recursive_gaussian.h"
#include "plain/elements.h"
#include "tilewright/plain.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

namespace tilewright::plain {

namespace {

using WideComplex = std::complex<long double>;
__extension__ using Wide = __float128;

// The poles d^(1/q) of the operator's documentation: a complex one, whose conjugate is another, and a real
// one.
std::pair<WideComplex, long double> poles(long double q) {
    return {std::pow(WideComplex(1.41650L, 1.00829L), 1 / q), std::pow(1.86543L, 1 / q)};
}

// What a pole d, applied in both directions, contributes to the variance of the response.
template<typename Pole>
Pole variance(Pole d) {
    return 2.L * d / ((d - 1.L) * (d - 1.L));
}

// The poles for a sigma, by bisection: the variance of the response rises with q.
std::pair<WideComplex, long double> poles_of(double sigma) {
    long double low = .01L, high = 1e4L;
    for (int i = 0; i < 200; i++) {
        const long double q = .5L * (low + high);
        const auto [pair, real] = poles(q);
        (2 * variance(pair).real() + variance(real) < (long double)sigma * sigma ? low : high) = q;
    }
    return poles(low);
}

}  // namespace

// All of a wide filter's poles are close to 1, and what follows is the differences of numbers that are nearly
// the same: at sigma 1000, f64 would leave three digits of the matrix.
PublishedFilter::PublishedFilter(double sigma) {
    const auto [pair, real] = poles_of(sigma);
    const WideComplex inverse = 1.L / pair;
    const Wide x = inverse.real(), y = inverse.imag(), z = 1 / real, one = 1, square = x * x + y * y;
    const Wide a1 = 2 * x + z, a2 = -(square + 2 * x * z), a3 = square * z,
               b0 = ((one - x) * (one - x) + y * y) * (one - z);
    const Wide scale = b0 / ((1 + a1 - a2 + a3) * (1 - a1 - a2 - a3) * (1 + a2 + (a1 - a3) * a3));
    const Wide m[9] = {-a3 * a1 + 1 - a3 * a3 - a2, (a3 + a1) * (a2 + a3 * a1), a3 * (a1 + a3 * a2),
        a1 + a3 * a2, -(a2 - 1) * (a2 + a3 * a1), -a3 * (a3 * a1 + a3 * a3 + a2 - 1),
        a3 * a1 + a2 + a1 * a1 - a2 * a2, a1 * a2 + a3 * a2 * a2 - a1 * a3 * a3 - a3 * a3 * a3 - a3 * a2 + a3,
        a3 * (a1 + a3 * a2)};
    for (int i = 0; i < 9; i++) {
        end_matrix[i] = (Number)(scale * m[i]);
    }
    this->a1 = (Number)a1;
    this->a2 = (Number)a2;
    this->a3 = (Number)a3;
    this->b0 = (Number)b0;
}

void PublishedFilter::operator()(double *x, int64_t n, int64_t stride) const {
    const double last = x[(n - 1) * stride];
    Number w1 = x[0], w2 = x[0], w3 = x[0];
    auto step = [&](double &x) {
        const Number w = b0 * x + a1 * w1 + a2 * w2 + a3 * w3;
        w3 = w2;
        w2 = w1;
        w1 = w;
        x = (double)w;
    };
    for (int64_t i = 0; i < n; i++) {
        step(x[i * stride]);
    }
    const Number u[3] = {w1 - last, w2 - last, w3 - last};
    Number y[3];
    for (int k = 0; k < 3; k++) {
        y[k] = last + end_matrix[3 * k] * u[0] + end_matrix[3 * k + 1] * u[1] + end_matrix[3 * k + 2] * u[2];
    }
    w1 = y[0];
    x[(n - 1) * stride] = (double)w1;
    w2 = y[1];
    w3 = y[2];
    for (int64_t i = n - 2; i >= 0; i--) {
        step(x[i * stride]);
    }
}

// Filters rows, then columns, channel by channel.
std::vector<double> exact_recursion(const Array &image, double sigma, double sigma_y) {
    const int64_t h = height(image), w = width(image), c = channels(image), n = w * c;
    const PublishedFilter along(sigma), down(sigma_y > 0 ? sigma_y : sigma);
    std::vector<double> all = elements_of<double>(image);
    for (int64_t y = 0; y < h; y++) {
        for (int64_t k = 0; k < c; k++) {
            along(&all[(size_t)(y * n + k)], w, c);
        }
    }
    for (int64_t x = 0; x < n; x++) {
        down(&all[(size_t)x], h, n);
    }
    return all;
}

// Results of integers are not rounded: their bound has half a step for it. The recursion undershoots beside
// sharp edges, and integers are limited to 0 and the largest value of their type.
Array recursive_gaussian(std::span<const Array> inputs, const Settings &settings, Backend) {
    std::vector<double> exact =
        exact_recursion(inputs[0], settings.number("sigma", 5), settings.number("sigma-y", 0));
    if (inputs[0].type() == Type::u8 || inputs[0].type() == Type::u16) {
        const double top = inputs[0].type() == Type::u8 ? 255 : 65535;
        for (double &value : exact) {
            value = std::clamp(value, 0., top);
        }
    }
    return array_of<double>(inputs[0].shape(), exact);
}

}  // namespace tilewright::plain
