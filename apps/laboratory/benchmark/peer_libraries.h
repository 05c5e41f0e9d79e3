#pragma once
// Peers that the shared objects of apps/laboratory/peer_libraries have: on the CPU OpenCV and FFTW, on GPUs
// VkFFT, and on CUDA published kernels, CUB, cuBLAS, cuFFT, NPP and CUTLASS.
#include "apps/laboratory/benchmark/peers.h"

namespace tilewright::app {

// The peers of an operator, a type and settings on a device; none where no shared object was built.
std::vector<Peer> library_peers(
    const Operator &op, const std::string &type, const Settings &settings, Device device);

// The libraries of a backend that are not there, and why, as sentences.
std::vector<std::string> missing_libraries(Backend backend);

}  // namespace tilewright::app
