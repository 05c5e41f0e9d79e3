#pragma once
#include "tilewright/array.h"
#include <cstdint>
#include <string>

namespace tilewright {

// What an .npy file may hold before it is refused; checked before memory is taken.
struct NpyLimits {
    int64_t header_bytes = int64_t(1) << 16;
    int64_t bytes = int64_t(64) << 30;  // of the elements
};

// Reads an array that NumPy saved: format 1.0 to 3.0, little-endian, in C or Fortran order, of 1 to 3 dimensions, of uint8,
// uint16, uint32, int32, float32, float64 or complex64.
// Errors: input, when there is no such file, it is none of that, broken, truncated, longer than its array, or over a limit;
// memory.
Array read_npy(const std::string &path, const NpyLimits &limits = {});

// Writes format 1.0 in C order, from any array. The file is whole or absent; an existing one is replaced only once the new
// one is complete. Errors: usage, for an array without elements; failed, when the file cannot be written.
void write_npy(const std::string &path, const Array &array);

}  // namespace tilewright
