#pragma once
// What sources of OpenCL C get besides what Halide wrote: functions that kernels call and that OpenCL C does
// not have (generators/algorithms/opencl_functions.h), and fences.
// Not installed.
#include "runtime/devices/opencl/opencl.h"
#include <string>

namespace tilewright::driver {

// The definitions of those functions that a source names, in the way that is best on the device; empty where
// it names none. All ways give the same results.
std::string functions_for(const std::string &source, const OpenClDevice &device);

// Halide's barriers before a block's memory is used for something else have no fence. By OpenCL's rules
// another work-item may then write where values are still to be read, or read what is not yet written;
// oclgrind reports it (docs/RELIABILITY.md). The memory is local or, of `MemoryType::Heap`, global.
void put_fences(std::string &source);

}  // namespace tilewright::driver
