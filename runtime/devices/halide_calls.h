#pragma once
// What surrounds a call of Halide's runtime: the preparation before it, and the Error of its error code. Not
// installed.
#include "tilewright/device.h"

namespace tilewright {

// Sets Halide's error handler, and forgets this thread's earlier messages. To be called before every call of
// Halide.
void prepare_halide();

// Whether Halide reported an error on this thread since prepare_halide().
bool halide_spoke();

// Throws the Error for a Halide error code and the first message of this thread since prepare_halide().
[[noreturn]] void throw_halide_error(int code, const char *operation, const char *schedule, Device device);

}  // namespace tilewright
