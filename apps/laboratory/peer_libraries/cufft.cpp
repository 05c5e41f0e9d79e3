// cuFFT: two-dimensional transforms of complex numbers of f32 and f64, forward.
#include "apps/laboratory/peer_libraries/on_cuda.h"
#include <array>
#include <cufft.h>

namespace peers {

namespace {

// The plan of the arrays before is freed, because plans have much memory.
cufftHandle plan_for(cufftType type, const PeerArray &in, const PeerArray &out) {
    static cufftHandle plan = 0;
    static std::array<int, 5> made = {};
    const int64_t bytes = type == CUFFT_Z2Z ? sizeof(cufftDoubleComplex) : sizeof(cufftComplex);
    const int width = (int)in.width, from = (int)(in.pitch / bytes), to = (int)(out.pitch / bytes);
    if (const std::array<int, 5> wanted = {(int)in.height, width, from, to, (int)type}; made != wanted) {
        if (made[0] > 0) {
            cufftDestroy(plan);
        }
        made = {};
        int sides[] = {wanted[0], width}, in_sides[] = {wanted[0], from}, out_sides[] = {wanted[0], to};
        const bool has_gaps = from != width || to != width;
        check(cufftPlanMany(&plan, 2, sides, has_gaps ? in_sides : nullptr, 1, 0,
                  has_gaps ? out_sides : nullptr, 1, 0, type, 1),
            "cufftPlanMany");
        made = wanted;
    }
    return plan;
}

cufftResult start(cufftType type, cufftHandle plan, void *in, void *out) {
    return type == CUFFT_Z2Z ?
               cufftExecZ2Z(plan, (cufftDoubleComplex *)in, (cufftDoubleComplex *)out, CUFFT_FORWARD) :
               cufftExecC2C(plan, (cufftComplex *)in, (cufftComplex *)out, CUFFT_FORWARD);
}

}  // namespace

}  // namespace peers

extern "C" void tilewright_add_peers(
    const peers::PeerProblem &problem, std::vector<peers::LibraryPeer> &peers) {
    if (problem.op != "fft2d" || problem.direction != "forward" || problem.half) {
        return;
    }
    const bool twice = problem.type == "c128";
    const cufftType type = twice ? CUFFT_Z2Z : CUFFT_C2C;
    peers.push_back({twice ? "cuFFT Z2Z" : "cuFFT C2C", 0,
        [type](const std::vector<peers::PeerArray> &in, const peers::PeerArray &out) {
            peers::check_most(in[0], 27);
            peers::check(
                peers::start(type, peers::plan_for(type, in[0], out), in[0].data, out.data), "cufftExec");
        }});
}
