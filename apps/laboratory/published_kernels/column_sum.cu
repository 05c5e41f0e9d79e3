// The sum of each column of an image of bytes: one byte or four bytes per load, and a sum in f32.
#include "apps/laboratory/published_kernels/problem.h"

namespace published {

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

template<class Sum, class Start>
Kernel kernel(const char *step, const char *type, int columns, Start start) {
    return kernel_of(
        {"column_sum", step, type, {{8192, 8192}},
            columns == 1 ? "any size" : "widths that are multiples of " + std::to_string(columns),
            [columns](Size size) { return size.width % columns == 0; }},
        [start](Size size) {
            auto arrays = sums<uint8_t, Sum>(size, false);
            arrays.start = [=](const std::vector<const uint8_t *> &in, Sum *out, Sum *) {
                start(in[0], out, (int)size.width, (int)size.height);
            };
            return arrays;
        });
}

}  // namespace

std::vector<Kernel> column_sum_kernels() {
    return {
        kernel<uint32_t>("bytes1", "u8", 1,
            [](const uint8_t *image, uint32_t *sums, int width, int height) {
                one_column_per_thread<<<blocks_for(width, threads), threads>>>(image, sums, width, height);
            }),
        kernel<uint32_t>("bytes4", "u8", 4,
            [](const uint8_t *image, uint32_t *sums, int width, int height) {
                four_columns_per_thread<<<blocks_for(width / 4, threads), threads>>>(
                    (const uint32_t *)image, sums, width / 4, height);
            }),
        kernel<float>("bytes1", "u8f32", 1,
            [](const uint8_t *image, float *sums, int width, int height) {
                one_column_per_thread<<<blocks_for(width, threads), threads>>>(image, sums, width, height);
            }),
    };
}

}  // namespace published
