#pragma once
// Which pass of a Fourier transform a row's library is (generators/algorithms/fft2d/pass.h). For fronts; not
// installed.
#include "tilewright/row.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace tilewright {

// What a pass does to its lines, whatever their length.
struct FftPassKind {
    enum class Lines { along, across, transposed };  // rows; columns; rows that are written as columns

    Lines lines = Lines::along;
    bool twiddled = false;      // multiplies by twiddle factors first, for second parts of longer lines
    bool first_factor = false;  // multiplies what it reads by a table
    bool last_factor = false;   // multiplies what it writes by a table
    bool convolves = false;     // transforms, multiplies the spectrum by a table and transforms back

    bool operator==(const FftPassKind &) const = default;
};

bool is_fft_pass(const Row &row);

struct FftPassShape {
    int64_t length = 1;  // of the lines
    FftPassKind kind;
    int64_t together = 1;  // how many lines a block of threads takes: the number of lines is a multiple of it
    std::vector<int64_t> radices;  // of the stages; their product is the length

    // What a row's tunables say; nothing where its library is no pass.
    static std::optional<FftPassShape> of(const Row &row);

    // Between its stages, a pass has the frequencies in the order of its digits: which one has number i.
    int64_t frequency(int64_t i) const;

    // How many butterflies the last stage has.
    int64_t butterflies() const {
        return length / radices.back();
    }
};

}  // namespace tilewright
