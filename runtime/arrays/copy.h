#pragma once
// Copies between arrays. Not installed.
#include "tilewright/array.h"

namespace tilewright {

// Writes the elements of `from` into `to`, which has the same shape and type. Meanwhile no device writes to
// the storage of `to`.
void copy(const Array &from, Array &to);

}  // namespace tilewright
