// CUTLASS: products of f32 matrices as three of TF32, in its form for compute capability 8.0, which has none
// for 9.0; and products of 16-bit floats with sums in f32, by the instructions of 9.0.
#include "apps/laboratory/peer_libraries/peer_library.h"
#include <array>
#include <cutlass/epilogue/collective/collective_builder.hpp>
#include <cutlass/gemm/collective/collective_builder.hpp>
#include <cutlass/gemm/device/gemm.h>
#include <cutlass/gemm/device/gemm_universal_adapter.h>
#include <cutlass/gemm/kernel/gemm_universal.hpp>
#include <cutlass/version.h>
#include <map>
#include <memory>
#include <stdexcept>

namespace peers {

namespace {

namespace gemm = cutlass::gemm;
using cute::_1, cute::_2, cute::_64, cute::_128, cute::_256;
using cutlass::layout::RowMajor;

void check(cutlass::Status status) {
    if (status != cutlass::Status::kSuccess) {
        throw std::runtime_error(std::string("CUTLASS: ") + cutlassGetStatusString(status));
    }
}

template<int rows, int columns, int warp_rows, int warp_columns>
struct ThreeTf32 {
    using Gemm = gemm::device::Gemm<float, RowMajor, float, RowMajor, float, RowMajor, float,
        cutlass::arch::OpClassTensorOp, cutlass::arch::Sm80, gemm::GemmShape<rows, columns, 16>,
        gemm::GemmShape<warp_rows, warp_columns, 16>, gemm::GemmShape<16, 8, 8>,
        cutlass::epilogue::thread::LinearCombination<float, 4, float, float>,
        gemm::threadblock::GemmIdentityThreadblockSwizzle<8>, 4, 4, 4, false,
        cutlass::arch::OpMultiplyAddFastF32>;

    static typename Gemm::Arguments arguments(const PeerArray &a, const PeerArray &b, const PeerArray &c) {
        const auto matrix = [](const PeerArray &array) {
            return cutlass::TensorRef<float, RowMajor>((float *)array.data, RowMajor(array.pitch / 4));
        };
        return {
            {(int)a.height, (int)b.width, (int)a.width}, matrix(a), matrix(b), matrix(c), matrix(c), {1, 0}};
    }
};

template<class In, class Tile, class Cluster, class Schedule, class EpilogueSchedule>
struct Hopper {
    using Sm = cutlass::arch::Sm90;
    using Cores = cutlass::arch::OpClassTensorOp;
    using Epilogue = typename cutlass::epilogue::collective::CollectiveBuilder<Sm, Cores, Tile, Cluster,
        cutlass::epilogue::collective::EpilogueTileAuto, float, float, void, RowMajor, 4, float, RowMajor, 4,
        EpilogueSchedule>::CollectiveOp;
    using Sums =
        typename gemm::collective::CollectiveBuilder<Sm, Cores, In, RowMajor, 8, In, RowMajor, 8, float, Tile,
            Cluster, gemm::collective::StageCountAutoCarveout<(int)sizeof(typename Epilogue::SharedStorage)>,
            Schedule>::CollectiveOp;
    using Gemm = gemm::device::GemmUniversalAdapter<
        gemm::kernel::GemmUniversal<cute::Shape<int, int, int, int>, Sums, Epilogue>>;

    static typename Gemm::Arguments arguments(const PeerArray &a, const PeerArray &b, const PeerArray &c) {
        int device = 0;
        cudaGetDevice(&device);
        typename Gemm::Arguments all{};
        all.problem_shape = {(int)a.height, (int)b.width, (int)a.width, 1};
        all.mainloop.ptr_A = (const In *)a.data;
        all.mainloop.ptr_B = (const In *)b.data;
        cute::get<0>(all.mainloop.dA) = a.pitch / (int64_t)sizeof(In);
        cute::get<1>(all.mainloop.dB) = b.pitch / (int64_t)sizeof(In);
        all.epilogue.ptr_D = (float *)c.data;
        cute::get<0>(all.epilogue.dD) = c.pitch / (int64_t)sizeof(float);
        all.hw_info =
            cutlass::KernelHardwareInfo::make_kernel_hardware_info<typename Gemm::GemmKernel>(device);
        return all;
    }
};

template<class In>
using Pingpong = Hopper<In, cute::Shape<_128, _128, _64>, cute::Shape<_2, _1, _1>,
    gemm::KernelTmaWarpSpecializedPingpong, cutlass::epilogue::TmaWarpSpecialized>;
template<class In>
using Cooperative = Hopper<In, cute::Shape<_128, _256, _64>, cute::Shape<_2, _1, _1>,
    gemm::KernelTmaWarpSpecializedCooperative, cutlass::epilogue::TmaWarpSpecializedCooperative>;
template<class In>
using Small = Hopper<In, cute::Shape<_64, _64, _64>, cute::Shape<_1, _1, _1>, gemm::KernelTmaWarpSpecialized,
    cutlass::epilogue::TmaWarpSpecialized>;

// The kernels are for one compute capability.
inline void check_device() {
    int device = 0, major = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (major != 9) {
        throw std::invalid_argument("CUTLASS was compiled for compute capability 9.0");
    }
}

// What a product is told of its matrices is made once for each set of them.
template<class Product>
LibraryPeer peer(const std::string &tiles) {
    using Gemm = typename Product::Gemm;
    const auto ready = std::make_shared<std::map<std::array<void *, 3>, Gemm>>();
    const std::string version = std::to_string(CUTLASS_MAJOR) + "." + std::to_string(CUTLASS_MINOR);
    return {"CUTLASS " + version + ", tiles of " + tiles, 0,
        [=](const std::vector<PeerArray> &in, const PeerArray &out) {
            const auto [place, is_new] = ready->try_emplace({in[0].data, in[1].data, out.data});
            if (is_new) {
                check_device();
                const auto arguments = Product::arguments(in[0], in[1], out);
                constexpr auto elements = (int64_t)(16 / sizeof(typename Gemm::ElementA));
                if (in[0].width % elements != 0 || in[1].width % elements != 0) {
                    throw std::invalid_argument("CUTLASS takes rows of whole 16 bytes");
                }
                check(Gemm::can_implement(arguments));
                check(place->second.initialize(arguments));
            }
            check(place->second.run());
        }};
}

template<class In>
void add_16_bits(std::vector<LibraryPeer> &peers) {
    peers.push_back(peer<Small<In>>("64 x 64"));
    peers.push_back(peer<Pingpong<In>>("128 x 128"));
    peers.push_back(peer<Cooperative<In>>("128 x 256"));
}

}  // namespace

}  // namespace peers

extern "C" void tilewright_add_peers(
    const peers::PeerProblem &problem, std::vector<peers::LibraryPeer> &peers) {
    if (problem.op == "matmul" && problem.type == "f32") {
        peers.push_back(peers::peer<peers::ThreeTf32<64, 64, 32, 32>>("64 x 64, 3 products of TF32"));
        peers.push_back(peers::peer<peers::ThreeTf32<128, 128, 32, 64>>("128 x 128, 3 products of TF32"));
    } else if (problem.op == "matmul" && problem.type == "f16") {
        peers::add_16_bits<cutlass::half_t>(peers);
    } else if (problem.op == "matmul" && problem.type == "bf16") {
        peers::add_16_bits<cutlass::bfloat16_t>(peers);
    }
}
