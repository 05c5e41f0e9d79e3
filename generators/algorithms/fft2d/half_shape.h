#pragma once
// What host and generator share of the spectra of real values (half.h). Plain C++ without Halide.h.

namespace tilewright {

// A variant's configuration.
struct FftHalfShape {
    // `half` and `half_back` are for even widths, whose rows are read as half as many complex numbers. The
    // others are for pairs of rows, in the order of their use: two forward, two back.
    enum class Step { half, half_back, pair_rows, split_spectra, pair_spectra, split_rows };
    Step step = Step::half;

    template<typename Visit>
    void fields(Visit visit) {
        visit("step", step);
    }
};

}  // namespace tilewright
