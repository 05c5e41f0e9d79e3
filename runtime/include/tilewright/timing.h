#pragma once
#include "tilewright/device.h"
#include <cstddef>
#include <functional>
#pragma GCC visibility push(default)

namespace tilewright {

// Milliseconds that the device needs for what `calls` starts. On CUDA: between two events of its stream. On
// other backends: by a steady clock, with the device idle at both ends. Errors: those of `calls` and of
// synchronize(); device, when the device stopped.
double device_time_ms(Device device, const std::function<void()> &calls);

// The bytes per second that the device itself moves, measured by copies within its memory: each byte that is
// read counts, and each byte that is written. A GPU's copies are its driver's, those of the CPU memcpy on all
// of Halide's threads. `buffer` is how much one copy moves; 0 is 256 MiB, or 1/32 of the memory where that is
// less. Errors: memory, device.
double copy_rate(Device device, size_t buffer = 0);

}  // namespace tilewright
#pragma GCC visibility pop
