// FFTW on the CPU: two-dimensional transforms by measured plans.
#include "apps/laboratory/peer_libraries/peer_library.h"
#include <array>
#include <fftw3.h>
#include <map>
#include <memory>
#include <thread>

namespace peers {

namespace {

int threads() {
    static const int count = [] {
        const int all = (int)std::max(1u, std::thread::hardware_concurrency());
        fftwf_init_threads();
        fftwf_plan_with_nthreads(all);
        return all;
    }();
    return count;
}

// Memory for measuring a plan, which writes to it.
using Scratch = std::unique_ptr<fftwf_complex, decltype(&fftwf_free)>;
Scratch scratch(int64_t elements) {
    return {fftwf_alloc_complex((size_t)elements), &fftwf_free};
}

// The plan for arrays of this shape, measured once. It also serves arrays of any alignment where one of those
// that are asked for has another one than FFTW's own memory.
fftwf_plan plan_for(const PeerArray &in, const PeerArray &out) {
    const auto is_aligned = [](const PeerArray &array) {
        return fftwf_alignment_of((float *)array.data) == 0;
    };
    const int element = sizeof(fftwf_complex);
    const std::array<int, 2> sides = {(int)in.height, (int)in.width},
                             in_sides = {(int)in.height, (int)(in.pitch / element)},
                             out_sides = {(int)out.height, (int)(out.pitch / element)};
    const unsigned flags = is_aligned(in) && is_aligned(out) ? 0 : FFTW_UNALIGNED;
    static std::map<std::array<int64_t, 5>, fftwf_plan> plans;
    fftwf_plan &plan = plans[{in.height, in.width, in.pitch, out.pitch, (int64_t)flags}];
    if (!plan) {
        const Scratch from = scratch(in.height * in_sides[1]), to = scratch(out.height * out_sides[1]);
        plan = fftwf_plan_many_dft(2, sides.data(), 1, from.get(), in_sides.data(), 1, 0, to.get(),
            out_sides.data(), 1, 0, FFTW_FORWARD, FFTW_MEASURE | flags);
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
    peers.push_back({"FFTW (measured plan), " + peers::in_threads(peers::threads()), 0,
        [](const std::vector<peers::PeerArray> &in, const peers::PeerArray &out) {
            fftwf_execute_dft(
                peers::plan_for(in[0], out), (fftwf_complex *)in[0].data, (fftwf_complex *)out.data);
        }});
}
