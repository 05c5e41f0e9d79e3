#pragma once
// A lowering pass for shuffles of vector registers of a CPU.
#include "Halide.h"

namespace tilewright {

// Makes one shuffle of two whole registers of an interleaving of parts of them, where the registers are on
// the stack at constant places: TransposedLanes. Halide 21 loads the part of each register that an
// interleaving needs, and shuffles it to half of a register first. LLVM then joins that with how the register
// was loaded, and for elements of 1 and 2 bytes it goes on with half registers: u8 in rectangles of 32 x 16
// takes 290 shuffles in place of 64, and is slower by a factor of two to three.
void shuffle_whole_registers(Halide::Pipeline &pipeline);

}  // namespace tilewright
