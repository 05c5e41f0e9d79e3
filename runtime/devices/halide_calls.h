#pragma once
// What surrounds a call of Halide's runtime: the preparation before it, and the Error of its error code. Not
// installed.
#include "tilewright/device.h"

struct halide_device_interface_t;

namespace tilewright {

// Sets Halide's error handler, and forgets this thread's earlier messages. To be called before every call of
// Halide.
void prepare_halide();

// Halide's functions for the devices of CUDA or OpenCL.
const halide_device_interface_t *device_interface(Backend backend);

// Waits until the work on this thread's device of that backend has ended (hooks.h). Returns Halide's code.
int wait_for_device(Backend backend);

// Whether Halide reported an error on this thread since prepare_halide().
bool halide_spoke();

// Throws the Error for a Halide error code and the first message of this thread since prepare_halide().
[[noreturn]] void throw_halide_error(int code, const char *operation, const char *schedule, Device device);

}  // namespace tilewright
