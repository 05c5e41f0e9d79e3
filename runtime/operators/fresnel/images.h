#pragma once
// Between the images that a caller has and the complex fields that the libraries take. Not installed.
#include "tilewright/array.h"
#include <optional>
#include <span>

namespace tilewright {

// The complex field (side, side), dense, with the inputs in its middle and zeros around them: a field c64, or an amplitude u8, u16 or f32
// and, where there are two inputs, its phase. Full scale of integers is amplitude 1 and phase 2 pi.
Array field_of(std::span<const Array> inputs, int64_t side);

// The middle of a field into `output`: as it is (c64), its intensity (f32), or its intensity times what brings `white` to full
// scale (u8, u16); without `white`, that is the largest intensity of the middle.
void write_middle(const Array &field, Array &output, std::optional<double> white);

}  // namespace tilewright
