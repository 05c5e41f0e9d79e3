#pragma once
// The phases of Fresnel diffraction, formed in f64 and reduced modulo one turn. Not installed.
#include "tilewright/fresnel.h"
#include <complex>

namespace tilewright {

// One propagation of a square field of `side` samples, the zeros around it included. In wavelengths, the distance is z / l, and
// the square of the FFT's frequency k is grain k^2.
//
//     before(n)  turns  (n - N/2)^2 / (2 N^2 grain |z| / l)           transform: along each axis, and an eighth of a turn back
//     after(k)   turns  |z| / l grain (k - N/2)^2 / 2
//     transfer   turns  -z / l grain k^2 / 2                          convolution: along each axis
//                turns  -z / l grain k^2 / (1 + sqrt(1 - grain k^2))  angular_spectrum, of both axes' k^2: no cancellation
struct Propagation {
    int64_t side;
    double wavelength, distance, pitch;
    FresnelMethod method;  // not automatic

    double wavelengths() const {
        return distance / wavelength;
    }
    double grain() const {
        const double angle = wavelength / ((double)side * pitch);
        return angle * angle;
    }

    // The most turns that any phase of the method reaches.
    double most_turns() const;

    // The phases of `transform` along one axis for a positive distance; a negative one takes the conjugates of the field and of the
    // result. They include the factor that conserves energy, and signs that move the FFT's origin to the centre, element N / 2.
    std::complex<double> before(int64_t n) const;
    std::complex<double> after(int64_t k) const;

    // What `convolution` takes along one axis at the FFT's output k, without the FFT's own factor.
    std::complex<double> transfer(int64_t k) const;
};

}  // namespace tilewright
