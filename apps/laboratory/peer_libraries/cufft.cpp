// cuFFT: two-dimensional transforms, forward, of complex numbers and of real values, f32 and f64.
#include "apps/laboratory/peer_libraries/on_cuda.h"
#include <array>
#include <cufft.h>

namespace peers {

namespace {

// The transform of complex numbers or of real values.
cufftType type_of(const PeerProblem &problem) {
    return problem.type == "c128" ? (problem.half ? CUFFT_D2Z : CUFFT_Z2Z) :
                                    (problem.half ? CUFFT_R2C : CUFFT_C2C);
}

const char *name_of(cufftType type) {
    switch (type) {
    case CUFFT_R2C: return "cuFFT R2C";
    case CUFFT_D2Z: return "cuFFT D2Z";
    case CUFFT_Z2Z: return "cuFFT Z2Z";
    default: return "cuFFT C2C";
    }
}

// The plan of the arrays before is freed, because plans have much memory.
cufftHandle plan_for(cufftType type, const PeerArray &in, const PeerArray &out) {
    static cufftHandle plan = 0;
    static std::array<int, 5> made = {};
    const bool real = type == CUFFT_R2C || type == CUFFT_D2Z, twice = type == CUFFT_Z2Z || type == CUFFT_D2Z;
    const int64_t complex = twice ? sizeof(cufftDoubleComplex) : sizeof(cufftComplex);
    const int width = (int)in.width, results = real ? width / 2 + 1 : width,
              from = (int)(in.pitch / (real ? complex / 2 : complex)), to = (int)(out.pitch / complex);
    if (const std::array<int, 5> wanted = {(int)in.height, width, from, to, (int)type}; made != wanted) {
        if (made[0] > 0) {
            cufftDestroy(plan);
        }
        made = {};
        int sides[] = {wanted[0], width}, in_sides[] = {wanted[0], from}, out_sides[] = {wanted[0], to};
        const bool has_gaps = from != width || to != results;
        check(cufftPlanMany(&plan, 2, sides, has_gaps ? in_sides : nullptr, 1, 0,
                  has_gaps ? out_sides : nullptr, 1, 0, type, 1),
            "cufftPlanMany");
        made = wanted;
    }
    return plan;
}

cufftResult start(cufftType type, cufftHandle plan, void *in, void *out) {
    switch (type) {
    case CUFFT_R2C: return cufftExecR2C(plan, (cufftReal *)in, (cufftComplex *)out);
    case CUFFT_D2Z: return cufftExecD2Z(plan, (cufftDoubleReal *)in, (cufftDoubleComplex *)out);
    case CUFFT_Z2Z:
        return cufftExecZ2Z(plan, (cufftDoubleComplex *)in, (cufftDoubleComplex *)out, CUFFT_FORWARD);
    default: return cufftExecC2C(plan, (cufftComplex *)in, (cufftComplex *)out, CUFFT_FORWARD);
    }
}

}  // namespace

}  // namespace peers

extern "C" void tilewright_add_peers(
    const peers::PeerProblem &problem, std::vector<peers::LibraryPeer> &peers) {
    if (problem.op != "fft2d" || problem.direction != "forward") {
        return;
    }
    const cufftType type = peers::type_of(problem);
    peers.push_back({peers::name_of(type), 0,
        [type](const std::vector<peers::PeerArray> &in, const peers::PeerArray &out) {
            peers::check_most(in[0], 28);
            peers::check(
                peers::start(type, peers::plan_for(type, in[0], out), in[0].data, out.data), "cufftExec");
        }});
}
