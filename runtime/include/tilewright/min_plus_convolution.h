#pragma once
#include "tilewright/array.h"
#include "tilewright/operator.h"
#include <optional>
#pragma GCC visibility push(default)

namespace tilewright {

// The min-plus convolution of two vectors, a of n elements and b of m, both f64, f32 or i32:
//
//     c[k] = min over i of a[i] + b[k - i],      k = 0 ... n + m - 2,  0 <= i < n,  0 <= k - i < m
//
// What combines two cost curves, and what dilates a row by a structuring function (with b a parabola: its
// distance transform). `length` gives the first entries only, 1 to n + m - 1 of them; c must have that
// length, and is made if it is empty. Lengths 1 and very different lengths are fine, and which of the two is
// the first does not matter. A length of n + m is taken too, as the published programs have it: the last
// entry has no sum, so it is 'absent' (+infinity; for i32 the greatest number), or keeps its value in the
// accumulating form. The host writes it, for which c is copied to the host.
//
// Values. +infinity stands for 'absent': an entry all of whose sums have an absent element is +infinity. NaN,
// -infinity (whose sum with an absent element is none) and i32 values outside [-2^28, 2^28] are refused, with
// index and value; that is one pass on the host over a and b, so vectors that only a device has are copied to
// the host first (a call through Operator::run(), as benchmarks make it, is not checked). -0 counts as 0, and
// c has no -0. A sum that is too large becomes +-infinity, as IEEE arithmetic has it.
//
// Equality class E: the same bytes on every device, with every schedule. On CUDA, f32 denormals count as 0,
// in a, b and sums, so that there it is the bytes of the other devices only for sums that are 0 or at least
// 2^-126 in size.
//
// Errors: input, for vectors of other types or shapes and for the values above; usage, for a length that is
// out of range (the message has the range), and for an output that shares memory with an input; device and
// memory as every operator. `registers` and `pruned` serve vectors that together take less than about 1 GiB.
// Where the output takes more than 2047 MiB, which no library addresses, a call computes one part of it after
// another; the shorter vector then takes at most half of that.
//
// Which variants there are: `direct` (least sums in global memory) and `shared` (in shared memory) follow the
// two published kernels for this problem, which read one element past the end of a (not of b) and leave out
// a[0]; `branchless` has a minimum in place of their branch; `registers` keeps a tile of outputs in
// registers; `pruned` leaves out what cannot be the least, by bounds on blocks of a and windows of b
// (generators/algorithms/min_plus_convolution/pruned.h has the argument why it is exact), and goes on with
// all sums where a first pass shows that it would not pay; `pruned_always` does not. `tuned` takes `pruned`
// from some size on. The time then depends on the data, the result does not.
void min_plus_convolution(
    const Array &a, const Array &b, Array &c, std::optional<int64_t> length = {}, const Call &call = {});

// The same, with the output returned.
inline Array min_plus_convolution(
    const Array &a, const Array &b, std::optional<int64_t> length = {}, const Call &call = {}) {
    Array c;
    min_plus_convolution(a, b, c, length, call);
    return c;
}

// The accumulating form: c[k] = min(accumulated[k], min over i of a[i] + b[k - i]). `accumulated` has c's
// type and length, and memory of its own; -0 in it counts as 0 too, and NaN is refused. On the command line:
// --accumulate FILE.
void min_plus_convolution(const Array &a, const Array &b, const Array &accumulated, Array &c,
    std::optional<int64_t> length = {}, const Call &call = {});

// The operator, for what is asked of every operator alike (operator.h).
const Operator &min_plus_convolution_operator();

}  // namespace tilewright
#pragma GCC visibility pop
