#pragma once
// The CPU as a device. Not installed.
#include "tilewright/device.h"

namespace tilewright::driver {

DeviceInfo cpu_device();

}  // namespace tilewright::driver
