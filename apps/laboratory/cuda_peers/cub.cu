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
    const auto prepare = [](Size size) -> std::unique_ptr<published::Problem> {
        const int width = (int)size.width, height = (int)size.height;
        size_t bytes = 0;
        sum_rows<In, Out>(nullptr, nullptr, width, height, nullptr, bytes);
        Arrays<In, Out> arrays;
        const bool real = std::is_floating_point_v<In>;
        arrays.inputs = {random_values<In>((size_t)width * height, 0, real ? 1 : 255, 1)};
        arrays.outputs = (size_t)height;
        arrays.scratch = bytes / sizeof(Out) + 1;
        arrays.before = (Out)-1;
        arrays.operations = width;
        arrays.start = [=](const std::vector<const In *> &in, Out *out, Out *scratch) {
            size_t given = bytes;
            sum_rows(in[0], out, width, height, (void *)scratch, given);
        };
        arrays.expected = [=](const std::vector<std::vector<In>> &in, size_t y) {
            double sum = 0;
            for (size_t x = 0; x < (size_t)width; x++) {
                sum += in[0][y * width + x];
            }
            return Expected{sum, real ? width * 0x1p-24 * sum : 0};
        };
        return std::make_unique<ArrayProblem<In, Out>>(std::move(arrays));
    };
    return {"row_sum", "CUB segmented reduce", type, {{8192, 8192}}, "up to 2^31 elements",
        [](Size size) { return size.width * size.height < 1LL << 31; },
        [type = std::string(type)](Size size) { return type + " " + text_of(size); }, prepare};
}

}  // namespace

std::vector<Kernel> cub_peers() {
    return {
        row_sum<uint8_t, uint32_t>("u8"), row_sum<uint16_t, uint32_t>("u16"), row_sum<float, float>("f32")};
}

}  // namespace peers
