#pragma once

// What the variants of recursive_gaussian say of their forms: shared by the generators, the schedules and the
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

// Of RecursiveGaussianCopies.
struct RecursiveGaussianCopiesConfiguration {
    bool half = false;      // the copy between the filters has half-precision floats
    bool textures = false;  // both copies are images of the device

    template<typename Visit>
    void fields(Visit visit) {
        visit("half", half);
        visit("textures", textures);
    }
};

}  // namespace tilewright
