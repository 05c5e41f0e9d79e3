#pragma once
// A number that the generators, the fronts and the workloads of sums share.
#include <cstdint>

namespace tilewright {

// Of so many integers of 1 or 2 bytes u32 holds the sum, whatever their values are: 16 843 009 and 65 537.
constexpr int64_t most_terms(int64_t bytes) {
    return UINT32_MAX / ((int64_t(1) << (8 * bytes)) - 1);
}

}  // namespace tilewright
