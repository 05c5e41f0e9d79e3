// The product of square f32 matrices: straight from global memory, and by tiles in shared memory.
#include "apps/laboratory/published_kernels/published.h"

namespace peers {

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

void add(std::vector<LibraryPeer> &peers, const char *step, Product *multiply) {
    add_kernel(peers, step, [=](const std::vector<PeerArray> &in, const PeerArray &out) {
        const int n = (int)out.width;
        if (n % side != 0 || out.height != n || in[0].width != n) {
            throw std::invalid_argument("it takes square matrices whose side is a multiple of 16");
        }
        multiply<<<dim3(n / side, n / side), dim3(side, side)>>>(
            elements<const float>(in[0]), elements<const float>(in[1]), elements<float>(out), n);
    });
}

}  // namespace

void add_products(const PeerProblem &problem, std::vector<LibraryPeer> &peers) {
    if (problem.op == "matmul" && problem.type == "f32") {
        add(peers, "direct", element_per_thread);
        add(peers, "shared", tiles_in_shared);
    }
}

}  // namespace peers
