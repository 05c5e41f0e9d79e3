#pragma once
// The forms of gaussian_blur with a fixed radius (gaussian_blur_window...): their weights are numbers in
// place of an array, and u8 images are rows of words. Not installed.
#include "runtime/dispatch/launch.h"
#include "runtime/operators/gaussian_blur/request.h"

namespace tilewright {

bool is_window(const Row &row);

// Whether a row of these forms can run on these arguments.
bool window_accepts(const Row &row, const GaussianBlurRequest &request, const Array &output);

// Adds the arguments of such a row's library.
void bind_window(Launch &launch, const Row &row, const GaussianBlurRequest &request, Array &output);

}  // namespace tilewright
