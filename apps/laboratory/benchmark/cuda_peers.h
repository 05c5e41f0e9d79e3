#pragma once
// Peers on CUDA, which the program of apps/laboratory/cuda_peers times and verifies.
#include "apps/tilewright/command_line/variant_options.h"
#include "apps/tilewright/timing/measure.h"
#include "tilewright/device.h"
#include <string>
#include <vector>

namespace tilewright::app {

constexpr const char *cuda_peers_program = "cuda_peers";

struct CudaPeer {
    std::string name;    // "cuBLAS sgemm"
    std::string failed;  // not empty: it ended in this error
    Measured measured;   // batches alone
    std::string verified_by, wrong;
};

// The peers of an operator on exactly this data ("u8 8192x8192", as `bench` names it); none where the program
// is not there. Errors: failed, with what the program says.
std::vector<CudaPeer> cuda_peers(
    const std::string &op, const std::string &data, DataSize size, Device device, const Plan &plan);

}  // namespace tilewright::app
