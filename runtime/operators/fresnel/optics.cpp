// Phases of Fresnel diffraction, and the distances at which they are sampled well enough.
#include "runtime/operators/fresnel/optics.h"
#include "tilewright/error.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace tilewright {

namespace {

std::complex<double> phase(double revolutions) {
    return std::polar(1.0, 2 * std::numbers::pi * (revolutions - std::nearbyint(revolutions)));
}

double square(int64_t n) {
    return (double)(n * n);
}

// The phase of sample n, in revolutions, that moves the FFT's origin to element side / 2.
double shift(int64_t n, int64_t side) {
    return (double)(n * (side / 2) % side) / (double)side;
}

}  // namespace

bool FresnelSampling::aliases(FresnelMethod method) const {
    const double far = std::abs(distance);
    return method == FresnelMethod::transform ? far < critical_distance :
                                                method != FresnelMethod::automatic && far > critical_distance;
}

FresnelSampling fresnel_sampling(int64_t side, double wavelength, double distance, double pitch) {
    const auto check = [](const char *name, double value, bool is_taken, const char *takes) {
        if (!is_taken || !std::isfinite(value)) {
            throw Error(Fault::usage, takes,
                {.operation = "fresnel_sampling", .argument = name, .value = fmt::format("{:g}", value)});
        }
    };
    check("side", (double)side, side >= 1, "takes a whole number from 1 on");
    check("wavelength", wavelength, wavelength > 0, "takes metres above 0");
    check("distance", distance, true, "takes metres");
    check("pitch", pitch, pitch > 0, "takes metres above 0");
    const double critical = (double)side * pitch * pitch / wavelength, far = std::abs(distance);
    return {critical, far > critical ? FresnelMethod::transform : FresnelMethod::convolution,
        wavelength * far / ((double)side * pitch), distance};
}

double Propagation::most_revolutions() const {
    const double far = std::abs(distance_in_wavelengths()), step = squared_frequency_step(),
                 edge = square(side / 2);
    const double middle = far * step * edge / 2;
    if (method == FresnelMethod::transform) {
        return std::max(middle, edge / (2 * square(side) * step * far));
    }
    const double corner = std::min(1.0, 2 * step * edge);
    return method == FresnelMethod::convolution ? middle : far * corner / (1 + std::sqrt(1 - corner));
}

std::complex<double> Propagation::before(int64_t n) const {
    const double scale =
        1 / (square(side) * squared_frequency_step() * std::abs(distance_in_wavelengths()));  // p^2 / (l |z|)
    return std::sqrt(scale) * phase(square(n - side / 2) * scale / 2 - .125 + shift(n, side));
}

std::complex<double> Propagation::after(int64_t k) const {
    return phase(std::abs(distance_in_wavelengths()) * squared_frequency_step() * square(k - side / 2) / 2 +
                 shift(k - side / 2, side));
}

std::complex<double> Propagation::transfer(int64_t k) const {
    return phase(-distance_in_wavelengths() * squared_frequency_step() *
                 square(k < (side + 1) / 2 ? k : k - side) / 2);
}

}  // namespace tilewright
