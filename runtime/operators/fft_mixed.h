#pragma once
// The transform of lines of any length by the form FftMixed (generators/algorithms/fft2d/mixed.h). For
// fronts; not installed.
#include "generators/algorithms/fft2d/mixed_shape.h"
#include "runtime/operators/fft_passes.h"
#include <compare>
#include <functional>
#include <vector>

namespace tilewright {

// All lines of a field along one axis. A length whose prime factors are at most 13 takes one pass, or two
// passes over parts of the lines where these do not fit a block of threads. Any other length n takes two
// transforms of a longer length M, by one library where a block of threads has room for M points: with w(j) =
// exp(-pi i j^2 / n),
//     X(k) = w(k) sum over j of (x(j) w(j)) conj(w(k - j)),
// which is a convolution (L. Bluestein, "A Linear Filtering Approach to the Computation of Discrete Fourier
// Transform", 1970). The transform of conj(w) is a table.
class MixedTransform {
public:
    // `variants`: those of the form, of the device's backend. There are `lines` lines of n points.
    MixedTransform(std::vector<const Variant *> variants, Device device, FieldAxis axis, int64_t n,
        int64_t lines, const Endpoints &ends, const LineFactors &factors);

    // On a GPU: lines of one length that blocks of threads take; `count` of each batch.
    struct LinesOfBlocks {
        int64_t length, count, batches;
        bool columns;

        auto operator<=>(const LinesOfBlocks &) const = default;
    };

    // One of the variants that it runs.
    const Variant &variant() const;

    // Adds its libraries to a plan; `to` may be `from`.
    void add_to(Plan &plan, Device device, const Array &from, Array &to) const;

private:
    // Neighbouring lines of a field.
    struct Window {
        int64_t first, count;
    };
    // A transform of lines: `present` points are read, and the rest is 0; `written` results are written.
    struct Lines {
        int64_t length, present, written;
        Array first, last;  // factors of the points and of the results; empty: none
        Endpoints ends;
    };
    struct Pass;
    // On a GPU: the variant for lines, and how many of them a block of its threads takes together: 1 <<
    // shift.
    struct Division {
        const Variant *variant = nullptr;
        int32_t shift = 0;
    };

    MixedStages stages() const;
    bool is_on_gpu() const;
    Division division(const LinesOfBlocks &lines) const;
    const Variant *whole(int64_t length) const;
    int64_t convolved() const;
    Array scratch(int64_t length, int64_t count, Type type) const;
    View view(const Array &field, const Window &window, int64_t points) const;
    View part(const Array &field, const Window &window, int64_t points, int64_t parts) const;
    void add_lines(Plan &plan, Device device, const Lines &lines, const Array &from, const Window &reads,
        Array &to, const Window &writes) const;
    void add_parts(Plan &plan, Device device, const Lines &lines, const Array &from, const Window &reads,
        Array &to, const Window &writes) const;

    std::vector<const Variant *> variants_;
    const Variant *convolving_ = nullptr;
    int units_;  // of the device
    FieldAxis axis_;
    int64_t n_, lines_;
    Endpoints ends_;
    LineFactors factors_;
};

}  // namespace tilewright
