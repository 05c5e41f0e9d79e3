#pragma once
#include "tilewright/operator.h"
#pragma GCC visibility push(default)

namespace tilewright {

// The product of two matrices: output = a b, output(y, x) = sum over k of a(y, k) b(k, x), for a of shape (M,
// K), b of (K, N), both f32, both f64, both f16 or both bf16, and an output of (M, N). The output is f64 of
// f64, and f32 of the others: 16 bits do not hold the sums of 16-bit floats, and who needs less rounds it.
// Any size from 1 up and any row stride; views and crops are taken in place where the device can address
// them. Bytes between the rows of the output are left alone. The output is made if it is empty.
//
// Equality class B: each element is within 2 K 2^-24 (|a| |b|) of the exact sum, and of f64 within 2 K 2^-53
// (|a| |b|), whatever the order in which a schedule adds. NaN and infinity are carried as IEEE arithmetic
// does; on CUDA denormal f32 and bf16 may count as 0.
//
// Within f32's range, products of 16-bit floats are exact, and only sums are rounded. For them `tuned` takes
// `tuned_tensor` on NVIDIA GPUs of compute capability 9.0 (H100, H200): their tensor cores, for every K. In
// the bound a denormal f16 number counts as 2^-14 there, because they do not normalize it before they add.
//
// Of f32 the schedule `tensor`, which `tuned` may take, computes on the tensor cores of NVIDIA GPUs of
// compute capability 9.0 (H100, H200), and small products from 8.0 on, from K = 64 on. An element of a and
// one of b are two numbers of TF32 each, and three of the four products of these are summed. The bound is the
// same, and the errors of sums from about 150 products on are smaller than with f32 arithmetic; but a product
// alone is less exact than f32, so that a product with the identity does not give the bytes of the other
// matrix. Elements of the output whose row of a or column of b has NaN, infinity, a number from 2^-126 to
// 2^-100 or one above 2^128 - 2^116 are computed by f32 arithmetic, at about a tenth of its usual rate. The
// same call gives the same bytes each time. Large products by CUDA take `tensor_halves`, from K = 128 on:
// each row of a and column of b is scaled by a power of two, and an element is two numbers of f16, of whose
// four products three are summed. There, elements of the output that are not finite are computed by f32
// arithmetic, and so are those below 2^-23 of the product of the largest magnitudes of their row and column,
// where that row or column has a number below 2^-26 of its largest one. For f32 arithmetic alone, name
// another schedule: `tuned_large` takes K up to 2,097,120.
//
// Errors: input, where a or b is no such matrix, where their types differ, where the columns of a are not as
// many as the rows of b (the message names both shapes), for a row of a or a column of b of more than 2047
// MiB, and for an output of the wrong type or shape; usage, where the output shares memory with an input, and
// for an unknown schedule; device and memory as every operator. Of matrices that span more than 2047 MiB,
// which a library does not address at once, parts are computed one after another: rows of a and of the
// output, and columns of b, which are copied.
//
// `direct` and `shared` are the two kernels of the CUDA programming guide's matrix product; `tuned` on the
// CPU follows Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication" (2008).
void matmul(const Array &a, const Array &b, Array &output, const Call &call = {});

// The same, with the output returned.
inline Array matmul(const Array &a, const Array &b, const Call &call = {}) {
    Array output;
    matmul(a, b, output, call);
    return output;
}

// The operator, for what is asked of every operator alike (operator.h).
const Operator &matmul_operator();

}  // namespace tilewright
#pragma GCC visibility pop
