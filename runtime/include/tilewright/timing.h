#pragma once
#include "tilewright/device.h"
#include <functional>

namespace tilewright {

// Milliseconds that the device needs for what `calls` starts: between two events of its stream on CUDA, by a steady clock
// with the device idle at both ends elsewhere. Errors: those of `calls`; device, when the device stopped.
double device_time_ms(Device device, const std::function<void()> &calls);

}  // namespace tilewright
