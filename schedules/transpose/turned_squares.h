#pragma once
// The schedule of squares that are transposed in registers (generators/algorithms/turned_squares.h).
#include "generators/algorithms/turned_squares.h"

namespace tilewright {

// The side of the squares that take the fewest shuffles on a CPU: a row of a square is a whole register of
// AVX-512, and 16 bytes on other machines, because most shuffles of AVX2 stay within 16 bytes.
inline int best_square(const Halide::Target &target, const Halide::Type &type) {
    const bool whole_registers = target.has_feature(Halide::Target::AVX512_Skylake) && type.bytes() >= 4;
    return (whole_registers ? 64 : 16) / type.bytes();
}

// Transposes in registers the one square that an iteration of `loop` of `at` reads. That iteration must read
// the whole square, with constant rows and columns: vectorize the loop over the rows of `squares`, and unroll
// the one over its columns. All steps are unrolled, so that LLVM keeps the square in registers.
//
// Rows of `vector_bytes` or more are vectors; shorter rows are two vectors each, which are interleaved into
// one register. Shuffles that LLVM 21 makes of squares of rows x columns: 16 x 16 u32 64 (AVX-512), 8 x 8 u32
// 56 (AVX2), 4 x 4 u32 8, 8 x 8 u16 24 and 16 x 16 u8 64 (plain x86-64 and all others).
inline void turn_in_registers(const TurnedSquares &squares, const Halide::Func &at,
    const Halide::VarOrRVar &loop, int vector_bytes = 64) {
    const Halide::Var io{"io"}, ii{"ii"};
    const int row_bytes = squares.columns * squares.steps[0].type().bytes(),
              vector = row_bytes < vector_bytes ? squares.columns / 2 : squares.columns;
    for (Halide::Func step : squares.steps) {
        step.compute_at(Halide::LoopLevel(at, loop))
            .store_in(Halide::MemoryType::Stack)
            .bound(squares.q, 0, 2)
            .bound(squares.i, 0, squares.half())
            .bound_extent(squares.t, 1)
            .bound_extent(squares.u, 1)
            .split(squares.i, io, ii, vector)
            .reorder(squares.q, ii, io)
            .vectorize(ii)
            .unroll(squares.q)
            .unroll(io);
    }
}

}  // namespace tilewright
