#pragma once
// Between the images that a caller has and the complex fields that the libraries take. Not installed.
#include "tilewright/array.h"
#include <optional>
#include <span>

namespace tilewright {

// Writes the inputs into the middle of a field c64 of zeros. They are a field c64, or an amplitude u8, u16 or
// f32 and, where there are two, its phase. Full scale of integers is amplitude 1 and phase 2 pi.
void write_field(std::span<const Array> inputs, Array &field);

// Writes the middle of a field into `output`: as it is (c64), its intensity (f32), or its intensity times the
// factor that brings `full_scale` to the largest integer (u8, u16). Without `full_scale`, that is the largest
// intensity of the middle.
void write_middle(const Array &field, Array &output, std::optional<double> full_scale);

}  // namespace tilewright
