#pragma once
// The shape of one pass of a Fourier transform: which lines it transforms, and how. Host and generators share
// it. Plain C++ without Halide.h.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilewright {

// A pass transforms many lines of the same length, each by itself. generators/algorithms/fft2d/pass.h says
// what it reads and writes.
struct FftPassShape {
    enum class Lines {
        along,       // a line is a row, and its result is a row
        across,      // a line is a column, and its result is a column
        transposed,  // a line is a row, and its result is a column
    };
    // The index by which tables that differ from line to line are read: none, the line's number, or the
    // batch's number.
    enum class Numbered { none, by_line, by_batch };

    std::vector<int> radices;  // n = n0 (L / R0) + n1 (L / R0 R1) + ...: one digit per stage
    Lines lines = Lines::along;
    Numbered numbered = Numbered::none;
    bool twiddled = false, chirp_first = false, chirp_last = false, convolve = false;
    int side_by_side = 1;  // how many butterflies of the last stage are computed side by side

    int length() const {
        int product = 1;
        for (int r : radices) {
            product *= r;
        }
        return product;
    }

    // The number of entries of the table `middle`.
    int middle_size() const {
        return length() / radices.back();
    }

    // The frequency that entry i of a response is for. i is the last digit, and then the digits before it,
    // the first one first.
    int64_t order(int64_t i) const {
        const size_t last = radices.size() - 1;
        std::vector<int64_t> digit(radices.size());
        digit[last] = i / middle_size();
        int64_t rest = i % middle_size(), k = 0, weight = 1;
        for (size_t s = last; s-- > 0;) {
            digit[s] = rest % radices[s];
            rest /= radices[s];
        }
        for (size_t s = 0; s <= last; s++) {
            k += digit[s] * weight;
            weight *= radices[s];
        }
        return k;
    }
};

// The shape that the tunables of a row describe; tunable(name) gives the value of one of them.
template<typename Tunable>
FftPassShape fft_pass_shape(const Tunable &tunable) {
    FftPassShape shape;
    for (const char *name : {"radix1", "radix2", "radix3", "radix4"}) {
        if (tunable(name) > 1) {
            shape.radices.push_back(tunable(name));
        }
    }
    shape.lines = FftPassShape::Lines(tunable("lines"));
    shape.numbered = FftPassShape::Numbered(tunable("numbered"));
    shape.twiddled = tunable("twiddled") != 0;
    shape.chirp_first = tunable("chirp_first") != 0;
    shape.chirp_last = tunable("chirp_last") != 0;
    shape.convolve = tunable("convolve") != 0;
    shape.side_by_side = tunable("threads");
    return shape;
}

}  // namespace tilewright
