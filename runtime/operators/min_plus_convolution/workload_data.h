#pragma once
// Vectors to verify and time a min-plus convolution with.
#include "tilewright/array.h"
#include <string>

namespace tilewright {

// `kind`: uniform, gaussian, walk (a random walk), sorted, falling, convex (and a little noise), few (16
// values: ties), absent (30 %), nothing (all absent), zeros (of either sign), denormals, huge (sums
// overflow). Of i32 what there is of it.
Array min_plus_vector(Type type, int64_t n, const std::string &kind, unsigned seed);

}  // namespace tilewright
