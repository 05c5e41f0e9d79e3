// CUB: the sums of rows as a segmented reduction.
#include "apps/laboratory/published_kernels/published.h"
#include <cub/device/device_segmented_reduce.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace peers {

namespace {

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
void sum_rows(const std::vector<PeerArray> &in, const PeerArray &out) {
    check_most(in[0], 31);
    const auto begins =
        thrust::make_transform_iterator(thrust::counting_iterator<int>(0), RowBegin{(int)in[0].width});
    const auto values = thrust::make_transform_iterator(elements<const In>(in[0]), As<Out>{});
    const auto sum = [&](void *memory, size_t &bytes) {
        check(cub::DeviceSegmentedReduce::Sum(
                  memory, bytes, values, elements<Out>(out), (int)in[0].height, begins, begins + 1),
            "cub::DeviceSegmentedReduce");
    };
    size_t bytes = 0;
    sum(nullptr, bytes);
    sum(scratch((int64_t)bytes + 1), bytes);
}

}  // namespace

void add_cub_peers(const PeerProblem &problem, std::vector<LibraryPeer> &peers) {
    const std::string &type = problem.type;
    if (problem.op == "row_sum" && (type == "u8" || type == "u16" || type == "f32")) {
        peers.push_back({"CUB segmented reduce", 0,
            type == "u8"  ? sum_rows<uint8_t, uint32_t> :
            type == "u16" ? sum_rows<uint16_t, uint32_t> :
                            sum_rows<float, float>});
    }
}

}  // namespace peers
