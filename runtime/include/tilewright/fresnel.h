#pragma once
#include "tilewright/array.h"
#include "tilewright/operator.h"
#pragma GCC visibility push(default)

namespace tilewright {

// How the field at a distance is computed. With u(x, y) the field, l the wavelength, z the distance, p the
// pitch of the samples and N samples per side:
enum class FresnelMethod {
    // The one of `convolution` and `transform` whose phases are sampled well enough at this distance
    // (fresnel_sampling).
    automatic,
    // One Fourier transform between two quadratic phases. The samples of the result are l |z| / (N p) apart.
    //     out(x', y') = 1 / (i l z) exp(i pi (x'^2 + y'^2) / (l z)) p^2
    //                   sum of u exp(i pi (x^2 + y^2) / (l z)) exp(-2 pi i (x x' + y y') / (l z))
    transform,
    // FFT, times H, inverse FFT; the pitch stays. H = exp(-i pi l z (fx^2 + fy^2)), and f is from -1 / (2 p)
    // to 1 / (2 p).
    convolution,
    // The same without the paraxial approximation: H = exp(2 pi i z (sqrt(1 / l^2 - fx^2 - fy^2) - 1 / l)),
    // and zero where the root is imaginary (evanescent waves).
    angular_spectrum,
};

// Lengths in metres.
struct FresnelOptions {
    double wavelength = 0;  // 1e-12 ... 1
    double distance = 0;    // up to 1e9 either way; negative goes back towards the source
    double pitch = 0;       // of the field's samples, 1e-12 ... 1
    FresnelMethod method = FresnelMethod::automatic;  // how the result is computed
    // Surrounds the field with zeros, to at least twice its side, and takes the middle of the result: what
    // leaves the field at one side does not come in at the other. Of the sides N from there on it takes the
    // one that is the fastest with its zeros and copies: the first power of two where that has at most 1.5
    // times the points of the first N whose prime factors are 2, 3 and 5 (the last two up to their fourth
    // power) and is from 16 to 8192, and else that N. A field of side 1080 has 2160 x 2160 points then, and
    // one of 1800 has 4096 x 4096. A padded field may have a side up to 8192.
    bool pad = false;
};

// Which methods sample their phases well enough. The quadratic phases of `convolution` and `angular_spectrum`
// are proportional to the distance, those of `transform` to its inverse. A method aliases where its phase
// changes by more than half a revolution from sample to sample: `convolution` and `angular_spectrum` beyond
// the critical distance N p^2 / l, `transform` below it.
struct FresnelSampling {
    double critical_distance;  // metres
    FresnelMethod fitting;     // convolution up to the critical distance, transform beyond it
    double transform_pitch;    // of `transform`'s result, metres
    double distance;

    bool aliases(FresnelMethod method) const;
};

// `side` counts the zeros around the field as well, and is at least 1; lengths are in metres, and all but the
// distance are above 0. Errors: usage, for other numbers, and for those that are not finite.
FresnelSampling fresnel_sampling(int64_t side, double wavelength, double distance, double pitch);

// Propagates a complex field, c64 of shape (n, n), over a distance in free space; n is from 1 to 16384 (with
// `pad`: up to 8192). The field's centre is element n / 2, rounded down, along both axes, before and after.
// The constant phase exp(2 pi i z / l) is left out.
//
// Energy is conserved: the sum of |u|^2 p^2 is the same on both sides, with the result's own pitch, but for
// what is evanescent or what `pad` cuts off. A negative distance undoes a positive one; with `transform`, at
// the pitch that its result has.
//
// Phases are formed in f64 and reduced modulo one revolution; fields are kept in f32. The relative L2 error
// against f64 is at most 2e-6 log2 N (class B), and 2e-6 for N = 1, N with the zeros.
//
// Errors: usage for lengths outside their range, for distance 0 with `transform`, and for distances whose
// phases are more than 2^26 revolutions (the message names the distances that are taken); input for other
// types and shapes; those of any call (operator.h).
// Source: J. W. Goodman, Introduction to Fourier Optics, chapters 3 to 5; D. Voelz, Computational Fourier
// Optics, on sampling.
Array fresnel(const Array &field, const FresnelOptions &options, const Call &call = {});

// The same into an array that exists, which may be a view or a crop but must not share memory with the field.
void fresnel(const Array &field, Array &output, const FresnelOptions &options, const Call &call = {});

// The operator takes more than the functions above. Its input may also be an amplitude of shape (n, n): u8
// (255 is 1), u16 (65535 is 1) or f32; with a second input of that shape, its phase: f32 in radians, or u8
// and u16, whose full scale is 2 pi. The setting output-type says what comes out: c64, the field; f32, its
// intensity |u|^2; u8 or u16, the intensity times a factor, rounded, cut at full scale. The factor brings the
// intensity `scale` to full scale: a number, or "auto" for the largest intensity of the output. Other
// settings: wavelength, distance, pitch, method ("auto", "transform", "convolution", "angular_spectrum"), pad
// ("yes", "no").
const Operator &fresnel_operator();

}  // namespace tilewright
#pragma GCC visibility pop
