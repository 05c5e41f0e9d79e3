#pragma once
#include "generators/program/library_selection.h"
#include <string>
#include <vector>

// What the libraries of a GPU's backend need of a device. The runtime's table has it, so that a variant which
// a device cannot run is not chosen there.
namespace tilewright {

// Whether a pipeline computes with doubles anywhere.
bool computes_doubles(const Halide::Pipeline &pipeline);

// Writes FOLDER/LIBRARY.needs, once the library was made by this process for that target. Nothing is written
// for the CPU.
void write_needs(const Library &library, const std::string &target, const std::string &folder);

// Writes FOLDER/NAME_BACKEND_needs.h, which the table includes, from the files of the backend's libraries. A
// file that would be the same is left alone. Returns whether it is there.
bool write_needs_header(const Selection &selection, const std::string &backend,
    const std::vector<Library> &libraries, const std::string &folder);

}  // namespace tilewright
