#pragma once
// Copies between arrays. Not installed.
#include "tilewright/array.h"

namespace tilewright {

// Writes the elements of `from` into `to`, which has the same shape and type, on the host, or on the device
// where `to` is another library's memory there. Meanwhile no device writes to the storage of `to`.
void copy(const Array &from, Array &to);

}  // namespace tilewright
