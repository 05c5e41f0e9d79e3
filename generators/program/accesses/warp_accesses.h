#pragma once
#include "Halide.h"
#include <cstdint>
#include <map>
#include <string>

namespace tilewright {

// How the threads of a warp reach memory together, one line per kernel, space, kind, buffer and width, with
// tabs between:
//     kernel, shared|global, load|store, buffer, bytes of a thread, accesses, passes, least, dependency
// `passes`: of shared memory how often the warp takes its turn at the 32 banks of 4 bytes, of global memory
// how many sectors of 32 bytes it touches. `least`: the same if threads reached neighbours or one place. Both
// are 0 where the address is unknown; the last cell says what it depends on and is empty otherwise.
//
// The addresses of Halide's statements are evaluated for the threads of one warp, in the middle block and in
// the middle of each loop. `values` are those of the call ("image.stride.1") and of its launches
// ("KERNEL.grid.x", "KERNEL.block.y"). What follows from values that are not given is unknown.
std::string accesses_in(
    const Halide::Internal::Stmt &statement, const std::map<std::string, int64_t> &values);

}  // namespace tilewright
