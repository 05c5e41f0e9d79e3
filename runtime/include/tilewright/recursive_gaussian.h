#pragma once
#include "tilewright/alpha.h"
#include "tilewright/array.h"
#include "tilewright/operator.h"
#pragma GCC visibility push(default)

namespace tilewright {

// Blurs an image by a recursive filter whose response is close to a Gaussian of standard deviation `sigma`
// pixels, 0.5 to 2000, first along rows, then along columns. On a CPU it costs the same at every sigma; on
// GPUs one kernel less up to sigma 5. Each line x becomes y by two filters:
//
//     w[n] = b0 x[n] + a1 w[n-1] + a2 w[n-2] + a3 w[n-3]        causal, from the first sample to the last
//     y[n] = b0 w[n] + a1 y[n+1] + a2 y[n+2] + a3 y[n+3]        anticausal, from the last sample to the first
//
// with poles d^(1/q) of d = 1.41650 +- 1.00829 i and 1.86543, where q is such that the variance of the
// response is sigma^2, and b0 = 1 - a1 - a2 - a3. Beyond its edges the image is continued by its nearest
// pixel without end; both ends take this into account exactly. The libraries compute the same with the state
// (w, w - w1, w - 2 w1 + w2): in f32, the form above would be wrong by 4e-3 at sigma 50.
//
// `image` is u8, u16, f32, f64, f16 or bf16 of shape (h, w) or (h, w, c) with 1 to 4 interleaved channels,
// which are blurred alike: call premultiply() on an image with alpha before. The result has the same type and
// shape. Images of some 2^29 elements and more are filtered in parts of their rows, each with so many rows
// more on both sides that this changes nothing above 2^-24 max |image|, of f64 2^-52; rows so long that there
// is no room for these are refused.
//
// f32 is within 2e-6 max |image| of the same recursion in f64, from sigma 200 on within 5e-6 (class B); u8
// and u16 are that result rounded and cut to their range, which it leaves beside steep edges, and so within
// .5 and that error of the recursion in f64: the same integer, unless the exact value is that close to a tie.
// f16 and bf16 are filtered in f32 and rounded once. f64 is filtered in f64, and is within (1e-14 + 3e-18
// sigma^3) max |image|. A constant image stays the same (integers exactly, f32 within 1e-6 of its value). On
// CPUs (8 + sigma^3 / 2) 2^-149 is added to the bound of f32, and with 2^-1074 to that of f64: it is the
// larger part for images whose values are all below 2^-99. NaN and infinities reach the whole of their rows
// and columns, and all after that; by the variants of GPUs for sigmas up to 5 (blocks_near, tuned_near),
// their tile of 64 x 64 pixels and the tiles beside it.
//
// Largest error against the recursion in f64, measured on noise in 0 ... 1, 1000 x 1000 (CPU; OpenCL on a
// CPU):
//
//     sigma               0.5      1        2        5        10       30       100      200
//     reference           2.2e-7   1.2e-7   0.9e-7   0.8e-7   0.8e-7   0.8e-7   0.8e-7   1.0e-7
//     tuned, CPU          2.3e-7   1.5e-7   1.5e-7   2.0e-7   2.6e-7   4.6e-7   7.7e-7   7.2e-7
//     tuned, tiles        3.6e-7   2.1e-7   1.7e-7   2.5e-7   3.3e-7   5.0e-7   7.6e-7   1.3e-6
//
// Of lines with a step the error is larger, and most where they are long: on a step in 8000 and 20000 samples
// it is 2.1e-6 at sigma 200 and 3.1e-6 at sigma 2000 (tuned, CPU).
//
// Distance from the sampled Gaussian along one line: the largest difference, as a part of the Gaussian's
// peak, and the sum of all differences, which bounds the error of a line of values in 0 ... 1 (twice the sum
// bounds the error of an image):
//
//     sigma               0.5      1        2        5        10       30       100
//     largest / peak      .0890    .0356    .0208    .0111    .0101    .0098    .0098
//     sum                 .1990    .0697    .0283    .0210    .0202    .0200    .0200
//
// Below sigma 2, gaussian_blur is the better filter.
//
// Errors: usage for sigma outside 0.5 ... 2000; input for other types and shapes; those of any call
// (operator.h). Source: van Vliet, Young and Verbeek, Recursive Gaussian derivative filters (1998), after
// Young and van Vliet (1995), whose printed constants give a width 6 to 24 % off; the ends by Triggs and
// Sdika (2006); tiles with carries after Nehab, Maximo, Lima and Hoppe (2011) and Chaurasia et al. (2015).
Array recursive_gaussian(const Array &image, double sigma, const Call &call = {});

// The same into an array that exists, which may be a view or a crop but must not share memory with the image.
void recursive_gaussian(const Array &image, Array &output, double sigma, const Call &call = {});

// A blur with another sigma down columns than along rows.
struct RecursiveGaussianOptions {
    double sigma_y = 5, sigma_x = 5;  // pixels, down columns and along rows: 0.5 to 2000
};

// The same with these options; the bounds above are those of the larger sigma.
//
//     recursive_gaussian(image, {.sigma_y = 3, .sigma_x = 20})
Array recursive_gaussian(const Array &image, const RecursiveGaussianOptions &how, const Call &call = {});
void recursive_gaussian(
    const Array &image, Array &output, const RecursiveGaussianOptions &how, const Call &call = {});

// The operator, for what is asked of every operator alike (operator.h).
const Operator &recursive_gaussian_operator();

}  // namespace tilewright
#pragma GCC visibility pop
