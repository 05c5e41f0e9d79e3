#pragma once
// Calls of Halide's runtime: what comes before each, and what its errors become. Not installed.
#include "tilewright/device.h"

namespace tilewright {

// Sets Halide's handlers, and forgets what it said before; called before anything of Halide runs.
void prepare_halide();

// Whether Halide reported an error on this thread since prepare_halide().
bool halide_spoke();

// Throws the Error that a Halide error code and the messages of this thread since prepare_halide() stand for.
[[noreturn]] void throw_halide_error(int code, const char *operation, const char *schedule, Device device);

}  // namespace tilewright
