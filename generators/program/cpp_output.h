#pragma once
#include "generators/program/library_selection.h"
#include <iosfwd>
#include <string>

// What the program writes as C++.
namespace tilewright {

// The chosen variants as the runtime's table: NAME_variants(). An operator's own table lets programs add
// variants to it.
void write_table(const Selection &selection, std::ostream &out);

// NAME_functions.h: the libraries' C++ declarations, for programs without the runtime.
void write_functions(const Selection &selection, std::ostream &out);

// What is in a file.
std::string text_of(const std::string &path);

// Writes a file, unless it has that content already. Returns whether it is there.
bool write_text(const std::string &path, const std::string &text);

// Writes a file by one of them, unless it has that content already: what is made of it then is not made
// again. Returns the exit code.
int write_file(
    const std::string &path, const Selection &selection, void (*write)(const Selection &, std::ostream &));

}  // namespace tilewright
