#pragma once
// The functions that OpenCL kernels call and that OpenCL C does not have: the names that generators and
// runtime share. The runtime defines them in front of the kernels' source, in the way that is best on the
// device (runtime/devices/opencl/opencl_functions.h). Plain C++ without Halide.h.

namespace tilewright {

// `float tilewright_float_of_half(ushort)` and `ushort tilewright_half_of_float(float)`, where a ushort is
// the bits of a half (schedules/passes/half_storage.h).
inline constexpr const char *float_of_half = "tilewright_float_of_half",
                            *half_of_float = "tilewright_half_of_float";

// `uint tilewright_dot(uint a, uint b, uint sum)` and `uint tilewright_pick(uint a, uint b, uint picks)`:
// WordOperations::dot and WordOperations::pick.
inline constexpr const char *dot_of_words = "tilewright_dot", *pick_of_words = "tilewright_pick";

}  // namespace tilewright
