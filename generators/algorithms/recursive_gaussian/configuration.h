#pragma once

// What the variants of recursive_gaussian say of their forms: shared by the generators, the schedules and the
// front (generators/algorithms/configuration.h).
namespace tilewright {

// Of the definition, of RecursiveGaussianTiles and of the forms in runs.
struct RecursiveGaussianConfiguration {
    bool colours = false;     // any number of interleaved channels; otherwise one channel
    bool two_sigmas = false;  // of tiles: they serve another sigma down columns than along rows too
    bool near = false;  // of tiles: what enters a tile comes from its neighbours alone, for sigmas up to
                        // recursive_near_sigma

    template<typename Visit>
    void fields(Visit visit) {
        visit("colours", colours);
        visit("two_sigmas", two_sigmas);
        visit("near", near);
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
