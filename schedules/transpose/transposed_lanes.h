#pragma once
// The schedule of rectangles that are transposed in registers (generators/algorithms/transposed_lanes.h).
#include "generators/algorithms/transposed_lanes.h"

namespace tilewright {

// How many lanes of 16 bytes the registers of a CPU have.
inline int lanes_of_registers(const Halide::Target &target) {
    return target.natural_vector_size<uint8_t>() / 16;
}

// Transposes in registers the one rectangle that an iteration of `loop` of `at` reads. That iteration must
// read the whole rectangle, with constant rows and columns: vectorize the loop over the rows, and unroll the
// one over the columns. The pipeline also needs shuffle_whole_registers()
// (schedules/passes/whole_registers.h).
//
// Shuffles per rectangle: log2(columns) per register, which is 64 for 32 x 16 bytes and 8 for 8 x 4 words of
// 4 bytes with AVX2. A row of 16 bytes is one load; from the second lane on it is inserted on the way.
inline void transpose_in_registers(
    const TransposedLanes &rectangle, const Halide::Func &at, const Halide::VarOrRVar &loop) {
    const Halide::Var odd{"odd"}, pair{"pair"};
    const auto place = [&](Halide::Func registers) {
        registers.compute_at(Halide::LoopLevel(at, loop))
            .store_in(Halide::MemoryType::Stack)
            .bound(rectangle.element, 0, rectangle.columns)
            .bound(rectangle.lane, 0, rectangle.lanes)
            .bound(rectangle.number, 0, rectangle.columns)
            .bound_extent(rectangle.t, 1)
            .bound_extent(rectangle.u, 1)
            .unroll(rectangle.number);
        return registers;
    };
    place(rectangle.loaded).vectorize(rectangle.element).vectorize(rectangle.lane);
    for (const Halide::Func &step : rectangle.steps) {
        place(step)
            .split(rectangle.element, pair, odd, 2)
            .reorder(odd, pair, rectangle.lane)
            .unroll(odd)
            .vectorize(pair)
            .vectorize(rectangle.lane);
    }
}

}  // namespace tilewright
