#pragma once

// What the rows of transpose say of their forms: shared by the generators, the schedules and the front
// (generators/algorithms/configuration.h).
namespace tilewright {

// Of Transpose: the schedule moves blocks inwards at the edges, so that it takes images of at least a block
// (width and height, as tunables).
struct TransposeConfiguration {
    bool at_least_a_block = false;

    template<typename Visit>
    void fields(Visit visit) {
        visit("at_least_a_block", at_least_a_block);
    }
};

// Of TransposeBlocks.
struct TransposeBlocksConfiguration {
    int aligned = 1;  // a row of a block begins where its place in memory is a multiple of this, in pixels
    bool diagonal = false;  // blocks are walked along diagonals

    template<typename Visit>
    void fields(Visit visit) {
        visit("aligned", aligned);
        visit("diagonal", diagonal);
    }
};

// Of TransposePatches.
struct TransposePatchesConfiguration {
    bool permute = false;           // bytes are put together by PTX's instruction for it
    bool at_least_a_block = false;  // as above; a block has 4 across x (4 down patches) pixels, as tunables

    template<typename Visit>
    void fields(Visit visit) {
        visit("permute", permute);
        visit("at_least_a_block", at_least_a_block);
    }
};

// Of TransposeFlat.
struct TransposeFlatConfiguration {
    bool permute = false;  // as above

    template<typename Visit>
    void fields(Visit visit) {
        visit("permute", permute);
    }
};

}  // namespace tilewright
