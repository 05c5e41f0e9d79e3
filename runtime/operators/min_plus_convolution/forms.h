#pragma once
// The forms of min_plus_convolution. Not installed.
#include "runtime/dispatch/operator_of.h"
#include "runtime/operators/min_plus_convolution/problem.h"
#include <vector>

namespace tilewright {

std::vector<const Form *> min_plus_forms();

}  // namespace tilewright
