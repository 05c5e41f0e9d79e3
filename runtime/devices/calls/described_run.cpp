// The start of a kernel whose arguments are described by a short text (kernel_arguments.h). The GPU libraries
// of operators call these functions in place of halide_cuda_run and halide_opencl_run, because Halide's two
// lists, of 9 bytes per argument, are a tenth of what a library has beside its kernels.
#include "generators/algorithms/kernel_arguments.h"
#include <HalideRuntimeCuda.h>
#include <HalideRuntimeOpenCL.h>

namespace tilewright {

namespace {

struct Described {
    size_t bytes[most_described_arguments + 1];  // a zero ends them
    int8_t is_array[most_described_arguments + 1];

    explicit Described(const char *text) {
        int count = 0;
        for (; text[count] && count < most_described_arguments; count++) {
            const auto argument = (unsigned char)text[count];
            bytes[count] = argument % argument_is_array;
            is_array[count] = argument >= argument_is_array;
        }
        bytes[count] = 0;
        is_array[count] = 0;
    }
};

}  // namespace

}  // namespace tilewright

// Libraries of a program's own operators (tilewright_add_operator) may be linked with libtilewright.so.
extern "C" {

[[gnu::visibility("default")]] int halide_cuda_run_described(void *module, const char *kernel, int blocks_x,
    int blocks_y, int blocks_z, int threads_x, int threads_y, int threads_z, int shared_bytes,
    const char *description, void **arguments) {
    tilewright::Described described(description);
    return halide_cuda_run(nullptr, module, kernel, blocks_x, blocks_y, blocks_z, threads_x, threads_y,
        threads_z, shared_bytes, described.bytes, arguments, described.is_array);
}

[[gnu::visibility("default")]] int halide_opencl_run_described(void *module, const char *kernel, int blocks_x,
    int blocks_y, int blocks_z, int threads_x, int threads_y, int threads_z, int shared_bytes,
    const char *description, void **arguments) {
    tilewright::Described described(description);
    return halide_opencl_run(nullptr, module, kernel, blocks_x, blocks_y, blocks_z, threads_x, threads_y,
        threads_z, shared_bytes, described.bytes, arguments, described.is_array);
}

}  // extern "C"
