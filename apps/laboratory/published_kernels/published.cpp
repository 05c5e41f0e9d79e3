// The entry of the shared object of published kernels and CUB.
#include "apps/laboratory/published_kernels/published.h"

extern "C" void tilewright_add_peers(
    const peers::PeerProblem &problem, std::vector<peers::LibraryPeer> &all) {
    using namespace peers;
    for (AddKernels *const add : {add_column_sums, add_row_sums, add_transposes, add_products,
             add_min_plus_convolutions, add_recursive_gaussians, add_cub_peers}) {
        add(problem, all);
    }
}
