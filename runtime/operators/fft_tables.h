#pragma once
// The tables that a pass of a Fourier transform reads (generators/algorithms/fft2d/pass.h), computed in f64.
// For fronts; not installed.
#include "generators/algorithms/fft2d/mixed_shape.h"
#include "generators/algorithms/fft2d/pass_shape.h"
#include "tilewright/array.h"
#include <array>
#include <bit>
#include <complex>
#include <functional>

namespace tilewright {

// The longest side of the fields that fronts transform.
constexpr int64_t longest_fft = 16384;

// Passes of one length transform lines of so many numbers: powers of two from the one to the other.
constexpr int64_t shortest_pass = 16, longest_pass = 8192;
constexpr bool has_pass(int64_t n) {
    return n >= shortest_pass && n <= longest_pass && std::has_single_bit((uint64_t)n);
}

// Whether passes of FftMixed with at most so many stages of each radix transform lines of n numbers.
bool is_smooth(int64_t n, const MixedStages &most = FftMixedShape().stages());

// A vector of that type, c64 or c128, of n numbers, value(0) and so on.
Array complex_vector(
    int64_t n, const std::function<std::complex<double>(int64_t i)> &value, Type type = Type::c64);

// exp(-2 pi i j / n) for j < n. Kept, as the next one is, so that what a device has of it need not be sent
// again.
Array fft_roots(int64_t n, Type type = Type::c64);

// The twiddle factors of the last stage of a pass that convolves: exp(-2 pi i order(u) / length) for each
// of its butterflies.
Array fft_middle(const FftPassShape &pass);

// What a pass of FftMixed reads besides fields and factors (generators/algorithms/fft2d/mixed.h), for a
// smooth length.
struct MixedTables {
    std::array<int32_t, mixed_radices.size()> counts;
    Array positions;
    std::array<uint64_t, most_mixed_stages> strides;
    int64_t rows = 1, left_out = 0, loop_radix = 1;  // FftMixedNumbers

    // Of a line.
    int64_t cells() const {
        return positions.size() + rows * left_out;
    }
    // The radix of the last stage, which is no longer counted then; 1 where all stages have large radices.
    int32_t take_last_radix();
};
// `odd_rows`: on a GPU, whose rows of cells are an odd number of cells apart.
MixedTables mixed_tables(int64_t length, const MixedStages &most, bool odd_rows);

// The convolution with a chirp that transforms lines of n numbers: exp(sign pi i j^2 / n) for j < n; the
// length of the transforms, a smooth one from 2 n - 1 on that takes few stages; and the transform of the
// conjugate chirp over that length, divided by it.
Array fft_chirp(int64_t n, int sign, Type type, int64_t padded_to = 0);
int64_t chirp_length(int64_t n, const MixedStages &most);
Array chirp_response(int64_t n, int64_t length, Type type);

// The same in the order of the cells of a pass that convolves, whose rows are an odd number of cells apart.
Array chirp_response(int64_t n, int64_t length, const MixedStages &most);

// The same in the order of a pass of one length that convolves.
Array chirp_response(int64_t n, const FftPassShape &pass);

// The prime factors of n as the definition takes them: i32, the products of the first 0, 1, ... of them.
Array fft_products(int64_t n);
int64_t largest_factor(int64_t n);

// The twiddle factors between the two levels of FftLines (generators/algorithms/fft2d/lines.h), f32: the
// real parts for k1 = 0 and all n2, for k1 = 1, and so on, then the imaginary parts.
Array fft_between_levels(const FftPassShape &pass);

}  // namespace tilewright
