#pragma once
#include "Halide.h"
#include <map>
#include <string>

namespace tilewright {

// What a generator is asked to show, and of which library.
struct Shown {
    std::string form, name;                         // the generator's name, and the library's
    std::map<std::string, std::string> parameters;  // the generator's own
    std::string target;
    std::string autoscheduler, plugins;  // the plug-in that schedules it, if one does, and the folder of
                                         // plug-ins
    std::map<std::string, int64_t> values = {};  // of a call, for `accesses`
};

// Prints a part of what Halide makes of a library on standard output, and returns the exit code. The parts:
//     loops      the loop nest as the schedule has it
//     kernels    the source of a GPU's kernels: PTX, OpenCL C
//     resources  a line for each kernel: name, threads of a block and bytes of shared memory, with tabs
//                between them
//     accesses   how the threads of a warp reach memory together (accesses.h)
//     stmt       the statements that Halide made of it
//     assembly   of the CPU
int show(const Shown &shown, const std::string &part);

}  // namespace tilewright
