#pragma once
// Host memory whose pages are locked, so that GPUs copy from and to it directly. Not installed.
#include "runtime/devices/memory/host_memory.h"

namespace tilewright::driver {

// Blocks of host memory that the CUDA driver has locked; where it locks none, ordinary ones. Kept like others
// (HostMemory), but apart from them. Where no CUDA device is usable, the ordinary host memory.
HostMemory &pinned_memory();

// As HostMemory::trim, where there is any pinned memory. Loads no driver.
void trim_pinned_memory(size_t keep) noexcept;

}  // namespace tilewright::driver
