#pragma once
#include "Halide.h"
#include <string>

// The kernels of OpenCL libraries as PTX. NVIDIA's OpenCL takes PTX as the binary of a program. That which
// Halide writes has what OpenCL C cannot say to NVIDIA's compiler, and is compiled sooner: vectors of 16
// bytes, limits of registers, and the instructions of tensor cores.
namespace tilewright {

// Adds a pass to a pipeline for OpenCL that keeps its kernels, as Halide will write them, for with_ptx(). It
// is the last pass, and changes nothing.
void keep_kernels(Halide::Pipeline &pipeline, const Halide::Target &target);

// The text of a library, from the OpenCL C that Halide made of the kernels which were kept last: that text,
// and the same kernels as PTX for a CUDA target behind it (generators/algorithms/module_text.h). Only the PTX
// where no OpenCL C can say what the kernels do; only the OpenCL C where PTX cannot, as with images.
std::string with_ptx(const std::string &opencl_c, Halide::Target cuda);

}  // namespace tilewright
