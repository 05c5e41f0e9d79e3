#pragma once
#include "Halide.h"

namespace tilewright {

// Ends the program in words when a kernel of the pipeline can run on no device: a block of more than 1024
// threads, or more shared memory than a block may have (227 KB on CUDA, as the largest of its devices; 48 KB
// on OpenCL). Halide compiles such kernels without a word, and the driver refuses them at run time. `what`:
// the library, for the message.
void check_kernel_limits(Halide::Pipeline &pipeline, const Halide::Target &target, const std::string &what);

}  // namespace tilewright
