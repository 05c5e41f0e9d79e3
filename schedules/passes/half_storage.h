#pragma once
// A lowering pass for Funcs of half-precision floats in OpenCL kernels.
#include "Halide.h"

namespace tilewright {

// Makes half-precision floats a type of storage only, as OpenCL C has them without the extension
// cl_khr_fp16: in memory and in images they are halves, and kernels compute in floats. Halide's own OpenCL
// code declares variables of the type `half`, which needs the extension; NVIDIA's OpenCL does not have it.
// Loads and stores become those of the 16 bits with a conversion (generators/algorithms/opencl_functions.h).
// Does nothing for other targets, whose instructions convert halves.
void store_halves(Halide::Pipeline &pipeline, const Halide::Target &target);

}  // namespace tilewright
