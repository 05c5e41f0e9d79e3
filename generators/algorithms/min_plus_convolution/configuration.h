#pragma once
#include "generators/algorithms/min_plus_convolution/sizes.h"

// What the variants of min_plus_convolution say of their forms: shared by the generators, the schedules and
// the front (generators/algorithms/configuration.h).
namespace tilewright {

// Of MinPlusConvolution.
struct MinPlusConvolutionConfiguration {
    bool branch = false;  // a sum is stored only where it is less, in place of the minimum each time

    template<typename Visit>
    void fields(Visit visit) {
        visit("branch", branch);
    }
};

// Of MinPlusPlan and MinPlusPruned: the tile, which has to be the same in both halves of the pruned form, and
// how much of all pairs the second half may have to evaluate: of more, all pairs are evaluated in its place.
struct MinPlusPrunedConfiguration {
    int outputs_per_worker = 8, workers = 64, run = 8, most_percent = 100;

    template<typename Visit>
    void fields(Visit visit) {
        visit("outputs_per_worker", outputs_per_worker);
        visit("workers", workers);
        visit("run", run);
        visit("most_percent", most_percent);
    }

    MinPlusTile tile() const {
        return {outputs_per_worker, workers, run};
    }
};

// Of MinPlusGroups and MinPlusSieve: outputs of a tile, and elements of a block and of a group. A width is a
// multiple of the run, and a run is a power of two. `most_percent` is as above. Measured on one AMD Zen 4
// core at 100,000 f64: the first half takes 3 % of the time of all pairs, and the sieve takes 3 to 7 times as
// long per pair.
struct MinPlusSieveConfiguration {
    int width = 512, run = 16, group = 128, most_percent = 10;

    template<typename Visit>
    void fields(Visit visit) {
        visit("width", width);
        visit("run", run);
        visit("group", group);
        visit("most_percent", most_percent);
    }
};

}  // namespace tilewright
