#pragma once
// The recursive blur as plain loops. Not installed.
#include "tilewright/recursive_gaussian.h"
#include <cstdint>
#include <vector>

namespace tilewright::plain {

// One line, in place, in the direct form: w[n] = b0 x[n] + a1 w[n-1] + a2 w[n-2] + a3 w[n-3], then the same from the other end. At the
// first end w was x[0] for ever; at the other one, the matrix of Triggs and Sdika (2006) gives what the anticausal filter holds.
class PublishedFilter {
public:
    explicit PublishedFilter(double sigma);
    void operator()(double *x, int64_t n, int64_t stride) const;

private:
    double b0, a1, a2, a3, ends[9];
};

// All elements of the blur in f64.
std::vector<double> exact_recursion(const Array &image, double sigma);

}  // namespace tilewright::plain
