#pragma once
// Published kernels: those of the publications whose steps the schedules show (docs/steps/), written anew in
// CUDA. They share no code with the operators' libraries, which are compared with them.
#include "apps/laboratory/peer_libraries/on_cuda.h"

namespace peers {

inline unsigned blocks_for(int64_t work, int64_t per_block) {
    return (unsigned)((work + per_block - 1) / per_block);
}

// `step`: the variant of the operator that shows the same step.
inline void add_kernel(std::vector<LibraryPeer> &peers, const char *step, const Run &start, double off = 0) {
    peers.push_back({std::string("published kernel, ") + step, off,
        [start](const std::vector<PeerArray> &in, const PeerArray &out) {
            start(in, out);
            check(cudaGetLastError(), "launch");
        }});
}

// Adds the kernels that compute the problem.
using AddKernels = void(const PeerProblem &problem, std::vector<LibraryPeer> &peers);
AddKernels add_column_sums, add_row_sums, add_transposes, add_products, add_min_plus_convolutions,
    add_recursive_gaussians, add_cub_peers;

}  // namespace peers
