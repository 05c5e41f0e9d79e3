#pragma once
#include "generators/program/library_selection.h"
#include <map>
#include <string>
#include <vector>

// What the libraries of a target need of a device, and which arguments they take. The runtime's table has it,
// so that a variant which a device cannot run is not chosen there, and so that libraries with the same
// arguments need not have them each (Halide's metadata are 1 KB per library).
namespace tilewright {

// Whether a pipeline computes with doubles anywhere.
bool computes_doubles(const Halide::Pipeline &pipeline);

// Writes FOLDER/LIBRARY.needs, once the library was made by this process for that target. Nothing is written
// for the CPU. `ptx`: the compute capability that the PTX of a library for OpenCL is for; 0 without PTX.
void write_needs(const Library &library, const std::string &target, const std::string &folder, int ptx);

// Writes FOLDER/NAME_TARGET_needs.h, which the table includes, from these files and the libraries' keys
// (library.h), by their names. A file that would be the same is left alone. Returns whether it is there.
bool write_needs_header(const Selection &selection, const std::string &target,
    const std::vector<Library> &libraries, const std::map<std::string, std::string> &keys,
    const std::string &folder);

}  // namespace tilewright
