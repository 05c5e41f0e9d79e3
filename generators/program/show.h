#pragma once
#include "generators/program/library_selection.h"
#include <cstdint>
#include <map>
#include <string>

namespace tilewright {

// Prints a part of what Halide makes of a library on standard output, and returns the exit code. The parts:
//     loops      the loop nest as the schedule has it
//     kernels    the source of a GPU's kernels: PTX, OpenCL C
//     resources  a line for each kernel: name, threads of a block and bytes of shared memory, with tabs
//                between them
//     accesses   how the threads of a warp reach memory together (warp_accesses.h), with the arguments
//                `values`
//     stmt       the statements that Halide made of it
//     assembly   of the CPU
int show(const Library &library, const std::string &part, const std::map<std::string, int64_t> &values);

}  // namespace tilewright
