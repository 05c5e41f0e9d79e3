#pragma once
// The weights of a Gaussian blur in f64: those of images of f64, and what all others are rounded from. Plain
// C++ without Halide.h.
#include "generators/algorithms/gaussian_blur/weights.h"
#include <cmath>
#include <vector>

namespace tilewright {

// The normalised taps 0 ... r.
inline std::vector<double> exact_taps(double sigma, int radius) {
    std::vector<double> taps((size_t)radius + 1);
    double sum = 0;
    for (int i = 0; i <= radius; i++) {
        const double distance = i / sigma;  // not i * i / (sigma * sigma): the square of a tiny sigma is 0
        taps[(size_t)i] = std::exp(-.5 * distance * distance);
        sum += (i == 0 ? 1 : 2) * taps[(size_t)i];
    }
    for (double &tap : taps) {
        tap /= sum;
    }
    return taps;
}

// The same, folded.
inline std::vector<double> exact_taps(const GaussianWeights &weights) {
    const int radius = GaussianWeights::radius_of(weights.sigma, weights.truncate);
    return weights.folding.folded(exact_taps(weights.sigma, radius));
}

}  // namespace tilewright
