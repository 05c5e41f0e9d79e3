#pragma once
#include "generators/algorithms/matmul/division.h"

// What the variants of matmul say of their forms and of the matrices that they serve: shared by the
// generators, the schedules and the front (generators/algorithms/configuration.h). The bounds on matrices
// count where no measured times decide on a variant: they are where the times of neighbouring variants meet,
// on an H200 for GPUs; 0 means no bound.
namespace tilewright {

// Of Matmul.
struct MatmulConfiguration {
    int most_rows = 0, most_columns = 0;                     // of the product
    int least_columns = 0, least_depth = 0, most_depth = 0;  // the depth: columns of A, and rows of B
    // The library takes only products with so many rows and columns, because its last tiles, which would pass
    // the edges, are moved inside.
    int whole_rows = 0, whole_columns = 0;
    bool zeros_beyond = false;  // A and B have zeros beyond their edges, and the depth is rounded up to a
                                // multiple of the tunable `depth`, so that tiles need no conditions

    template<typename Visit>
    void fields(Visit visit) {
        visit("most_rows", most_rows);
        visit("most_columns", most_columns);
        visit("least_columns", least_columns);
        visit("least_depth", least_depth);
        visit("most_depth", most_depth);
        visit("whole_rows", whole_rows);
        visit("whole_columns", whole_columns);
        visit("zeros_beyond", zeros_beyond);
    }
};

// Of MatmulRuns: a tile of the product, and a block of the depth.
struct MatmulRunsConfiguration {
    int rows = 16, columns = 16, depth = 16;

    template<typename Visit>
    void fields(Visit visit) {
        visit("rows", rows);
        visit("columns", columns);
        visit("depth", depth);
    }
};

// Of MatmulWorkers; the rest of a division is tunables.
struct MatmulWorkersConfiguration {
    Division::Copies copies = Division::Copies::none;
    int most_side = 0;   // rows, and columns, of the product
    int most_depth = 0;  // columns of A, and rows of B

    template<typename Visit>
    void fields(Visit visit) {
        visit("copies", copies);
        visit("most_side", most_side);
        visit("most_depth", most_depth);
    }
};

// Of MatmulFragments; the division is tunables.
struct MatmulFragmentsConfiguration {
    int most_side = 0;  // rows, and columns, of the product

    template<typename Visit>
    void fields(Visit visit) {
        visit("most_side", most_side);
    }
};

}  // namespace tilewright
