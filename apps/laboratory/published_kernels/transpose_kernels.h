#pragma once
// The published transposes, for .cu files: transpose and recursive_gaussian call them.
#include "apps/laboratory/published_kernels/published.h"

namespace peers {

// Of a tile and of a block of threads. The second axis of a grid has at most 65535 blocks, so that an image's
// sides are at most 1048560.
constexpr int side = 16;

// Neighbouring threads read neighbouring pixels, and write pixels that are a whole row of the output apart.
template<class T>
__global__ void direct(const T *in, T *out, int width, int height) {
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x < width && y < height) {
        out[(size_t)x * height + y] = in[(size_t)y * width + x];
    }
}

// The mirrored one: neighbouring threads read pixels that are a whole row apart, and write neighbouring ones.
template<class T>
__global__ void direct_mirrored(const T *in, T *out, int width, int height) {
    const int y = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int x = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x < width && y < height) {
        out[(size_t)x * height + y] = in[(size_t)y * width + x];
    }
}

// A tile goes through shared memory, so that both reads and writes coalesce. `pad`: elements that follow each
// row of the tile, so that the elements of a column lie in different banks. `diagonal`: blocks that run at
// the same time write tiles that lie along a diagonal, and so spread over the partitions of the memory.
template<class T, int pad, bool diagonal>
__global__ void through_shared(const T *in, T *out, int width, int height) {
    __shared__ T tile[side][side + pad];
    const int block_x = (int)blockIdx.x;
    const int block_y = (int)(diagonal ? (blockIdx.y + blockIdx.x) % gridDim.y : blockIdx.y);
    const int i = (int)threadIdx.x, j = (int)threadIdx.y;
    int x = block_x * side + i, y = block_y * side + j;
    if (x < width && y < height) {
        tile[j][i] = in[(size_t)y * width + x];
    }
    __syncthreads();
    x = block_x * side + j;
    y = block_y * side + i;
    if (x < width && y < height) {
        out[(size_t)x * height + y] = tile[i][j];
    }
}

}  // namespace peers
