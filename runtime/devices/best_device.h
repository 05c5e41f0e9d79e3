#pragma once
// The choice of a device among some backends. Not installed.
#include "tilewright/device.h"
#include <functional>
#include <optional>

namespace tilewright {

// The first device, in the order of best_device(), of the backends that are `wanted` that `takes` says yes
// to; nothing when there is none. The drivers of other backends are not loaded.
std::optional<Device> best_device(
    const std::function<bool(Backend)> &wanted,
    const std::function<bool(const DeviceInfo &)> &takes = [](const DeviceInfo &) { return true; });

// Whether the drivers of GPUs were asked for their devices in this process: then they are started.
bool drivers_are_started();

}  // namespace tilewright
