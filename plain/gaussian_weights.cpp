#include "plain/gaussian_blur.h"
#include <cmath>

namespace tilewright::plain {

// Divides i by sigma before it squares: sigma^2 may be too small for f64.
std::vector<double> gaussian_weights(double sigma, double truncate) {
    const int radius = (int)std::floor(truncate * sigma + .5);
    std::vector<double> weights;
    double sum = 0;
    for (int i = -radius; i <= radius; i++) {
        const double t = i / sigma;
        weights.push_back(std::exp(-.5 * t * t));
        sum += weights.back();
    }
    for (double &weight : weights) {
        weight /= sum;
    }
    return weights;
}

}  // namespace tilewright::plain
