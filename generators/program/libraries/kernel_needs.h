#pragma once
#include "generators/program/library_selection.h"
#include <map>
#include <string>
#include <vector>

// What the libraries of a GPU's backend need of a device, and which arguments they take. The runtime's table
// has it, so that a variant which a device cannot run is not chosen there, and so that libraries with the
// same arguments need not have them each (Halide's metadata are 1 KB per library).
namespace tilewright {

// Whether a pipeline computes with doubles anywhere.
bool computes_doubles(const Halide::Pipeline &pipeline);

// The arguments of a library as C++ initializers of halide_filter_argument_t, one line. `names`: by which
// names callers know those that Halide has by another one.
std::string text_of_arguments(const std::vector<Halide::Internal::LoweredArgument> &arguments,
    const std::map<std::string, std::string> &names);

// Writes FOLDER/LIBRARY.needs, once the library was made by this process for that target. Nothing is written
// for the CPU. `arguments`: those of a library without metadata, as text_of_arguments() has them; else empty.
void write_needs(const Library &library, const std::string &target, const std::string &folder,
    const std::string &arguments);

// Writes FOLDER/NAME_BACKEND_needs.h, which the table includes, from the files of the backend's libraries. A
// file that would be the same is left alone. Returns whether it is there.
bool write_needs_header(const Selection &selection, const std::string &backend,
    const std::vector<Library> &libraries, const std::string &folder);

}  // namespace tilewright
