#pragma once
// The choice of a device among some backends. Not installed.
#include "tilewright/device.h"
#include <functional>
#include <optional>

namespace tilewright {

// The best device, in the order of best_device(), of the backends that are `wanted`; nothing when none of
// them has one. The drivers of other backends are not loaded.
std::optional<Device> best_device(const std::function<bool(Backend)> &wanted);

}  // namespace tilewright
