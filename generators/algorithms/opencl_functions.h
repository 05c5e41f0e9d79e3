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

// Products on tensor cores by the lanes of a warp. Only NVIDIA's GPUs have the instructions, from this
// compute capability on.
inline constexpr const char *lane_product_prefix = "tilewright_lanes_";
inline constexpr int lane_product_capability = 80;

// `int tilewright_lanes_u8_0(uint a0, ..., uint a3, uint b0, uint b1, int sum)` to `..._3`: the results of
// ByteProductCall.
inline constexpr const char *byte_product_prefix = "tilewright_lanes_u8_";

// `float tilewright_lanes_3tf32_0(float a0, ..., float a7, float b0, ..., float b3, float sum)` to `..._3`,
// and the same of f16 and bf16: a product of 16 x 16 words of A and 16 x 8 of B by the lanes of a warp, with
// the places of ByteProductCall for each 8 words of the depth, where a lane has one word in place of 4 bytes.

}  // namespace tilewright
