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

// `code` of a copy or a library that Halide ran; where it is 0 and threads have queues of their own
// (own_queue.h), the code of waiting for that work. What was written may be used in any queue afterwards, and
// page-locked memory is done with. The caller waits, and not Halide's own calls, because Halide has one lock
// for all copies while it starts them: copies in other queues go on meanwhile.
int ended_in_own_queue(int code, Backend backend);

// Whether Halide reported an error on this thread since prepare_halide().
bool halide_spoke();

// Throws the Error for a Halide error code and the first message of this thread since prepare_halide().
[[noreturn]] void throw_halide_error(int code, const char *operation, const char *schedule, Device device);

}  // namespace tilewright
