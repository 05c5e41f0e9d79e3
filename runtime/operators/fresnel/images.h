#pragma once
// Between complex fields and the images that a caller wants. Not installed.
#include "tilewright/array.h"
#include <optional>

namespace tilewright {

// Writes the middle of a field into `output`: as it is (c64), its intensity (f32), or its intensity times the
// factor that brings `full_scale` to the largest integer (u8, u16). Without `full_scale`, that is the largest
// intensity of the middle.
void write_middle(const Array &field, Array &output, std::optional<double> full_scale);

}  // namespace tilewright
