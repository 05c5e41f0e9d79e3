#pragma once
#include "report.h"

namespace tilewright::app {

// Where and with what a report was made: date, versions, CPU, caches, load and devices.
Json context();

// The size of the CPU's last-level cache in bytes; 32 MB when the system does not say.
int64_t last_level_cache();

}  // namespace tilewright::app
