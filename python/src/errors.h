#pragma once
// The library's errors as Python exceptions.
#include <nanobind/nanobind.h>
#include <string>

namespace tilewright::python {

// Adds the exceptions to the module, and has tilewright::Error raise them.
void add_errors(nanobind::module_ &module);

// "output-type" as Python writes it: "output_type".
std::string python_name(std::string name);

// An error's words as a Python program reads them: `--schedule tuned` is schedule="tuned" there, and
// `tilewright devices` is tilewright.devices().
std::string in_words_of_python(const std::string &message);

}  // namespace tilewright::python
