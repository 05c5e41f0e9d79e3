#pragma once
// OpenCL programs between Halide's runtime and the cache on disk (program_cache.h). Not installed.
#include <functional>
#include <string>

namespace tilewright::driver {

// The program of this source (and all else that the binary depends on, as text) for the device of this
// thread: a kept binary, which the driver has taken and built, or what `make` returns. Both functions are for
// hooks: they throw nothing, and Halide calls them one at a time (halide_acquire_cl_context).
void *program_of(void *context, const std::string &source, const std::function<void *()> &make) noexcept;

// A built program for the device of this thread, with instructions in place of the tensor products that the
// text of a program of NVIDIA's OpenCL asks for (generators/algorithms/tensor_text.h). Null, in which case
// Halide was told why, where there is none. For `make`.
void *with_instructions(void *context, void *program) noexcept;

// Builds a program that program_of() returned, unless it is built, and keeps its binary. Returns OpenCL's
// code.
int build(void *program, const std::function<int()> &build) noexcept;

}  // namespace tilewright::driver
