#pragma once
// Peers on the CPU that the shared object of apps/laboratory/cuda_peers has: OpenCV and FFTW.
#include "apps/laboratory/benchmark/peers.h"

namespace tilewright::app {

// The peers of an operator, a type and settings; none where the shared object was not built.
std::vector<Peer> host_peers(const Operator &op, const std::string &type, const Settings &settings);

// Why there are none; empty where the shared object is there.
std::string why_no_host_peers();

}  // namespace tilewright::app
