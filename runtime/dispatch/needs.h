#pragma once
// The limits of a device, for the choice of rows. Not installed.
#include "tilewright/device.h"

namespace tilewright {

// The entry of a device; for one that is not there, and for the CPU, an entry without limits.
const DeviceInfo &limits_of(Device device);

}  // namespace tilewright
