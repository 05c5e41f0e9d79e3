// CUB: the sums of rows as a segmented reduction.
#include "apps/laboratory/cuda_peers/peers.h"
#include <cub/device/device_segmented_reduce.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace peers {

namespace {

using published::check;

// Where row i begins.
struct RowBegin {
    int width;
    __host__ __device__ int operator()(int i) const {
        return i * width;
    }
};

template<class Out>
struct As {
    template<class In>
    __host__ __device__ Out operator()(In value) const {
        return (Out)value;
    }
};

template<class In, class Out>
void sum_rows(const In *image, Out *sums, int width, int height, void *scratch, size_t &bytes) {
    const auto begins = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), RowBegin{width});
    const auto values = thrust::make_transform_iterator(image, As<Out>{});
    check(cub::DeviceSegmentedReduce::Sum(scratch, bytes, values, sums, height, begins, begins + 1),
        "cub::DeviceSegmentedReduce");
}

template<class In, class Out>
Kernel row_sum(const char *type) {
    return kernel_of(
        {"row_sum", "CUB segmented reduce", type, {{8192, 8192}}, most_31, serves_31}, [](Size size) {
            const int width = (int)size.width, height = (int)size.height;
            size_t bytes = 0;
            sum_rows<In, Out>(nullptr, nullptr, width, height, nullptr, bytes);
            auto arrays = published::sums<In, Out>(size, true);
            arrays.scratch = bytes / sizeof(Out) + 1;
            arrays.start = [=](const std::vector<const In *> &in, Out *out, Out *scratch) {
                size_t given = bytes;
                sum_rows(in[0], out, width, height, (void *)scratch, given);
            };
            return arrays;
        });
}

}  // namespace

std::vector<Kernel> cub_peers() {
    return {
        row_sum<uint8_t, uint32_t>("u8"), row_sum<uint16_t, uint32_t>("u16"), row_sum<float, float>("f32")};
}

}  // namespace peers
