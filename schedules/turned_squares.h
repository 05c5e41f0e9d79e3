#pragma once
// The schedule of squares that are transposed in registers (generators/algorithms/turned_squares.h).
#include "generators/algorithms/turned_squares.h"

namespace tilewright {

// Transposes in registers the one square that an iteration of `loop` of `at` reads. That loop's body must
// read exactly one square, whole, with constant columns and rows: unroll the loops over them, or vectorize
// the rows. The steps are vectors of a row's length and are unrolled, so that LLVM keeps the square in
// registers: each vector of each step is one shuffle of two vectors. Rows of one vector register are best; a
// square should not need more registers than there are (16 of SSE and AVX2, 32 of AVX-512).
inline void turn_in_registers(const TurnedSquares &squares, const Halide::Func &at, const Halide::Var &loop) {
    const Halide::Var io{"io"}, ii{"ii"};
    for (Halide::Func step : squares.steps) {
        step.compute_at(at, loop)
            .store_in(Halide::MemoryType::Stack)
            .bound(squares.q, 0, 2)
            .bound(squares.i, 0, squares.half())
            .bound_extent(squares.t, 1)
            .bound_extent(squares.u, 1)
            .split(squares.i, io, ii, squares.columns)
            .reorder(squares.q, ii, io)
            .vectorize(ii)
            .unroll(squares.q)
            .unroll(io);
    }
}

}  // namespace tilewright
