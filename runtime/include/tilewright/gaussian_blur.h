#pragma once
#include "tilewright/alpha.h"
#include "tilewright/array.h"
#include "tilewright/operator.h"
#pragma GCC visibility push(default)

namespace tilewright {

// How an image is continued beyond its border. Names and meaning are those of scipy.ndimage, for any radius,
// however small the image.
enum class Border {
    reflect,  // d c b a | a b c d | d c b a
    mirror,   //   d c b | a b c d | c b a
    nearest,  // a a a a | a b c d | d d d d
    zero,     // 0 0 0 0 | a b c d | 0 0 0 0   (scipy: constant)
    wrap,     // a b c d | a b c d | a b c d
    constant  // v v v v | a b c d | v v v v
};

// Blurs an image by a Gaussian of standard deviation `sigma` pixels, first down columns, then along rows:
//
//     w_i = exp(-i^2 / 2 sigma^2) / sum,  |i| <= r = floor(4 sigma + .5)
//
// `image` is u8, u16, f32, f64, f16 or bf16 of shape (h, w) or (h, w, c) with 1 to 4 interleaved channels,
// which are blurred alike: call premultiply() on an image with alpha before. The result has the same type and
// shape.
//
// u8 and u16 are integer arithmetic, so that every device and schedule gives the same bytes (class E), and
// each pass leaves integers of the pixels' own size:
//     u8   pass(p) = (sum w_i p_i * M + 2^23) >> 24     integer w_i of sum S, M = round(2^24 / S) odd
//     u16  pass(p) = (sum w_i p_i + 2^23) >> 24         integer w_i of sum 2^24
// For sigma from .5 to 30, u8 takes roughly the smallest S whose error bound (below) is less than 1; outside,
// the largest S whose weights have two bytes (sigma < .5: S = 32832). The bound on |blur - exact blur| before
// the last rounding, for any image, is
//     .5 (1 + P) + 2 top max(P, N)     P, N: sums of the positive and of the negative errors of the weights;
//                                      top: 255 or 65535
// so where it is less than 1, the result is within 1 of the exact one rounded: u8 for sigma up to 8192
// (largest bound .995), u16 for sigma up to 50 (.953; beyond, it grows to 1.4 at sigma 100 and 8.5 at 1000,
// of 65535). f32 is within 2 (2 r + 3) 2^-24 max |image| of the exact blur (class B), f64 with 2^-53 in place
// of 2^-24, and f16 and bf16, which are added in f32, are that result rounded once; except for the schedule
// `half`, which keeps 11 bits between the passes: 2^-11 max |image| + 2^-25 more, for |image| < 65504. In
// these bounds the value of the border `constant` counts as a pixel. NaN and infinities reach every output
// whose taps meet them; on variants of a fixed radius (tuned on GPUs), these include taps of weight 0 up to
// that radius. f32 pixels above 2^127, half of the largest f32, may give infinity: the two pixels of a tap
// and of its mirror image may be added before they are multiplied.
//
// Errors: usage for sigma that is not above 0 and below 8192; input for other types and shapes, for rows of
// more than 511 Mi elements, borders included, and for rows so long that twice the radius of them span 2047
// MiB; on GPUs also for images so thin that they have 2^31 elements or more when they are
// rounded up to whole tiles; those of any call (operator.h). Source: the definition of
// scipy.ndimage.gaussian_filter with truncate = 4.
Array gaussian_blur(const Array &image, double sigma, Border border = Border::reflect, const Call &call = {});

// The same into an array that exists, which may be a view or a crop but must not share memory with the image.
void gaussian_blur(
    const Array &image, Array &output, double sigma, Border border = Border::reflect, const Call &call = {});

// A blur with another sigma down columns than along rows, another radius, or one of the borders `wrap` and
// `constant`.
struct GaussianBlurOptions {
    double sigma_y = 1, sigma_x = 1;  // pixels, down columns and along rows: above 0 and below 8192
    Border border = Border::reflect;  // what is beyond the edge of the image
    double truncate = 4;  // 0 to 1000: each pass has the radius floor(truncate sigma + .5), at most 32768
    double value = 0;     // of the pixels beyond the border `constant`: for u8 and u16 a whole number of
                          // their range, for floats a finite number; with other borders 0
};

// The same with these options. The integer weights of each pass are those of its sigma and radius, and the
// bound above has the errors of both. Where both sigmas differ, NaN and infinities also reach as far along
// one axis as along the other. With `wrap` and `constant` the image is continued by the radius on each side,
// and the result cut out, on the host: an image on a device comes to the host for that, and the continued
// image spans at most 2047 MiB, with `constant` that of a part of the rows.
//
//     gaussian_blur(image, {.sigma_y = 3, .sigma_x = 1, .border = Border::wrap})
//
// Errors: usage, for numbers outside these ranges; and those of the functions above. Source: the definition
// of scipy.ndimage.gaussian_filter with its arguments sigma, mode, cval and truncate.
Array gaussian_blur(const Array &image, const GaussianBlurOptions &how, const Call &call = {});
void gaussian_blur(const Array &image, Array &output, const GaussianBlurOptions &how, const Call &call = {});

// The operator, for what is asked of every operator alike (operator.h).
const Operator &gaussian_blur_operator();

}  // namespace tilewright
#pragma GCC visibility pop
