// The sum of each column of an image of bytes: one byte or four bytes per load, and a sum in f32.
#include "apps/laboratory/published_kernels/published.h"

namespace peers {

namespace {

constexpr int threads = 128;

// One thread per column, one byte per load. `Sum` is uint32_t, or float where the publication sums in f32.
template<class Sum>
__global__ void one_column_per_thread(const uint8_t *image, Sum *sums, int width, int height) {
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (x >= width) {
        return;
    }
    Sum sum = 0;
    for (int y = 0; y < height; y++) {
        sum += image[(size_t)y * width + x];
    }
    sums[x] = sum;
}

// One thread per four columns: a load of four bytes is taken apart into four sums. A quarter of the threads
// is left.
__global__ void four_columns_per_thread(const uint32_t *words, uint32_t *sums, int width, int height) {
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (x >= width) {
        return;
    }
    uint32_t sum[4] = {0, 0, 0, 0};
    for (int y = 0; y < height; y++) {
        const uint32_t word = words[(size_t)y * width + x];
        sum[0] += word & 255;
        sum[1] += (word >> 8) & 255;
        sum[2] += (word >> 16) & 255;
        sum[3] += word >> 24;
    }
    for (int k = 0; k < 4; k++) {
        sums[4 * x + k] = sum[k];
    }
}

template<class Sum>
void bytes1(const std::vector<PeerArray> &in, const PeerArray &out) {
    const int width = (int)in[0].width, height = (int)in[0].height;
    one_column_per_thread<<<blocks_for(width, threads), threads>>>(
        elements<const uint8_t>(in[0]), elements<Sum>(out), width, height);
}

void bytes4(const std::vector<PeerArray> &in, const PeerArray &out) {
    if (in[0].width % 4 != 0) {
        throw std::invalid_argument("it takes widths that are multiples of 4");
    }
    const int width = (int)in[0].width / 4, height = (int)in[0].height;
    four_columns_per_thread<<<blocks_for(width, threads), threads>>>(
        (const uint32_t *)elements<const uint8_t>(in[0]), elements<uint32_t>(out), width, height);
}

}  // namespace

void add_column_sums(const PeerProblem &problem, std::vector<LibraryPeer> &peers) {
    if (problem.op == "column_sum" && problem.type == "u8") {
        add_kernel(peers, "bytes1", bytes1<uint32_t>);
        add_kernel(peers, "bytes4", bytes4);
    } else if (problem.op == "column_sum" && problem.type == "u8f32") {
        add_kernel(peers, "bytes1", bytes1<float>);
    }
}

}  // namespace peers
