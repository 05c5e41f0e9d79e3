#pragma once

// What the variants of row_sum say of their forms and of the images that they serve: shared by the
// generators, the schedules and the front (generators/algorithms/configuration.h). The bounds on images count
// where no measured times decide on a variant: they are where the times of neighbouring variants meet, on an
// H200 for GPUs; 0 means no bound.
namespace tilewright {

// Of the definition, RowSum.
struct RowSumConfiguration {
    bool in_output = false;  // the sums are added in the memory and in the type of the output
    int most_width = 0;      // of the image; a bound of correctness where sums of floats are in the output

    template<typename Visit>
    void fields(Visit visit) {
        visit("in_output", in_output);
        visit("most_width", most_width);
    }
};

// Of RowSumSliced and RowSumOctets.
struct RowSumSlicedConfiguration {
    int least_width = 0, most_rows = 0;  // of the image

    template<typename Visit>
    void fields(Visit visit) {
        visit("least_width", least_width);
        visit("most_rows", most_rows);
    }
};

// A packed sum of 16 bits holds the bytes of so many chunks. Sums of u16 and f32 are not packed.
constexpr int row_sum_exact_chunks = 32;

// Of RowSumChunks.
struct RowSumChunksConfiguration {
    bool splits = false;  // rows of the image are split into pieces
    // of a lane. Where rows are not split, it bounds the width of the image
    int most_iterations = row_sum_exact_chunks;
    int least_rows = 0;  // of the image: fewer rows would leave most of a GPU idle

    template<typename Visit>
    void fields(Visit visit) {
        visit("splits", splits);
        visit("most_iterations", most_iterations);
        visit("least_rows", least_rows);
    }
};

}  // namespace tilewright
