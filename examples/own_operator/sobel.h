#pragma once
#include <tilewright/operator.h>

// What programs call.
namespace tilewright {

// The magnitude of Sobel's gradient, min(|gx| + |gy|, 255), of a u8 image (h, w), or of each channel of one
// (h, w, c). Errors: those of every operator (tilewright/operator.h).
void sobel(const Array &image, Array &output, const Call &call = {});

const Operator &sobel_operator();

}  // namespace tilewright
