#pragma once
// What host and generator share of passes over lines of any smooth length (mixed.h). Plain C++ without
// Halide.h.
#include <array>
#include <cstddef>

namespace tilewright {

// The radices of the stages, in the order of the stages. Powers of two come first: then the distances of
// points in memory are odd in the last stages, where neighbouring threads read far apart.
constexpr std::array<int, 9> mixed_radices = {16, 8, 4, 2, 3, 5, 7, 11, 13};

// How many stages of each radix a library has at most.
using MixedStages = std::array<int, mixed_radices.size()>;
constexpr MixedStages any_stages = {99, 99, 99, 99, 99, 99, 99, 99, 99},
                      unrolled_stages = {0, 4, 1, 1, 4, 4, 2, 0, 0};

// A variant's configuration.
struct FftMixedShape {
    bool columns = false;   // which lines a library of the CPU transforms; those of GPUs take all kinds
    bool unrolled = false;  // the stages are no loops: there are `unrolled_stages`

    template<typename Visit>
    void fields(Visit visit) {
        visit("columns", columns);
        visit("unrolled", unrolled);
    }

    const MixedStages &stages() const {
        return unrolled ? unrolled_stages : any_stages;
    }
};

// The numbers of a call: int32_t on the host, Halide's expressions in the generator. b is the number of the
// line, the number of the batch, or 0; g the number of a point in the longer line that it is a part of, and h
// that of a result.
template<typename Number>
struct FftMixedNumbers {
    Number length = 0;                      // points per line
    Number lines = 0;                       // per batch
    Number together = 1, blocks = 1;        // on a GPU: lines per block of threads, and blocks per batch
    Number reads_columns = 0;               // on a GPU: `in` is (line, n, batch), otherwise (n, line, batch)
    Number writes_columns = 0;              // the same of `output`
    Number b_of_line = 0, b_of_batch = 0;   // b = line b_of_line + batch b_of_batch
    Number read_step = 1, read_offset = 0;  // g = n read_step + b read_offset
    Number present = 0;                     // points with g from here on are 0, and not read
    Number write_step = 1, write_offset = 0;     // h = k write_step + b write_offset
    Number result_width = 0, result_height = 0;  // on a GPU: extents of `output`
    Number written = 0;                          // results with h from here on are not written
    Number first_by_point = 0, twiddled = 0;     // the value is multiplied by first(g first_by_point + n b
                                                 // twiddled)
    Number last_by_result = 0;                   // the result is multiplied by last(h last_by_result)

    template<typename Visit>
    void fields(Visit visit) {
        visit("length", length);
        visit("lines", lines);
        visit("together", together);
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
        visit("first_by_point", first_by_point);
        visit("twiddled", twiddled);
        visit("last_by_result", last_by_result);
    }
};

}  // namespace tilewright
