#pragma once

// What the variants of row_sum say of their forms: shared by the generators, the schedules and the front
// (generators/algorithms/configuration.h).
namespace tilewright {

// Of the definition, RowSum.
struct RowSumConfiguration {
    bool in_output = false;  // the sums are added in the memory and in the type of the output

    template<typename Visit>
    void fields(Visit visit) {
        visit("in_output", in_output);
    }
};

// Of RowSumChunks.
struct RowSumChunksConfiguration {
    bool splits = false;  // rows of the image are split into pieces

    template<typename Visit>
    void fields(Visit visit) {
        visit("splits", splits);
    }
};

}  // namespace tilewright
