#pragma once
#include "tilewright/alpha.h"
#include "tilewright/array.h"
#include "tilewright/operator.h"

namespace tilewright {

Array recursive_gaussian(const Array &image, double sigma, const Call &call = {});

// The same into an array that exists, which may be a view or a crop but must not share memory with the image.
void recursive_gaussian(const Array &image, Array &output, double sigma, const Call &call = {});

const Operator &recursive_gaussian_operator();

}  // namespace tilewright
