#pragma once
// OpenCL programs between Halide's runtime and the driver. Not installed.
#include "generators/algorithms/integers.h"
#include "runtime/devices/opencl/ptx_arguments.h"
#include <string>

namespace tilewright::driver {

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

}  // namespace tilewright::driver
