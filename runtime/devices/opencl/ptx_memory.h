#pragma once
// How much shared memory a block of threads may have by NVIDIA's OpenCL. Not installed.
#include "tilewright/device.h"
#include <cstdint>

namespace tilewright::driver {

// The most bytes of shared memory of a block whose kernel is PTX and declares that memory itself. The driver
// says how much OpenCL C gets (DeviceInfo::block_memory), which is 48 KB on every GPU, and takes PTX with as
// much as the GPU has. What it says counts for other devices, and for capabilities that are not known here.
int64_t ptx_memory(const DeviceInfo &info);

// The device's driver refused a program or a launch with more than it says, which counts from now on. For all
// such kernels, because a compiler that knows no more than 48 KB would refuse each of them after its work.
void refuse_ptx_memory(Device device) noexcept;

// How often that was called. Where the number grew during a call that failed, other variants may serve the
// call.
int refusals_of_ptx_memory();

}  // namespace tilewright::driver
