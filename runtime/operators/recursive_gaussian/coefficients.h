#pragma once
// The numbers of the recursion, all formed in f64. See tilewright/recursive_gaussian.h. Not installed.
#include <array>
#include <vector>

namespace tilewright {

using Vector3 = std::array<double, 3>;
using Matrix3 = std::array<Vector3, 3>;  // rows

// w[n] = gain x[n] + feedback[0] w[n - 1] + feedback[1] w[n - 2] + feedback[2] w[n - 3], and the same in
// differences: the state is z = (w, w - w1, w - 2 w1 + w2), and a step is
//     e' = gain (x - w) + slope d + feedback[2] e,   d' = d + e',   w' = w + d'
struct RecursiveCoefficients {
    double gain, slope;
    Vector3 feedback;

    explicit RecursiveCoefficients(double sigma);

    void step(double sample, Vector3 &state) const;

    // How many samples on each side of a sample it depends on, but for `error` (above 0): the least n so that
    // all weights beyond n on either side, along rows and along columns, add up to at most half of it. Half,
    // because two samples may differ by twice the largest magnitude.
    int halo(double error) const;
};

// What lines cut into tiles of `tile` samples need besides. All are exact consequences of the step.
struct RecursiveTiles {
    RecursiveCoefficients coefficients;
    int tile;
    Matrix3 across;      // state behind a tile of zeros, from the state before it
    Matrix3 end_matrix;  // anticausal state behind the end, from the causal state there, when only zeros
                         // follow
    Matrix3 behind;      // the same from the mirrored carry there: what the samples that follow add
    std::vector<Vector3> weights;  // of sample r: the state behind a tile that has a single 1, at r

    // Simulates a thousand steps and more: worth keeping.
    RecursiveTiles(double sigma, int tile);
};

}  // namespace tilewright
