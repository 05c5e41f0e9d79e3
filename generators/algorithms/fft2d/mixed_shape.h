#pragma once
// What host and generator share of passes over lines of any smooth length (mixed.h). Plain C++ without
// Halide.h.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace tilewright {

// The radices of the stages, in the order of the stages. Prime numbers from 17 on come first, because the
// last stage of a GPU, which holds its results beside what it reads, has not enough registers for them. Then
// come powers of two: the distances of points in memory are odd in the last stages, where neighbouring
// threads read far apart. A line has one stage of these prime numbers at most. With two of them, or with a
// larger prime factor, it is a convolution, but for one factor of at most `largest_loop_radix` on a CPU.
// 29 and 31 take more than 64 registers of a thread: 3968 x 3968 took 1.2 times as long as a convolution, and
// with 128 registers other lengths took longer (H200, 2026-11-29).
constexpr std::array<int, 17> mixed_radices = {23, 19, 17, 16, 8, 4, 2, 12, 10, 6, 15, 9, 3, 5, 7, 11, 13};
constexpr bool is_large_radix(int radix) {
    return radix > 16;
}

// How many stages of each radix a library has at most, and all stages of a line together. The last number is
// the largest prime number that may be the radix of one more stage: the first one, a loop over the terms of
// sums. Such stages are on CPUs alone, where code for the radices 17 to 31 took 3 MB.
constexpr size_t by_loop = mixed_radices.size();
constexpr int most_mixed_stages = 10, largest_loop_radix = 61;
using MixedStages = std::array<int, by_loop + 1>;

// A variant's configuration.
struct FftMixedShape {
    // The radices that a library has code for. On a GPU each one that a length does not use takes a barrier
    // and an instruction that is not in the cache; on a CPU `every` takes .5 MB in place of .25 MB.
    enum class Radices {
        prime,     // powers of two, primes, and one more prime as a loop
        common,    // seven, of which most lengths are products whose prime factors are 2, 3 and 5
        every,     // all that are not large
        large,     // all
        unrolled,  // few stages, which are no loops
        unrolled_large,
    };

    Radices radices = Radices::prime;
    bool columns = false;    // which lines a library of the CPU transforms; those of GPUs take all kinds
    bool convolves = false;  // lines are transformed, multiplied and transformed back
    // As FftPassShape::serves_all.
    bool serves_all = false;

    template<typename Visit>
    void fields(Visit visit) {
        visit("radices", radices);
        visit("columns", columns);
        visit("convolves", convolves);
        visit("serves_all", serves_all);
    }

    bool unrolled() const {
        return radices == Radices::unrolled || radices == Radices::unrolled_large;
    }
    MixedStages stages() const {
        MixedStages most{};
        const auto allow = [&](std::initializer_list<int> some, int count) {
            for (size_t r = 0; r < by_loop; r++) {
                most[r] += std::count(some.begin(), some.end(), mixed_radices[r]) > 0 ? count : 0;
            }
        };
        constexpr int any = most_mixed_stages;
        switch (radices) {
        case Radices::prime:
            allow({16, 8, 4, 2, 3, 5, 7, 11, 13}, any);
            most[by_loop] = largest_loop_radix;
            break;
        case Radices::common: allow({16, 8, 4, 12, 10, 9, 5}, any); break;
        case Radices::large: allow({23, 19, 17}, 1); [[fallthrough]];
        case Radices::every: allow({16, 8, 4, 2, 12, 10, 6, 15, 9, 3, 5, 7, 11, 13}, any); break;
        case Radices::unrolled_large: allow({23, 19, 17}, 1); [[fallthrough]];
        case Radices::unrolled:
            allow({8, 3, 5}, 4);
            allow({7}, 2);
            allow({4, 2}, 1);
        }
        return most;
    }
    bool has_large_radices() const {
        return radices == Radices::large || radices == Radices::unrolled_large;
    }
    // On a GPU: the radices of last stages; 1 is that of a line whose stages have large radices alone, and of
    // a line of one point.
    std::vector<int> last_radices() const {
        std::vector<int> radices = {1};
        for (size_t r = 0; r < by_loop; r++) {
            if (stages()[r] > 0 && !is_large_radix(mixed_radices[r])) {
                radices.push_back(mixed_radices[r]);
            }
        }
        return radices;
    }
};

// floor(a / b) is floor((a + 1) r / 2^32) with r = floor((2^32 - 1) / b), for a < 2^16, which takes two
// instructions of a GPU; a division of integers takes about twenty.
constexpr int32_t fft_mixed_reciprocal(int64_t b) {
    return (int32_t)(uint32_t)(0xffffffff / b);
}

// The numbers of a call: int32_t on the host, Halide's expressions in the generator. b is the number of the
// line, the number of the batch, or 0; g the number of a point in the longer line that it is a part of, and h
// that of a result.
template<typename Number>
struct FftMixedNumbers {
    Number length = 0;                            // points per line
    Number loop_radix = 1, of_loop_radix = 0;     // on a CPU: of the stage that is a loop; 1: there is none
    Number last_radix = 1, last_butterflies = 0;  // on a GPU: of the last stage, and its butterflies per line
    Number rows = 1, row = 1;                     // on a GPU: rows of cells per line, and points per row
    Number of_rows = 0, of_row = 0;               // on a GPU: fft_mixed_reciprocal() of these
    Number left_out = 0;                          // on a GPU: cells that are left out after each row
    Number line_cells = 0;                        // on a GPU: cells from a line to the next one
    Number lines = 0;                             // per batch
    Number together = 1, shift = 0;               // on a GPU: lines per block of threads, 1 << shift
    Number blocks = 1;                            // on a GPU: blocks of threads per batch
    Number reads_columns = 0;               // on a GPU: points of neighbouring lines are side by side in `in`
    Number writes_columns = 0;              // the same of `output`
    Number b_of_line = 0, b_of_batch = 0;   // b = line b_of_line + batch b_of_batch
    Number read_step = 1, read_offset = 0;  // g = n read_step + b read_offset
    // Points with g from here on are 0, and not read. On a GPU a call with such points must have factors
    // `first`, because these points become 0 only where they are multiplied.
    Number present = 0;
    Number write_step = 1, write_offset = 0;     // h = k write_step + b write_offset
    Number result_width = 0, result_height = 0;  // on a GPU: extents of `output`
    Number written = 0;                          // results with h from here on are not written
    Number of_read_step = 0, of_write_step = 0;  // on a GPU: fft_mixed_reciprocal() of these
    Number first_by_point = 0, twiddled = 0;     // the value is multiplied by first(g first_by_point + n b
                                                 // twiddled)
    Number last_by_result = 0;                   // the result is multiplied by last(h last_by_result)

    template<typename Visit>
    void fields(Visit visit) {
        visit("length", length);
        visit("loop_radix", loop_radix);
        visit("of_loop_radix", of_loop_radix);
        visit("last_radix", last_radix);
        visit("last_butterflies", last_butterflies);
        visit("rows", rows);
        visit("row", row);
        visit("of_rows", of_rows);
        visit("of_row", of_row);
        visit("left_out", left_out);
        visit("line_cells", line_cells);
        visit("lines", lines);
        visit("together", together);
        visit("shift", shift);
        visit("blocks", blocks);
        visit("reads_columns", reads_columns);
        visit("writes_columns", writes_columns);
        visit("b_of_line", b_of_line);
        visit("b_of_batch", b_of_batch);
        visit("read_step", read_step);
        visit("read_offset", read_offset);
        visit("present", present);
        visit("write_step", write_step);
        visit("write_offset", write_offset);
        visit("result_width", result_width);
        visit("result_height", result_height);
        visit("written", written);
        visit("of_read_step", of_read_step);
        visit("of_write_step", of_write_step);
        visit("first_by_point", first_by_point);
        visit("twiddled", twiddled);
        visit("last_by_result", last_by_result);
    }
};

}  // namespace tilewright
