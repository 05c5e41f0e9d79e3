#pragma once
// Which libraries make a propagation, and what they are given. Not installed.
#include "runtime/operators/fresnel/optics.h"
#include "tilewright/operator.h"

namespace tilewright {

// Whether `row` is one of those that carry a field by this method, of this side.
bool serves_propagation(const Row &row, const Propagation &propagation);

// Carries `field` (c64, of the propagation's side) into `output` by the row and those of its family that go with it.
void propagate(const Row &row, Device device, const Propagation &propagation, const Array &field, Array &output);

}  // namespace tilewright
