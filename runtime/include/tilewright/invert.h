#pragma once
#include "tilewright/alpha.h"
#include "tilewright/operator.h"
#pragma GCC visibility push(default)

namespace tilewright {

// The negative of an image (h, w) or (h, w, c): output = 255 - input for every pixel and channel of u8, and
// 65535 - input of u16. Every channel is treated alike: with_alpha_of() (alpha.h) gives the result the alpha
// of its image. The output is made if it is empty; bytes between its rows are left alone.
//
// Equality class E: the same bytes from every schedule on every device.
// Errors: input, for other types and shapes, for an output of another shape and for rows of more than 2047
// MiB; usage, where the output shares memory with the input, and for an unknown schedule; device
// and memory as every operator.
void invert(const Array &image, Array &output, const Call &call = {});

// The operator, for what is asked of every operator alike (operator.h).
const Operator &invert_operator();

}  // namespace tilewright
#pragma GCC visibility pop
