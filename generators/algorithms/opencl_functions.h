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

// `int tilewright_lanes_u8_0(uint a0, ..., uint a3, uint b0, uint b1, int sum)` to `..._3`: the results of
// LaneProduct of bytes; `float tilewright_lanes_f16_0(..., float sum)`: those of 16-bit floats, and
// `uint tilewright_pair_f16(float a, float b)`: a word of two. Only NVIDIA's GPUs have the instructions, from
// this compute capability on.
inline constexpr const char *lane_product_prefix = "tilewright_lanes_",
                            *byte_product_prefix = "tilewright_lanes_u8_",
                            *half_product_prefix = "tilewright_lanes_f16_",
                            *halves_in_word = "tilewright_pair_f16";
inline constexpr int lane_product_capability = 80;

}  // namespace tilewright
