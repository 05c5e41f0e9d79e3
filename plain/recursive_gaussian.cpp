#include "plain/recursive_gaussian.h"
#include "plain/elements.h"
#include "tilewright/plain.h"
#include <algorithm>
#include <cmath>
#include <complex>

namespace tilewright::plain {

namespace {

using Complex = std::complex<double>;

// The poles d^(1/q) of the operator's documentation.
std::vector<Complex> poles(double q) {
    std::vector<Complex> all;
    for (const Complex d : {Complex(1.41650, 1.00829), Complex(1.41650, -1.00829), Complex(1.86543, 0)}) {
        all.push_back(std::pow(d, 1 / q));
    }
    return all;
}

// The poles for a sigma, by bisection: the variance of the response rises with q. A pole d, applied in both
// directions, contributes 2 d / (d - 1)^2.
std::vector<Complex> poles_of(double sigma) {
    double low = .01, high = 1000;
    for (int i = 0; i < 100; i++) {
        const double q = .5 * (low + high);
        double variance = 0;
        for (const Complex &d : poles(q)) {
            variance += (2. * d / ((d - 1.) * (d - 1.))).real();
        }
        (variance < sigma * sigma ? low : high) = q;
    }
    return poles(low);
}

}  // namespace

PublishedFilter::PublishedFilter(double sigma) {
    const std::vector<Complex> d = poles_of(sigma);
    a1 = (1. / d[0] + 1. / d[1] + 1. / d[2]).real();
    a2 = -(1. / (d[0] * d[1]) + 1. / (d[1] * d[2]) + 1. / (d[0] * d[2])).real();
    a3 = (1. / (d[0] * d[1] * d[2])).real();
    // b0 is 1 - a1 - a2 - a3, in a form that does not cancel.
    b0 = ((1. - 1. / d[0]) * (1. - 1. / d[1]) * (1. - 1. / d[2])).real();
    const double scale = 1 / ((1 + a1 - a2 + a3) * (1 - a1 - a2 - a3) * (1 + a2 + (a1 - a3) * a3));
    const double m[9] = {-a3 * a1 + 1 - a3 * a3 - a2, (a3 + a1) * (a2 + a3 * a1), a3 * (a1 + a3 * a2),
        a1 + a3 * a2, -(a2 - 1) * (a2 + a3 * a1), -a3 * (a3 * a1 + a3 * a3 + a2 - 1),
        a3 * a1 + a2 + a1 * a1 - a2 * a2, a1 * a2 + a3 * a2 * a2 - a1 * a3 * a3 - a3 * a3 * a3 - a3 * a2 + a3,
        a3 * (a1 + a3 * a2)};
    for (int i = 0; i < 9; i++) {
        end_matrix[i] = scale * m[i];
    }
}

void PublishedFilter::operator()(double *x, int64_t n, int64_t stride) const {
    const double last = x[(n - 1) * stride];
    double w1 = x[0], w2 = x[0], w3 = x[0];
    auto step = [&](double &x) {
        const double w = b0 * x + a1 * w1 + a2 * w2 + a3 * w3;
        w3 = w2;
        w2 = w1;
        x = w1 = w;
    };
    for (int64_t i = 0; i < n; i++) {
        step(x[i * stride]);
    }
    const double u[3] = {w1 - last, w2 - last, w3 - last};
    double y[3];
    for (int k = 0; k < 3; k++) {
        y[k] = last +
               b0 * (end_matrix[3 * k] * u[0] + end_matrix[3 * k + 1] * u[1] + end_matrix[3 * k + 2] * u[2]);
    }
    x[(n - 1) * stride] = w1 = y[0];
    w2 = y[1];
    w3 = y[2];
    for (int64_t i = n - 2; i >= 0; i--) {
        step(x[i * stride]);
    }
}

// Filters rows, then columns, channel by channel.
std::vector<double> exact_recursion(const Array &image, double sigma) {
    const int64_t h = height(image), w = width(image), c = channels(image), n = w * c;
    const PublishedFilter filter(sigma);
    std::vector<double> all = elements_of<double>(image);
    for (int64_t y = 0; y < h; y++) {
        for (int64_t k = 0; k < c; k++) {
            filter(&all[(size_t)(y * n + k)], w, c);
        }
    }
    for (int64_t x = 0; x < n; x++) {
        filter(&all[(size_t)x], h, n);
    }
    return all;
}

// Results of integers are not rounded: their bound has half a step for it. The recursion undershoots beside
// sharp edges, and integers are limited to 0 and the largest value of their type.
Array recursive_gaussian(std::span<const Array> inputs, const Settings &settings, Backend) {
    std::vector<double> exact = exact_recursion(inputs[0], settings.number("sigma", 5));
    if (inputs[0].type() != Type::f32) {
        const double top = inputs[0].type() == Type::u8 ? 255 : 65535;
        for (double &value : exact) {
            value = std::clamp(value, 0., top);
        }
    }
    return array_of<double>(inputs[0].shape(), exact);
}

}  // namespace tilewright::plain
