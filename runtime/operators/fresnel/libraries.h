#pragma once
// Which libraries propagate a field, and what they are given. Not installed.
#include "runtime/dispatch/plan.h"
#include "runtime/operators/fresnel/optics.h"

namespace tilewright {

// Whether `row` is one of those that propagate a field of this side by this method. A row that is no pass
// serves all: it is combined with passes.
bool serves_propagation(const Row &row, const Propagation &propagation);

// Adds what propagates `field` (c64, of the propagation's side) into `output`: the library of the row, and
// those that its family combines it with.
void add_propagation(Plan &plan, const Row &row, Device device, const Propagation &propagation,
    const Array &field, Array &output);

}  // namespace tilewright
