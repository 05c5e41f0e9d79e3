#pragma once
#include "tilewright/operator.h"
#pragma GCC visibility push(default)

namespace tilewright {

// The transpose of an image or matrix: output(x, y) = input(y, x), so that (h, w) becomes (w, h), and (h, w,
// c) becomes (w, h, c).
//
// Takes elements of any type in pixels of 1, 2, 3, 4, 6 or 8 bytes, or of 12, 16, 20, 24, 28 or 32, channels
// included: images of all types with 1 to 4 channels, and matrices. A matrix of complex numbers of two f64 is
// an f64 array (h, w, 2). Elements are moved as bits, so NaNs keep their payload. Any size, row stride and
// alignment; bytes between the rows of the output are left alone. The output is made if it is empty.
//
// Equality class E: the same bytes from every schedule on every device.
// Errors: input, for other types and shapes and for an output of the wrong shape; usage, where the output
// shares memory with the input, and for an unknown schedule; device and memory as every operator.
//
// The steps `direct`, `shared`, `padded` and `diagonal` follow Ruetsch and Micikevicius, "Optimizing Matrix
// Transpose in CUDA" (2009); docs/steps/transposes_and_reductions.md explains them.
void transpose(const Array &input, Array &output, const Call &call = {});

// The same, with the output returned.
inline Array transpose(const Array &input, const Call &call = {}) {
    Array output;
    transpose(input, output, call);
    return output;
}

// The operator, for what is asked of every operator alike (operator.h).
const Operator &transpose_operator();

}  // namespace tilewright
#pragma GCC visibility pop
