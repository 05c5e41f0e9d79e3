#pragma once
// Fresnel diffraction as plain loops, by formulas of their own. Not installed.
#include "plain/fft.h"
#include "tilewright/fresnel.h"

namespace tilewright::plain {

// One propagation of a square field of `side` samples. Lengths in metres.
struct Diffraction {
    FresnelMethod method;  // not automatic
    int64_t side;
    double wavelength, distance, pitch;

    // The factor of the FFT's output (kx, ky): H of `convolution` and `angular_spectrum`.
    Complex transfer(int64_t kx, int64_t ky) const;

    // A field f64 (side, side, 2), in place.
    void operator()(Array &field) const;
};

// `transform` along one axis, of lines in place: p exp(i pi x'^2 / l z) sum of u exp(i pi x^2 / l z) exp(-2 pi i x x' / l z), without
// 1 / (i l z).
class TransformLine {
public:
    explicit TransformLine(const Diffraction &d);
    void operator()(Complex *u) const;

private:
    Fft fft_;
    std::vector<Complex> before_, after_;
};

}  // namespace tilewright::plain
