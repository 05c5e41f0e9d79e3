#pragma once
// The definition of recursive_gaussian as plain loops. Not installed.
#include "tilewright/recursive_gaussian.h"
#include <cstdint>
#include <vector>

namespace tilewright::plain {

// The published filter, in its direct form: w[n] = b0 x[n] + a1 w[n-1] + a2 w[n-2] + a3 w[n-3], then the same
// from the other end. Borders: before the first element, w is x[0]; at the other end, a matrix gives the
// state of the anticausal filter. Sources: van Vliet, Young and Verbeek (1998) for the filter, Triggs and
// Sdika (2006) for the matrix.
class PublishedFilter {
public:
    explicit PublishedFilter(double sigma);

    // Filters n elements that are `stride` apart, in place.
    void operator()(double *x, int64_t n, int64_t stride) const;

private:
    using Number = long double;  // at sigma 2000 the weights a add up to 1 - 2e-10

    Number b0, a1, a2, a3, end_matrix[9];  // the matrix times b0
};

// All elements of the blur in f64.
std::vector<double> exact_recursion(const Array &image, double sigma, double sigma_y = 0);

}  // namespace tilewright::plain
