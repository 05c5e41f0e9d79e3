#pragma once
#include "generators/algorithms/matmul/division.h"

// What the variants of matmul say of their forms: shared by the generators, the schedules and the front
// (generators/algorithms/configuration.h).
namespace tilewright {

// Of Matmul.
struct MatmulConfiguration {
    bool zeros_beyond = false;  // A and B have zeros beyond their edges, and the depth is rounded up to a
                                // multiple of the tunable `depth`, so that tiles need no conditions

    template<typename Visit>
    void fields(Visit visit) {
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

    template<typename Visit>
    void fields(Visit visit) {
        visit("copies", copies);
    }
};

// Of MatmulFragments; the rest of a division is tunables.
struct MatmulFragmentsConfiguration {
    FragmentDivision::Copies copies = FragmentDivision::Copies::panels;

    template<typename Visit>
    void fields(Visit visit) {
        visit("copies", copies);
    }
};

}  // namespace tilewright
