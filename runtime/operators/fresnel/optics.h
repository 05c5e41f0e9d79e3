#pragma once
// The phases of Fresnel diffraction, computed in f64 and reduced modulo one revolution. Not installed.
#include "tilewright/fresnel.h"
#include <complex>

namespace tilewright {

// One propagation of a square field of `side` samples, the zeros around it included. With l the wavelength, N
// the side, p the pitch, and lengths in wavelengths, the distance is z / l, and the FFT's output k has the
// frequency k l / (N p), whose square is s k^2. Phases, in revolutions:
//
//     before(n)     (n - N/2)^2 / (2 N^2 s |z| / l) - 1/8        transform: along each axis
//     after(k)      |z| / l s (k - N/2)^2 / 2
//     transfer(k)   -z / l s k^2 / 2                             convolution: along each axis
//                   -z / l s k^2 / (1 + sqrt(1 - s k^2))         angular_spectrum: of the sum of both k^2
struct Propagation {
    int64_t side;
    double wavelength, distance, pitch;
    FresnelMethod method;  // not automatic

    double distance_in_wavelengths() const {
        return distance / wavelength;
    }
    double squared_frequency_step() const {  // s
        const double angle = wavelength / ((double)side * pitch);
        return angle * angle;
    }

    // The most revolutions that any phase of the method has.
    double most_revolutions() const;

    // The phases of `transform` along one axis for a positive distance; a negative one takes the conjugates
    // of the field and of the result. They include the factor that conserves energy, and phases that move
    // the FFT's origin to the centre, element N / 2 without its fraction.
    std::complex<double> before(int64_t n) const;
    std::complex<double> after(int64_t k) const;

    // What `convolution` multiplies the FFT's output k by along one axis, without the FFT's own factor.
    std::complex<double> transfer(int64_t k) const;
};

}  // namespace tilewright
