#pragma once
// The functions that kernels call and that OpenCL C does not have (generators/algorithms/opencl_functions.h).
// Not installed.
#include "runtime/devices/opencl/opencl.h"
#include <string>

namespace tilewright::driver {

// The definitions of those functions that a source names, in the way that is best on the device; empty where
// it names none. All ways give the same results.
std::string functions_for(const std::string &source, const OpenClDevice &device);

}  // namespace tilewright::driver
