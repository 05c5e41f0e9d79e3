#pragma once
#include "generators/program/library_selection.h"
#include <string>
#include <vector>

namespace tilewright {

// Machine code of CUDA libraries (cubins), made ahead of time by ptxas of the CUDA toolkit: with it, the
// first call in a process does not wait for the driver's compiler. The PTX stays in the library, for devices
// without a cubin of their own.

// Whether a word of `files` asks for the machine code of a compute capability: "sm_90".
bool is_cubin(const std::string &file);

// Whether devices of that capability run LIBRARY.ptx in `folder`. Tensor products are instructions of one
// capability alone.
bool runs_on(const Library &library, const std::string &folder, const std::string &file);

// The file that has the machine code of LIBRARY.ptx in `folder`: LIBRARY.sm_NN.KEY.cubin. The key is that of
// the PTX as the driver gets it, so that other PTX and other register caps have another file.
std::string cubin_name(const Library &library, const std::string &folder, const std::string &file);

// Makes that file, whole or not at all. Ends the program with a message where ptxas is not there or refuses
// the PTX. The environment variable TILEWRIGHT_PTXAS names it.
void make_cubin(const Library &library, const std::string &folder, const std::string &file);

// Writes NAME_cuda_cubins.h, which the table includes: it puts the cubins that are in `folder` into the
// program, and says so to the runtime. Returns whether it could be written.
bool write_cubins_header(const Selection &selection, const std::string &target,
    const std::vector<Library> &libraries, const std::string &folder);

}  // namespace tilewright
