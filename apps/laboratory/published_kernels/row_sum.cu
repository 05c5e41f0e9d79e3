// The sum of each row of an image of bytes, in f32: by atomic additions, and by a tree in shared memory.
#include "apps/laboratory/published_kernels/published.h"

namespace peers {

namespace {

constexpr int threads = 128, pixels = 128, lanes = 512;

// Each thread sums 128 pixels of a row and adds the sum to that of the row. Neighbouring threads have
// neighbouring rows, so that the loads of a warp are whole rows apart and do not coalesce.
__global__ void pixels_per_thread(const uint8_t *image, float *sums, int width, int height) {
    const int y = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int first = (int)blockIdx.y * pixels, end = min(first + pixels, width);
    if (y >= height) {
        return;
    }
    float sum = 0;
    for (int x = first; x < end; x++) {
        sum += image[(size_t)y * width + x];
    }
    atomicAdd(&sums[y], sum);
}

// One block per row. Its threads stride along the row, so that loads coalesce; a tree in shared memory adds
// their sums.
__global__ void block_per_row(const uint8_t *image, float *sums, int width) {
    __shared__ float part[lanes];
    const int lane = (int)threadIdx.x;
    const size_t y = blockIdx.x;
    float sum = 0;
    for (int x = lane; x < width; x += lanes) {
        sum += image[y * width + x];
    }
    part[lane] = sum;
    __syncthreads();
    for (int half = lanes / 2; half > 0; half /= 2) {
        if (lane < half) {
            part[lane] += part[lane + half];
        }
        __syncthreads();
    }
    if (lane == 0) {
        sums[y] = part[0];
    }
}

// The second axis of a grid has at most 65535 blocks, so that the width is at most 8388480.
void atomic(const std::vector<PeerArray> &in, const PeerArray &out) {
    const int width = (int)in[0].width, height = (int)in[0].height;
    check(cudaMemsetAsync(out.data, 0, height * sizeof(float)), "zeros");
    const dim3 grid(blocks_for(height, threads), blocks_for(width, pixels));
    pixels_per_thread<<<grid, threads>>>(elements<const uint8_t>(in[0]), elements<float>(out), width, height);
}

void tree(const std::vector<PeerArray> &in, const PeerArray &out) {
    block_per_row<<<(unsigned)in[0].height, lanes>>>(
        elements<const uint8_t>(in[0]), elements<float>(out), (int)in[0].width);
}

}  // namespace

void add_row_sums(const PeerProblem &problem, std::vector<LibraryPeer> &peers) {
    if (problem.op == "row_sum" && problem.type == "u8f32") {
        add_kernel(peers, "atomic", atomic);
        add_kernel(peers, "tree", tree);
    }
}

}  // namespace peers
