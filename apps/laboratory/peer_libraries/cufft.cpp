// cuFFT: the two-dimensional transform of complex f32, forward.
#include "apps/laboratory/peer_libraries/on_cuda.h"
#include <array>
#include <cufft.h>

namespace peers {

namespace {

// The plan of the arrays before is freed, because plans have much memory.
cufftHandle plan_for(const PeerArray &in, const PeerArray &out) {
    static cufftHandle plan = 0;
    static std::array<int, 4> made = {};
    const int width = (int)in.width, from = (int)(in.pitch / (int64_t)sizeof(cufftComplex)),
              to = (int)(out.pitch / (int64_t)sizeof(cufftComplex));
    if (const std::array<int, 4> wanted = {(int)in.height, width, from, to}; made != wanted) {
        if (made[0] > 0) {
            cufftDestroy(plan);
        }
        made = {};
        int sides[] = {wanted[0], width}, in_sides[] = {wanted[0], from}, out_sides[] = {wanted[0], to};
        const bool has_gaps = from != width || to != width;
        check(cufftPlanMany(&plan, 2, sides, has_gaps ? in_sides : nullptr, 1, 0,
                  has_gaps ? out_sides : nullptr, 1, 0, CUFFT_C2C, 1),
            "cufftPlanMany");
        made = wanted;
    }
    return plan;
}

}  // namespace

}  // namespace peers

extern "C" void tilewright_add_peers(
    const peers::PeerProblem &problem, std::vector<peers::LibraryPeer> &peers) {
    if (!problem.is_forward_transform()) {
        return;
    }
    peers.push_back(
        {"cuFFT C2C", 0, [](const std::vector<peers::PeerArray> &in, const peers::PeerArray &out) {
             peers::check_most(in[0], 27);
             peers::check(cufftExecC2C(peers::plan_for(in[0], out), (cufftComplex *)in[0].data,
                              (cufftComplex *)out.data, CUFFT_FORWARD),
                 "cufftExecC2C");
         }});
}
