#pragma once
#include "Halide.h"

namespace tilewright {

// What the kernels of a library need of a device, as far as it is known before they run.
struct KernelNeeds {
    int64_t threads = 0, shared_bytes = 0;  // of the largest block
    bool images = false;                    // textures
    bool tensor_products = false;           // generators/algorithms/tensor_text.h
    bool lane_products = false;             // of bytes, the same
    bool clusters = false;                  // generators/algorithms/block_clusters.h
};

// What was seen of the kernels that this process made. Each library is made in a process of its own.
const KernelNeeds &kernel_needs();

// How much shared memory a block may have: in PTX as on the largest NVIDIA GPUs, those of compute capability
// 9.0 and 10.0; in OpenCL C, without PTX beside it, as NVIDIA's driver gives it to each of its GPUs.
constexpr int64_t most_shared_bytes = 227 * 1024, most_shared_bytes_of_opencl_c = 48 * 1024;

// Ends the program with a message when a kernel of the pipeline can run on no device: a block of more than
// 1024 threads, or more shared memory than above. Halide compiles such kernels without a word, and the driver
// refuses them at run time. What the others need goes into kernel_needs(). `what`: the library, for the
// message. `has_ptx`: kernels for OpenCL become PTX, too (kernel_ptx.h).
void check_kernel_limits(
    Halide::Pipeline &pipeline, const Halide::Target &target, const std::string &what, bool has_ptx);

}  // namespace tilewright
