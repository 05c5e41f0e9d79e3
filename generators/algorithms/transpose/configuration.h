#pragma once

// What the variants of transpose say of their forms: shared by the generators, the schedules and the front
// (generators/algorithms/configuration.h).
namespace tilewright {

// Of Transpose.
struct TransposeConfiguration {
    bool whole_vectors = false;  // the schedule takes images whose sides are multiples of 4, with rows that
                                 // begin at multiples of 4 pixels in memory

    template<typename Visit>
    void fields(Visit visit) {
        visit("whole_vectors", whole_vectors);
    }
};

// Of TransposeSquares, which takes images of at least a block (width and height, as tunables).
struct TransposeSquaresConfiguration {
    bool in_registers = false;  // a block is one square or a few; its width and height are the most there

    bool in_columns = false;  // the same, in columns of blocks

    int rows = 0;  // of rectangles of 1024 bytes, in place of squares: 16 registers of AVX-512 VBMI, whose
                   // shuffles of two registers take any bytes

    int lanes = 0;  // of 16 bytes per register, within which squares are transposed (TransposedLanes). Rows
                    // in_registers and in_columns have as many as a register, where they say nothing else and
                    // the best squares have rows of 16 bytes (best_square)

    template<typename Visit>
    void fields(Visit visit) {
        visit("in_registers", in_registers);
        visit("in_columns", in_columns);
        visit("rows", rows);
        visit("lanes", lanes);
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
