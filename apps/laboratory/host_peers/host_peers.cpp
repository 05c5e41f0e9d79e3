// The entry of the shared object of peers on the CPU.
#include "apps/laboratory/host_peers/host_peers.h"

extern "C" void tilewright_add_host_peers(
    const peers::HostProblem &problem, std::vector<peers::HostPeer> &all) {
#ifdef TILEWRIGHT_OPENCV
    peers::add_opencv_peers(problem, all);
#endif
#ifdef TILEWRIGHT_FFTW
    peers::add_fftw_peers(problem, all);
#endif
}
