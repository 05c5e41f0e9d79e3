// The product of square f32 matrices: straight from global memory, and by tiles in shared memory.
#include "apps/laboratory/published_kernels/problem.h"

namespace published {

namespace {

constexpr int side = 16;  // of a tile and of a block of threads

// One thread per element of C. It reads a whole row of A and a whole column of B.
__global__ void element_per_thread(const float *a, const float *b, float *c, int n) {
    const int x = (int)(blockIdx.x * side + threadIdx.x), y = (int)(blockIdx.y * side + threadIdx.y);
    float sum = 0;
    for (int k = 0; k < n; k++) {
        sum += a[(size_t)y * n + k] * b[(size_t)k * n + x];
    }
    c[(size_t)y * n + x] = sum;
}

// The same, but a block copies a tile of A and a tile of B to shared memory first, so that an element that it
// reads serves 16 threads.
__global__ void tiles_in_shared(const float *a, const float *b, float *c, int n) {
    __shared__ float tile_a[side][side], tile_b[side][side];
    const int i = (int)threadIdx.x, j = (int)threadIdx.y;
    const int x = (int)blockIdx.x * side + i, y = (int)blockIdx.y * side + j;
    float sum = 0;
    for (int first = 0; first < n; first += side) {
        tile_a[j][i] = a[(size_t)y * n + first + i];
        tile_b[j][i] = b[(size_t)(first + j) * n + x];
        __syncthreads();
        for (int k = 0; k < side; k++) {
            sum += tile_a[j][k] * tile_b[k][i];
        }
        __syncthreads();
    }
    c[(size_t)y * n + x] = sum;
}

using Product = void(const float *a, const float *b, float *c, int n);

Kernel kernel(const char *step, Product *multiply) {
    Kernel about = {"matmul", step, "f32", {{512, 512}, {1024, 1024}, {4096, 4096}},
        "square matrices whose side is a multiple of 16",
        [](Size size) { return size.width == size.height && size.width % side == 0; }};
    about.data = [](Size size) { return "f32 " + text_of(size) + "x" + std::to_string(size.width); };
    return kernel_of(about, [=](Size size) {
        const int n = (int)size.width;
        auto arrays = product((size_t)n, 2);
        arrays.start = [=](const std::vector<const float *> &in, float *out, float *) {
            multiply<<<dim3(n / side, n / side), dim3(side, side)>>>(in[0], in[1], out, n);
        };
        return arrays;
    });
}

}  // namespace

std::vector<Kernel> matmul_kernels() {
    return {kernel("direct", element_per_thread), kernel("shared", tiles_in_shared)};
}

}  // namespace published
