#pragma once
#include "generators/program/library_selection.h"
#include <string>
#include <vector>

// The text of the kernels of an operator's own GPU libraries, of which a library has a number in its place
// (module_text.h). Variants that are alike share most of their text, so that it is packed together.
namespace tilewright {

// Writes FOLDER/LIBRARY.text, and returns what the library has in its place.
std::string put_text_elsewhere(
    const std::string &library, const std::string &folder, const std::string &text);

// Writes FOLDER/NAME_BACKEND.texts and the header NAME_BACKEND_texts.h, which the list of libraries includes,
// from the texts of a GPU's own libraries. Files that would be the same are left alone. Returns whether they
// are there.
bool write_kernel_texts(const Selection &selection, const std::string &backend,
    const std::vector<Library> &libraries, const std::string &folder);

}  // namespace tilewright
