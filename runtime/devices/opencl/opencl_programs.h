#pragma once
// OpenCL programs between Halide's runtime and the cache on disk (program_cache.h). Not installed.
#include "generators/algorithms/integers.h"
#include "runtime/devices/opencl/ptx_arguments.h"
#include <functional>
#include <string>

namespace tilewright::driver {

// The program of this source (and all else that the binary depends on, as text) for the device of this
// thread: a kept binary, which the driver has taken and built, or what `make` returns. Both functions are for
// hooks: they throw nothing, and Halide calls them one at a time (halide_acquire_cl_context).
void *program_of(void *context, const std::string &source, const std::function<void *()> &make) noexcept;

// A built program of PTX for the device of this thread, with the instructions of tensor cores
// (generators/algorithms/tensor_text.h) and the variant's limits of registers, and where its kernels'
// arguments are. Null where the device or the driver does not take it. Errors: std::bad_alloc.
void *program_of_ptx(void *context, const std::string &ptx, ArgumentsOfKernels &arguments);

// How many registers a thread has at most where a block has so many threads: of 65536, each fourth of which
// is for a fourth of the block's warps.
inline int registers_of_block(int threads) {
    return 65536 / round_up(threads, 128) / 8 * 8;
}

// Options for the compiler, and those of the variant that runs. NVIDIA's compiler gives a kernel as many
// registers as a block of 256 threads has. A larger block has fewer, and its launch would fail.
std::string options_of_variant(const char *given);

// Builds a program that program_of() returned, unless it is built, and keeps its binary. Returns OpenCL's
// code.
int build(void *program, const std::function<int()> &build) noexcept;

}  // namespace tilewright::driver
