// OpenBLAS on the CPU: products of f32 matrices.
#include "apps/laboratory/peer_libraries/peer_library.h"

// Of its own header, which other libraries install too, with fewer functions.
extern "C" {
void cblas_sgemm(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
    const float *a, int a_pitch, const float *b, int b_pitch, float beta, float *c, int c_pitch);
int openblas_get_num_threads();
}

namespace peers {

static void product(const std::vector<PeerArray> &in, const PeerArray &out) {
    constexpr int row_major = 101, as_it_is = 111;
    const auto pitch = [](const PeerArray &array) { return (int)(array.pitch / (int64_t)sizeof(float)); };
    cblas_sgemm(row_major, as_it_is, as_it_is, (int)out.height, (int)out.width, (int)in[0].width, 1,
        (const float *)in[0].data, pitch(in[0]), (const float *)in[1].data, pitch(in[1]), 0,
        (float *)out.data, pitch(out));
}

}  // namespace peers

extern "C" void tilewright_add_peers(
    const peers::PeerProblem &problem, std::vector<peers::LibraryPeer> &peers) {
    if (problem.op == "matmul" && problem.type == "f32") {
        peers.push_back({"OpenBLAS, " + peers::in_threads(openblas_get_num_threads()), 0, peers::product});
    }
}
