#pragma once
// Peers on CUDA: functions of the toolkit's libraries, each with its data. They are timed and verified as the
// published kernels are.
#include "apps/laboratory/published_kernels/problem.h"

namespace peers {

using published::Arrays;
using published::Expected;
using published::Failure;
using published::Fault;
using published::Kernel;
using published::kernel_of;
using published::random_values;
using published::Size;
using published::text_of;

// What the libraries with indices of 32 bits serve.
constexpr const char *most_31 = "up to 2^31 elements";
inline bool serves_31(Size size) {
    return size.width * size.height < 1LL << 31;
}

// The functions of a library as peers. Where the library is not on this machine: none, and a sentence that
// says so is added to `missing`.
std::vector<Kernel> cublas_peers(std::vector<std::string> &missing);
std::vector<Kernel> cufft_peers(std::vector<std::string> &missing);
std::vector<Kernel> npp_peers(std::vector<std::string> &missing);
std::vector<Kernel> cub_peers();

}  // namespace peers
