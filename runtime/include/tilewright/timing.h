#pragma once
#include "tilewright/device.h"
#include <functional>

namespace tilewright {

// Milliseconds that the device needs for what `calls` starts. On CUDA: between two events of its stream. On
// other backends: by a steady clock, with the device idle at both ends. Errors: those of `calls` and of
// synchronize(); device, when the device stopped.
double device_time_ms(Device device, const std::function<void()> &calls);

}  // namespace tilewright
