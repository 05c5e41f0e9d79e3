// NPP: transposes, and Gaussian blurs with the border nearest, the only one that it has. Their weights are
// those of gaussian_blur. nppiFilterGaussBorder is not here: it has weights of its own for at most 15 x 15
// pixels.
#include "apps/laboratory/peer_libraries/on_cuda.h"
#include <cmath>
#include <memory>
#include <npp.h>
#include <optional>

namespace peers {

namespace {

// What each call must be told of the device.
NppStreamContext context() {
    NppStreamContext about{};
    check(cudaGetDevice(&about.nCudaDeviceId), "the device");
    cudaDeviceProp device{};
    check(cudaGetDeviceProperties(&device, about.nCudaDeviceId), "properties of the device");
    about.nMultiProcessorCount = device.multiProcessorCount;
    about.nMaxThreadsPerMultiProcessor = device.maxThreadsPerMultiProcessor;
    about.nMaxThreadsPerBlock = device.maxThreadsPerBlock;
    about.nSharedMemPerBlock = device.sharedMemPerBlock;
    about.nCudaDevAttrComputeCapabilityMajor = device.major;
    about.nCudaDevAttrComputeCapabilityMinor = device.minor;
    return about;
}

NppiSize size_of(const PeerArray &image) {
    check_most(image, 29);
    return {(int)image.width, (int)image.height};
}

const NppStreamContext &device() {
    static const NppStreamContext one = context();
    return one;
}

template<class T, auto function>
void transpose(const std::vector<PeerArray> &in, const PeerArray &out) {
    check(function((const T *)in[0].data, (int)in[0].pitch, (T *)out.data, (int)out.pitch, size_of(in[0]),
              device()),
        "NPP Transpose");
}

// The weights on the device; they stay there.
struct Weights {
    explicit Weights(double sigma) {
        const int radius = (int)std::floor(4 * sigma + .5);
        std::vector<float> all;
        double sum = 0;
        const auto weight = [&](int i) { return std::exp(-.5 * (i / sigma) * (i / sigma)); };
        for (int i = -radius; i <= radius; i++) {
            sum += weight(i);
        }
        for (int i = -radius; i <= radius; i++) {
            all.push_back((float)(weight(i) / sum));
        }
        taps = (int)all.size();
        check(cudaMalloc((void **)&data, all.size() * sizeof(float)), "weights");
        check(cudaMemcpy(data, all.data(), all.size() * sizeof(float), cudaMemcpyHostToDevice), "weights");
    }

    float *data = nullptr;
    int taps = 0;
};

// Calls get the weights, which the first one makes.
template<class Call>
Run with_weights(double sigma, Call call) {
    const auto weights = std::make_shared<std::optional<Weights>>();
    return [=](const std::vector<PeerArray> &in, const PeerArray &out) {
        if (!*weights) {
            weights->emplace(sigma);
        }
        call(in[0], out, **weights);
    };
}

template<class T, auto at_once, auto along_rows, auto along_columns>
void add_blurs(const PeerProblem &problem, std::vector<LibraryPeer> &peers) {
    // Bytes are rounded, or cut off, in each of two passes.
    const double off = sizeof(T) == 1 ? 2 : 0;
    const auto one = [](const PeerArray &in, const PeerArray &out, const Weights &weights) {
        const NppiSize size = size_of(in);
        check(at_once((const T *)in.data, (int)in.pitch, size, {0, 0}, (T *)out.data, (int)out.pitch, size,
                  weights.taps, weights.data, NPP_BORDER_REPLICATE, device()),
            "NPP FilterGaussAdvancedBorder");
    };
    const auto two = [](const PeerArray &in, const PeerArray &out, const Weights &weights) {
        const NppiSize size = size_of(in);
        auto *const between = (T *)scratch(in.pitch * in.height);
        const int pitch = (int)in.pitch, taps = weights.taps;
        check(along_rows((const T *)in.data, pitch, size, {0, 0}, between, pitch, size, weights.data, taps,
                  taps / 2, NPP_BORDER_REPLICATE, device()),
            "NPP FilterRowBorder");
        check(along_columns(between, pitch, size, {0, 0}, (T *)out.data, (int)out.pitch, size, weights.data,
                  taps, taps / 2, NPP_BORDER_REPLICATE, device()),
            "NPP FilterColumnBorder");
    };
    peers.push_back({"NPP FilterGaussAdvancedBorder, border nearest", off, with_weights(problem.sigma, one)});
    peers.push_back({"NPP FilterRowBorder and FilterColumnBorder, border nearest", off,
        with_weights(problem.sigma, two)});
}

void add_transposes(const std::string &type, std::vector<LibraryPeer> &peers) {
    const auto add = [&](const char *of, const Run &run) {
        if (type == of) {
            peers.push_back({"NPP transpose", 0, run});
        }
    };
    add("u8", transpose<Npp8u, nppiTranspose_8u_C1R_Ctx>);
    add("u16", transpose<Npp16u, nppiTranspose_16u_C1R_Ctx>);
    add("f32", transpose<Npp32f, nppiTranspose_32f_C1R_Ctx>);
    add("rgb8", transpose<Npp8u, nppiTranspose_8u_C3R_Ctx>);
}

}  // namespace

}  // namespace peers

extern "C" void tilewright_add_peers(
    const peers::PeerProblem &problem, std::vector<peers::LibraryPeer> &all) {
    using namespace peers;
    if (problem.op == "transpose") {
        add_transposes(problem.type, all);
    } else if (problem.op == "gaussian_blur" && problem.border == "nearest" && problem.type == "u8") {
        add_blurs<Npp8u, nppiFilterGaussAdvancedBorder_8u_C1R_Ctx, nppiFilterRowBorder32f_8u_C1R_Ctx,
            nppiFilterColumnBorder32f_8u_C1R_Ctx>(problem, all);
    } else if (problem.op == "gaussian_blur" && problem.border == "nearest" && problem.type == "f32") {
        add_blurs<Npp32f, nppiFilterGaussAdvancedBorder_32f_C1R_Ctx, nppiFilterRowBorder_32f_C1R_Ctx,
            nppiFilterColumnBorder_32f_C1R_Ctx>(problem, all);
    }
}
