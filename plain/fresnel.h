#pragma once
// The definition of fresnel as plain loops, by formulas of their own: those of the operator's passes are
// other ones. Not installed.
#include "plain/fft.h"
#include "tilewright/fresnel.h"

namespace tilewright::plain {

// One propagation of a square field of `side` x `side` samples. Lengths are in metres.
struct Diffraction {
    FresnelMethod method;  // not automatic
    int64_t side;
    double wavelength, distance, pitch;

    // The factor of the FFT's output (kx, ky): H of `convolution` and `angular_spectrum`.
    Complex transfer(int64_t kx, int64_t ky) const;

    // Propagates a field f64 (side, side, 2) in place.
    void operator()(Array &field) const;
};

// The method `transform` along one axis, of lines in place:
// p exp(i pi x'^2 / l z) sum over x of u exp(i pi x^2 / l z) exp(-2 pi i x x' / l z), with pitch p,
// wavelength l and distance z. The factor 1 / (i l z) is left out.
class TransformLine {
public:
    explicit TransformLine(const Diffraction &d);
    void operator()(Complex *u) const;

private:
    Fft fft_;
    std::vector<Complex> before_, after_;
};

}  // namespace tilewright::plain
