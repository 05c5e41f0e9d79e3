// The entry of the shared object of peers on the CPU.
#include "apps/laboratory/peer_libraries/peer_library.h"

extern "C" void tilewright_add_peers(
    const peers::PeerProblem &problem, std::vector<peers::LibraryPeer> &all) {
#ifdef TILEWRIGHT_OPENCV
    peers::add_opencv_peers(problem, all);
#endif
#ifdef TILEWRIGHT_FFTW
    peers::add_fftw_peers(problem, all);
#endif
}
