#pragma once
#include "generators/program/library_selection.h"
#include <string>

// What the program writes as C++.
namespace tilewright {

// The chosen variants for the runtime, in `folder`: NAME_table.cpp with NAME_variants(), and for each target
// NAME_TARGET_libraries.cpp, so that a program may be linked without the libraries of a target. An operator's
// own table lets programs add variants to it.
void write_table(const Selection &selection, const std::string &folder);

// The file NAME_functions.h: the libraries' C++ declarations, for programs without the runtime.
void write_functions(const Selection &selection, const std::string &file);

// What is in a file.
std::string text_of(const std::string &path);

// Writes a file, unless it has that content already: what is made of it then is not made again. Returns
// whether it is there.
bool write_text(const std::string &path, const std::string &text);

}  // namespace tilewright
