#pragma once
// The tables that a pass of a Fourier transform reads (generators/algorithms/fft2d/pass.h), made in f64. For fronts; not installed.
#include "tilewright/array.h"
#include "tilewright/row.h"
#include <complex>
#include <functional>
#include <vector>

namespace tilewright {

// exp(-2 pi i j / n) for j < n. Kept for the life of the program, so that what a device holds of it need not be sent again.
Array fft_roots(int64_t n);

// The pass of a row, as schedules/fft_pass.h describes it: its radices, and the order in which frequencies lie between its stages.
class FftPassRow {
public:
    enum class Lines { along, across, turned };

    explicit FftPassRow(const Row &row);

    int64_t length = 1;
    Lines lines = Lines::along;
    bool twiddled = false, chirp_first = false, chirp_last = false, convolve = false;
    int64_t together = 1;
    std::vector<int64_t> radices;

    // The frequency that entry i of a response is for.
    int64_t order(int64_t i) const;

    // How many entries the table `middle` has, and the table: exp(-2 pi i order(u) / length).
    int64_t middle_size() const {
        return length / radices.back();
    }
    Array middle() const;

    // The response of one line: response(k) in the order of the pass.
    Array response(const std::function<std::complex<double>(int64_t k)> &response) const;
};

}  // namespace tilewright
