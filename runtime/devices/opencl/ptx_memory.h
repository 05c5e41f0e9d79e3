#pragma once
// How much shared memory a block of threads may have by NVIDIA's OpenCL. Not installed.
#include "tilewright/device.h"
#include "tilewright/variant.h"
#include <cstdint>

namespace tilewright::driver {

// The most bytes of shared memory of a block whose kernel is PTX and declares that memory itself. The driver
// says how much OpenCL C gets (DeviceInfo::block_memory), which is 48 KB on every GPU, and takes PTX with as
// much as the GPU has. What it says counts for other devices, and for capabilities that are not known here.
int64_t ptx_memory(const DeviceInfo &info);

// The device's driver took a launch of a variant: its kernels' memory is there, also after a refusal. A null
// pointer stands for no variant.
void take_ptx_memory(const Variant *variant, Device device);

// The device's driver refused a program or a launch of a variant. Where its kernels need more shared memory
// than the driver says and than any that was taken, that is taken for the reason: the device has no more than
// those from now on, for all kernels, because a compiler that knows no more than 48 KB would refuse each of
// them after its work. Returns whether it is so. What refuses less memory, or as much again, has another
// reason, which may be gone at the next call.
bool refuse_ptx_memory(const Variant *variant, const DeviceInfo &info);

// How often it was. Where the number grew during a call that failed, other variants may serve the
// call.
int refusals_of_ptx_memory();

}  // namespace tilewright::driver
