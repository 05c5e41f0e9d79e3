#pragma once
// A lowering pass for the native_ functions of OpenCL C.
#include "Halide.h"

namespace tilewright {

// In OpenCL kernels, functions of f32 become the native_ ones: native_exp in place of exp, and so on. They
// are as fast as the device's own instructions, and their error is what the device says.
void call_native_functions(Halide::Pipeline &pipeline);

}  // namespace tilewright
