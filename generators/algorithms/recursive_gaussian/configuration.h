#pragma once

// What the rows of recursive_gaussian say of their forms: shared by the generators, the schedules and the
// front (generators/algorithms/configuration.h).
namespace tilewright {

// Of RecursiveGaussianTiles and of the forms in runs.
struct RecursiveGaussianConfiguration {
    bool colours = false;  // any number of interleaved channels; otherwise one channel

    template<typename Visit>
    void fields(Visit visit) {
        visit("colours", colours);
    }
};

}  // namespace tilewright
