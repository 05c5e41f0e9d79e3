#pragma once

// What the rows of recursive_gaussian say of their forms: shared by the generators, the schedules and the
// front (generators/algorithms/configuration.h).
namespace tilewright {

// Of RecursiveGaussianTiles.
struct RecursiveGaussianTilesConfiguration {
    bool colours = false;  // any number of interleaved channels; otherwise one channel

    template<typename Visit>
    void fields(Visit visit) {
        visit("colours", colours);
    }
};

// Of RecursiveGaussianTransposed.
struct RecursiveGaussianTransposedConfiguration {
    int side = 16;          // the image is transposed by blocks of side x side pixels, each in one step
    bool diagonal = false;  // blocks are walked along diagonals

    template<typename Visit>
    void fields(Visit visit) {
        visit("side", side);
        visit("diagonal", diagonal);
    }
};

}  // namespace tilewright
