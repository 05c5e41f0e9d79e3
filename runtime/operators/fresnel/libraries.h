#pragma once
// The forms of fresnel: which libraries propagate a field, and what they are given. Not installed.
#include "runtime/operators/fresnel/request.h"
#include <vector>

namespace tilewright {

std::vector<const Form *> fresnel_forms();

}  // namespace tilewright
