#pragma once
// The CPU as a device. Not installed.
#include "tilewright/device.h"
#include <cstdint>

namespace tilewright::driver {

DeviceInfo cpu_device();

// What Halide asks before it takes the code of a library that was compiled for some features of the CPU:
// whether this CPU has them, and the environment allows them: TILEWRIGHT_INSTRUCTION_SET=avx2 leaves out
// AVX-512, and TILEWRIGHT_INSTRUCTION_SET=x86-64 all instruction sets that not every x86-64 has.
int can_use_features(int count, const uint64_t *features);

}  // namespace tilewright::driver
