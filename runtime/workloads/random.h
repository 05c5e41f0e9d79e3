#pragma once
// Pseudo-random data for samples: the same at every call. Not installed.
#include "tilewright/array.h"
#include <cstdint>

namespace tilewright {

// Fills an array: integers of all values, floats in [-1, 1), both parts of c64 and c128 in [-1, 1). A
// benchmark's data must not take longer than the benchmark, so the generator is xorshift (Marsaglia,
// "Xorshift RNGs", 2003).
void fill_random(Array &array, uint64_t seed = 0);

// Fills an array with random bytes, whatever its type: floats with NaNs and infinities among them.
void fill_random_bytes(Array &array, uint64_t seed = 0);

// A new array of that type and shape, filled by fill_random().
Array random_array(Type type, const std::vector<int64_t> &shape, uint64_t seed = 0);

}  // namespace tilewright
