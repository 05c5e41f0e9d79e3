#pragma once
#include "generators/program/library_selection.h"
#include <string>

namespace tilewright {

// Makes the libraries of a selection in `folder`, and for each target a list of their archives:
// NAME_cpu.libraries, NAME_cuda.libraries, NAME_opencl.libraries (empty where the selection names a backend
// for which it has no variant). Beside them lie the other `files` of each library (see make_library) and
// LIBRARY.made, which says what the library was made of: one that would be made the same again is left alone,
// and so is a list of which no library changed. A library of several operators' tables that lies in another
// folder beside `folder`, made of the same, is copied from there. Files of libraries that are no longer
// chosen are removed. Libraries are made by several processes where processors are free. Returns the exit
// code; what fails is reported, and leaves no file of its library and no list of its target.
int build(const Selection &selection, const std::string &folder, const std::string &files);

}  // namespace tilewright
