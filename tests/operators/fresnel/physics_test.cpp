// What light does, by the best variant of this machine: beams, holes, waves, energy, and the three methods
// against each other.
#include "tests/operators/fresnel/fields.h"
#include <cmath>
#include <gtest/gtest.h>

namespace tilewright {
namespace {

// A beam of waist w0 at z = 0, at a distance: width, curvature and Gouy phase.
Values gaussian_beam(double w0, double z, int64_t side, double pitch) {
    const double range = pi * w0 * w0 / wavelength, w = w0 * std::sqrt(1 + z * z / (range * range));
    const double curvature = z / (z * z + range * range);
    return [=](int64_t i, int64_t j) {
        const double x = coordinate(i, side, pitch), y = coordinate(j, side, pitch), r2 = x * x + y * y;
        return w0 / w * std::exp(-r2 / (w * w)) *
               std::polar(1.0, pi * r2 * curvature / wavelength - std::atan(z / range));
    };
}

TEST(Fresnel, CarriesAGaussianBeam) {
    const double w0 = 60e-6;
    for (const int64_t side : {256, 255, 250}) {
        const Array waist = field_of(side, gaussian_beam(w0, 0, side, pitch));
        for (const auto &[method, z] : std::vector<std::pair<FresnelMethod, double>>{{convolution, .04},
                 {convolution, -.04}, {angular_spectrum, .04}, {transform, .3}, {transform, -.3}}) {
            const Case c{method, side, z};
            const double out_pitch =
                method == transform ? fresnel_sampling(side, wavelength, z, pitch).transform_pitch : pitch;
            const Array beam = fresnel(waist, options_of(c));
            // The exact field differs from the paraxial beam by about (l / (pi w0))^2.
            const double allowed = method == angular_spectrum ? 1e-4 : 2e-5;
            EXPECT_LE(relative_error(beam, gaussian_beam(w0, z, side, out_pitch)), allowed) << describe(c);
        }
    }
}

// A round hole of radius a, each sample being the part of it that is open.
Array aperture(int64_t side, double radius) {
    constexpr int fine = 8;
    return field_of(side, [&](int64_t i, int64_t j) {
        int open = 0;
        for (int v = 0; v < fine; v++) {
            for (int u = 0; u < fine; u++) {
                const double x = coordinate(i, side, pitch) + ((u + .5) / fine - .5) * pitch,
                             y = coordinate(j, side, pitch) + ((v + .5) / fine - .5) * pitch;
                open += x * x + y * y < radius * radius;
            }
        }
        return (double)open / (fine * fine);
    });
}

// On the axis the intensity is 4 sin^2(pi F / 2), F = a^2 / (l z): four times the light without a hole, or
// none.
TEST(Fresnel, HasLightAndDarkBehindARoundHole) {
    const int64_t side = 512;
    const double radius = .8e-3;
    const Array hole = aperture(side, radius);
    for (const double number : {1.0, 2.0, 2.5, 3.0, 4.0}) {
        const Case c{transform, side, radius * radius / (wavelength * number)};
        const Array light = fresnel(hole, options_of(c));
        const double s = std::sin(pi * number / 2),
                     on_axis = std::norm(C128(light.at<C64>({side / 2, side / 2})));
        EXPECT_NEAR(on_axis, 4 * s * s, .02) << "Fresnel number " << number;
    }
}

TEST(Fresnel, LeavesAPlaneWaveAPlaneWave) {
    const int64_t side = 64, kx = 5, ky = 60;
    for (const FresnelMethod method : {convolution, angular_spectrum}) {
        const Case c{method, side, .7 * critical_distance(side)};
        EXPECT_LE(relative_error(fresnel(field_of(side, [](int64_t, int64_t) { return 1; }), options_of(c)),
                      [](int64_t, int64_t) { return 1; }),
            allowed_error(side));
        // A tilted one keeps its direction, and its phase is that of the longer way.
        const auto wave = [&](int64_t x, int64_t y) {
            return unit_phase((double)(kx * x + ky * y) / (double)side);
        };
        const double fx = frequency(kx, side), fy = frequency(ky, side),
                     f = wavelength * wavelength * (fx * fx + fy * fy);
        const double longer = method == convolution ? -f / 2 : std::sqrt(1 - f) - 1;
        const Array there = fresnel(field_of(side, wave), options_of(c));
        EXPECT_LE(relative_error(there,
                      [&](int64_t x, int64_t y) {
                          return wave(x, y) * unit_phase(c.distance / wavelength * longer);
                      }),
            allowed_error(side))
            << describe(c);
    }
}

double energy(const Array &field, double pitch) {
    double sum = 0;
    for (const C128 &u : line_of(field)) {
        sum += std::norm(u);
    }
    return sum * pitch * pitch;
}

TEST(Fresnel, ConservesEnergyAndGoesBack) {
    const int64_t side = 128;
    const Array field = field_of(side, random_values());
    const Line start = line_of(field);
    for (const FresnelMethod method : {transform, convolution, angular_spectrum}) {
        FresnelOptions options = options_of({method, side, .9 * critical_distance(side)});
        const Array there = fresnel(field, options);
        const double out_pitch =
            method == transform ?
                fresnel_sampling(side, wavelength, options.distance, pitch).transform_pitch :
                pitch;
        EXPECT_NEAR(energy(there, out_pitch) / energy(field, pitch), 1, 1e-5) << (int)method;
        options.distance = -options.distance;
        options.pitch = out_pitch;
        EXPECT_LE(relative_error(fresnel(there, options), values_of(start, side)), 2 * allowed_error(side))
            << (int)method;
    }
}

TEST(Fresnel, MethodsAgreeWhereTheyShould) {
    const int64_t side = 256;
    const Array beam = field_of(side, gaussian_beam(150e-6, 0, side, pitch));
    const double z = critical_distance(side);
    const Line by_convolution = line_of(fresnel(beam, options_of({convolution, side, z})));
    EXPECT_LE(relative_error(
                  fresnel(beam, options_of({angular_spectrum, side, z})), values_of(by_convolution, side)),
        1e-4);
    // At the critical distance `transform` has the same pitch.
    EXPECT_LE(
        relative_error(fresnel(beam, options_of({transform, side, z})), values_of(by_convolution, side)),
        1e-4);
}

TEST(Fresnel, DropsEvanescentWaves) {
    const int64_t side = 32, k = 10;
    const double small = wavelength / 4;  // so that f l = 10 / 32 * 4 = 1.25
    const Array wave =
        field_of(side, [&](int64_t x, int64_t) { return unit_phase((double)(k * x) / (double)side); });
    const Array there = fresnel(
        wave, {.wavelength = wavelength, .distance = 1e-6, .pitch = small, .method = angular_spectrum});
    EXPECT_LE(std::sqrt(energy(there, small) / energy(wave, small)), allowed_error(side));
}

}  // namespace
}  // namespace tilewright
