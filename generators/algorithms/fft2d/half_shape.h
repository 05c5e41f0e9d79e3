#pragma once
// What host and generator share of the spectra of real values (half.h). Plain C++ without Halide.h.

namespace tilewright {

// A variant's configuration.
struct FftHalfShape {
    bool back = false;  // from the spectrum of real values to the transform of complex numbers

    template<typename Visit>
    void fields(Visit visit) {
        visit("back", back);
    }
};

}  // namespace tilewright
