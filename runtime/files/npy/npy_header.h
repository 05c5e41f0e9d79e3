#pragma once
// The header of .npy files: what it says, and the text that is written. Source: NumPy's documentation of its
// format 1.0 to 3.0 (numpy.lib.format). Not installed.
#include "runtime/files/input_file.h"
#include "tilewright/npy.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tilewright {

struct NpyHeader {
    Type type;
    bool is_big_endian;
    bool is_fortran;  // Fortran order: the first index is contiguous
    std::vector<int64_t> shape;
};

// Reads a file up to its elements. Errors: input, when it is no .npy file, its array cannot be read here, its
// size is not that of the elements, or it is over a limit.
NpyHeader read_npy_header(InputFile &file, const NpyLimits &limits);

// The bytes before the elements, in format 1.0. Spaces make the elements begin at a multiple of 64 bytes, as
// in NumPy's own files.
std::string npy_header_of(Type type, const std::vector<int64_t> &shape);

}  // namespace tilewright
