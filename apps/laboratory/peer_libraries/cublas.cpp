// cuBLAS: matrix product, transpose, and sums as products with a vector of ones. All in f32 without tensor
// cores, as most operators compute.
#include "apps/laboratory/peer_libraries/on_cuda.h"
#include <cublas_v2.h>

namespace peers {

namespace {

// Made once, because that takes longer than most calls.
cublasHandle_t handle() {
    static const cublasHandle_t one = [] {
        cublasHandle_t made = nullptr;
        check(cublasCreate(&made), "cublasCreate");
        check(cublasSetMathMode(made, CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");
        return made;
    }();
    return one;
}

float *data(const PeerArray &array) {
    return (float *)array.data;
}

int pitch(const PeerArray &array) {
    return (int)(array.pitch / (int64_t)sizeof(float));
}

constexpr float one = 1, zero = 0;

// cuBLAS has columns one after the other, and we have rows: so it computes the transposed product b^T a^T.
void product(const std::vector<PeerArray> &in, const PeerArray &out) {
    const PeerArray &a = in[0], &b = in[1];
    check(cublasSgemm(handle(), CUBLAS_OP_N, CUBLAS_OP_N, (int)b.width, (int)a.height, (int)a.width, &one,
              data(b), pitch(b), data(a), pitch(a), &zero, data(out), pitch(out)),
        "cublasSgemm");
}

void transpose(const std::vector<PeerArray> &in, const PeerArray &out) {
    check_most(out, 31);
    check(cublasSgeam(handle(), CUBLAS_OP_T, CUBLAS_OP_N, (int)out.width, (int)out.height, &one, data(in[0]),
              pitch(in[0]), &zero, data(out), pitch(out), data(out), pitch(out)),
        "cublasSgeam");
}

const float *ones(int64_t count) {
    static int64_t has = 0;
    auto *const all = (float *)scratch(count * (int64_t)sizeof(float));
    if (count > has) {
        const std::vector<float> values((size_t)count, 1);
        check(cudaMemcpy(all, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice), "ones");
        has = count;
    }
    return all;
}

Run sums(bool of_rows) {
    return [=](const std::vector<PeerArray> &in, const PeerArray &out) {
        const PeerArray &image = in[0];
        check_most(image, 31);
        check(cublasSgemv(handle(), of_rows ? CUBLAS_OP_T : CUBLAS_OP_N, (int)image.width, (int)image.height,
                  &one, data(image), pitch(image), ones(of_rows ? image.width : image.height), 1, &zero,
                  elements<float>(out), 1),
            "cublasSgemv");
    };
}

}  // namespace

}  // namespace peers

extern "C" void tilewright_add_peers(
    const peers::PeerProblem &problem, std::vector<peers::LibraryPeer> &peers) {
    if (problem.type != "f32") {
        return;
    }
    if (problem.op == "matmul") {
        peers.push_back({"cuBLAS sgemm", 0, peers::product});
    } else if (problem.op == "transpose") {
        constexpr double smallest = 0x1p-126;  // its sums keep numbers, but not the bits of each NaN
        peers.push_back({"cuBLAS sgeam", smallest, peers::transpose});
    } else if (problem.op == "row_sum" || problem.op == "column_sum") {
        peers.push_back({"cuBLAS sgemv with ones", 0, peers::sums(problem.op == "row_sum")});
    }
}
