#pragma once
// The functions by which OpenCL kernels convert half-precision floats: the names that generators and runtime
// share. Plain C++ without Halide.h.

namespace tilewright {

// `float tilewright_float_of_half(ushort)` and `ushort tilewright_half_of_float(float)`, where a ushort is
// the bits of a half. Kernels call them (schedules/passes/half_storage.h), and the runtime defines them in
// front of the kernels' source (runtime/devices/opencl/opencl_hooks.cpp).
inline constexpr const char *float_of_half = "tilewright_float_of_half",
                            *half_of_float = "tilewright_half_of_float";

}  // namespace tilewright
