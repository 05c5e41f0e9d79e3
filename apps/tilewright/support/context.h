#pragma once
#include "apps/tilewright/support/json.h"
#include <optional>

namespace tilewright::app {

// Where and with what a report was made: date, versions, CPU, caches, load and devices: all, or the CPU and those of the backend of the one
// that was asked for.
Json context(std::optional<Device> asked = {});

// The size of the CPU's last-level cache in bytes; 32 MB when the system does not say.
int64_t last_level_cache();

}  // namespace tilewright::app
