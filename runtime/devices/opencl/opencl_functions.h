#pragma once
// The functions that kernels call and that OpenCL C does not have (generators/algorithms/opencl_functions.h).
// Not installed.
#include "runtime/devices/opencl/opencl.h"
#include <string>

namespace tilewright::driver {

// The definitions of those functions that a source names, in the way that is best on the device; empty where
// it names none. All ways give the same results.
std::string functions_for(const std::string &source, const OpenClDevice &device);

// Declares the variable that functions_for()'s products of bytes have their results in, in the kernels that
// have such products.
void declare_results(std::string &source);

// The tensor cores' swizzle is one of addresses, so that rows begin at a multiple of this in local memory, in
// kernels with products of rows. NVIDIA's OpenCL begins it elsewhere: such kernels round its address up, and
// their launches ask for so many bytes more. Whether the source has such kernels.
inline constexpr size_t local_alignment = 1024;
bool align_local_memory(std::string &source);

}  // namespace tilewright::driver
