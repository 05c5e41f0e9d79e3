#pragma once
// What surrounds a call of Halide's runtime: the preparation before it, and the Error of its error code. Not
// installed.
#include "tilewright/device.h"
#include <cstdint>
#include <functional>
#include <string>

struct halide_device_interface_t;

namespace tilewright {

// Sets Halide's error handler, and forgets this thread's earlier messages. To be called before every call of
// Halide.
void prepare_halide();

constexpr int most_threads = 256;  // of Halide's runtime

// The number of threads that a text says, 1 to most_threads. Errors: usage; they name `origin`.
int threads_in(const std::string &text, const char *origin);

// Halide has the number of threads that the environment's TILEWRIGHT_THREADS says since before main().
// Errors: usage, where that is no such number.
void check_threads();

// Halide's functions for the devices of CUDA or OpenCL.
const halide_device_interface_t *device_interface(Backend backend);

// Waits until the work on this thread's device of that backend has ended (hooks.h). Returns Halide's code.
int wait_for_device(Backend backend);

// `code` of a copy or a library that Halide ran; where it is 0 and threads have queues of their own
// (own_queue.h), the code of waiting for that work. What was written may be used in any queue afterwards, and
// page-locked memory is done with. The caller waits, and not Halide's own calls, because Halide has one lock
// for all copies while it starts them: copies in other queues go on meanwhile.
int ended_in_own_queue(int code, Backend backend);

// Calls work(first, last) for parts of h rows of so many bytes, at least 1, which Halide's threads take; no
// Watch sees these loops. `work` may throw std::bad_alloc alone, which then is the error of this call.
void by_rows(int64_t h, int64_t row_bytes, const std::function<void(int64_t first, int64_t last)> &work);

// Whether Halide reported an error on this thread since prepare_halide().
bool halide_spoke();

// Throws the Error for a Halide error code and the first message of this thread since prepare_halide().
[[noreturn]] void throw_halide_error(int code, const char *operation, const char *schedule, Device device);

}  // namespace tilewright
