#pragma once
// The energy that a GPU has used.
#include "tilewright/device.h"
#include <optional>

namespace tilewright::app {

// Millijoules since the driver was loaded, of all that runs on the device, as NVIDIA's management library
// (NVML) says. The number changes every 20 to 100 ms. Nothing for other devices, and where NVML is missing.
std::optional<double> energy_mj(Device device);

}  // namespace tilewright::app
