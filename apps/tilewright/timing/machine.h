#pragma once
// The machine and the versions that a report was made with.
#include "apps/tilewright/terminal/json.h"
#include <vector>

namespace tilewright::app {

// Date, versions, CPU, caches, load and devices. With `asked`, of devices only the CPU and those of the
// backends of `asked`.
Json context(const std::vector<Device> &asked = {});

// What a line of a results file says of its origin: date, versions, the device's name and driver, the
// machine.
Json short_context(Device device);

// The size of the CPU's last-level cache in bytes; 32 MB where the system does not say.
int64_t last_level_cache();

}  // namespace tilewright::app
