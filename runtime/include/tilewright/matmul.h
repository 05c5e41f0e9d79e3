#pragma once
#include "tilewright/operator.h"

namespace tilewright {

// The product of two matrices: output = a b, output(y, x) = sum over k of a(y, k) b(k, x), for a of shape (M,
// K), b of (K, N) and an output of (M, N), all f32. Any size from 1 up and any row stride; views and crops
// are taken in place where the device can address them. Bytes between the rows of the output are left alone.
// The output is made if it is empty.
//
// Equality class B: each element is within 2 K 2^-24 (|a| |b|) of the exact sum, whatever the order in which
// a schedule adds. NaN and infinity are carried as IEEE arithmetic does; on CUDA denormals count as 0.
// Errors: input, where a or b is not an f32 matrix, where the columns of a are not as many as the rows of b
// (the message names both shapes), for an output of the wrong type or shape, and for a matrix that spans more
// than 2047 MiB; usage, where the output shares memory with an input, and for an unknown schedule; device and
// memory as every operator.
//
// `direct` and `shared` are the two kernels of the CUDA programming guide's matrix product; `tuned` on the
// CPU follows Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication" (2008).
void matmul(const Array &a, const Array &b, Array &output, const Call &call = {});

inline Array matmul(const Array &a, const Array &b, const Call &call = {}) {
    Array output;
    matmul(a, b, output, call);
    return output;
}

const Operator &matmul_operator();

}  // namespace tilewright
