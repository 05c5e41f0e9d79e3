#pragma once
// Not installed.
#include "tilewright/array.h"

namespace tilewright {

// Writes the elements of `from` into `to`, which has the same shape and type. No device writes to the storage of `to` meanwhile.
void copy(const Array &from, Array &to);

}  // namespace tilewright
