#pragma once
// The weights of a Gaussian blur in f64, for images of f64. Plain C++ without Halide.h.
#include "generators/algorithms/gaussian_blur/weights.h"
#include <cmath>
#include <vector>

namespace tilewright {

// Those of the taps 0 ... r, folded.
inline std::vector<double> exact_taps(const GaussianWeights &weights) {
    std::vector<double> taps;
    double sum = 0;
    for (int i = 0; i <= GaussianWeights::radius_of(weights.sigma, weights.truncate); i++) {
        taps.push_back(std::exp(-.5 * i * i / (weights.sigma * weights.sigma)));
        sum += (i == 0 ? 1 : 2) * taps.back();
    }
    for (double &tap : taps) {
        tap /= sum;
    }
    return weights.folding.folded(taps);
}

}  // namespace tilewright
