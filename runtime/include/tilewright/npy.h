#pragma once
#include "tilewright/array.h"
#include <cstdint>
#include <string>
#pragma GCC visibility push(default)

namespace tilewright {

// What an .npy file may hold before it is refused. Checked before memory is taken.
struct NpyLimits {
    int64_t header_bytes = int64_t(1) << 16;  // of the text before the elements
    // Of memory: for the elements, in padded rows; for text, its own bytes too (files.h).
    int64_t bytes = int64_t(64) << 30;
};

// Reads an array that NumPy saved: format 1.0 to 3.0, in either byte order, of 1 to 8 axes in C order or 1 to
// 3 in Fortran order, of uint8, uint16, uint32, uint64, int32, float16, float32, float64,
// complex64 or complex128. The result has padded rows (Array).
//
// Errors: input, when there is no such file, it is not such an array, broken, truncated, longer than its
// array, or over a limit; memory.
//
// Source: the documentation of numpy.lib.format.
Array read_npy(const std::string &path, const NpyLimits &limits = {});

// Writes any array in format 1.0, in C order. The file is whole or absent; an existing one is replaced only
// once the new one is complete. Errors: usage, for an array without elements, and for one of bf16, for which
// such files have no code; failed, when the file cannot be written; memory; those of Array::data().
void write_npy(const std::string &path, const Array &array);

}  // namespace tilewright
#pragma GCC visibility pop
