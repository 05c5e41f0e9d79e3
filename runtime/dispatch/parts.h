#pragma once
// Calls on arrays that are larger than libraries address: they work on one part of the rows after another.
// Not installed.
#include "tilewright/array.h"
#include "tilewright/request.h"
#include <cstdint>
#include <vector>

namespace tilewright {

// An error that the halo of a part may leave, relative to the largest pixel. It is small beside those of the
// operators whose pixels depend on all others.
inline double error_of_parts(const Array &image) {
    return image.type() == Type::f64 ? 0x1p-52 : 0x1p-24;
}

// How many rows of the first input libraries address at once, and rows of as many bytes of an output that is
// an image.
int64_t rows_addressed(const Request &request);

// From row to row of an image of this shape, as Array::uninitialized() makes it; of a vector, from element to
// element.
int64_t pitch_in_bytes(Type type, const std::vector<int64_t> &shape);

// An array of such a layout, for questions about shape and alignment: its elements are never touched.
Array without_memory(Type type, const std::vector<int64_t> &shape);

// An image of several channels as one of all elements of its rows, in the same memory.
Array rows_as_image(const Array &image);

// Rows `first` to `first + n - 1` of an image or a matrix, or these elements of a vector.
Array part_of(const Array &array, int64_t first, int64_t n);

// The same elements as an array that is all of its storage, so that libraries can address all of that: a
// view, or a copy, where most of the memory is between the rows. It must not outlive the array, and is read
// only, unless the array is another library's memory on a device of CUDA.
Array in_own_storage(const Array &part, Device device);

}  // namespace tilewright
