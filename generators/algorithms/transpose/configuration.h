#pragma once

// What the rows of transpose say of their forms: shared by the generators, the schedules and the front
// (generators/algorithms/configuration.h).
namespace tilewright {

// Of Transpose.
struct TransposeConfiguration {
    bool at_least_a_block = false;  // the schedule moves blocks inwards at the edges, so that it takes images
                                    // of at least a block (width and height, as tunables)
    bool whole_vectors = false;     // it takes images whose sides are multiples of 4, with rows that begin at
                                    // multiples of 4 pixels in memory

    template<typename Visit>
    void fields(Visit visit) {
        visit("at_least_a_block", at_least_a_block);
        visit("whole_vectors", whole_vectors);
    }
};

// Of TransposeBlocks.
struct TransposeBlocksConfiguration {
    int aligned = 1;  // a row of a block begins where its place in memory is a multiple of this, in pixels

    template<typename Visit>
    void fields(Visit visit) {
        visit("aligned", aligned);
    }
};

// Of TransposePatches.
struct TransposePatchesConfiguration {
    bool permute = false;  // bytes are put together by PTX's instruction for it

    template<typename Visit>
    void fields(Visit visit) {
        visit("permute", permute);
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
