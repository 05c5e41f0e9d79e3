#pragma once
#include "generators/algorithms/min_plus_convolution/sizes.h"

// What the rows of min_plus_convolution say of their forms and of the vectors that they serve: shared by the
// generators, the schedules and the front (generators/algorithms/configuration.h). The bounds on vectors
// count where no measured times decide on a row: they are where the times of neighbouring rows meet on an
// H200; 0 means no bound.
namespace tilewright {

// Of MinPlusConvolution.
struct MinPlusConvolutionConfiguration {
    int most_walked = 0;  // elements of the shorter vector, over which a thread walks: where it has more,
                          // rows of the families `registers` and `pruned` are taken in place of this one
    bool branch = false;  // a sum is stored only where it is less, in place of the minimum each time

    template<typename Visit>
    void fields(Visit visit) {
        visit("most_walked", most_walked);
        visit("branch", branch);
    }
};

// Of MinPlusSlices.
struct MinPlusSlicesConfiguration {
    int pairs_below = 0;  // the row is meant for calls of fewer pairs

    template<typename Visit>
    void fields(Visit visit) {
        visit("pairs_below", pairs_below);
    }
};

// Of MinPlusPlan and MinPlusPruned: the tile, which has to be the same in both halves of the pruned form.
struct MinPlusPrunedConfiguration {
    int outputs_per_worker = 8, workers = 64, run = 8;

    template<typename Visit>
    void fields(Visit visit) {
        visit("outputs_per_worker", outputs_per_worker);
        visit("workers", workers);
        visit("run", run);
    }

    MinPlusTile tile() const {
        return {outputs_per_worker, workers, run};
    }
};

// Of MinPlusGroups and MinPlusSieve: outputs of a tile, and elements of a block and of a group. A width is a
// multiple of the run, and a run is a power of two.
struct MinPlusSieveConfiguration {
    int width = 512, run = 16, group = 128;

    template<typename Visit>
    void fields(Visit visit) {
        visit("width", width);
        visit("run", run);
        visit("group", group);
    }
};

// Of MinPlusShort.
struct MinPlusShortConfiguration {
    int most_elements = 0;  // of the shorter vector

    template<typename Visit>
    void fields(Visit visit) {
        visit("most_elements", most_elements);
    }
};

}  // namespace tilewright
