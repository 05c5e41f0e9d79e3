#pragma once
// The library's errors as Python exceptions.
#include <string>

namespace tilewright::python {

// "output-type" as Python writes it: "output_type".
std::string python_name(std::string name);

// An error's words as a Python program reads them: `--schedule tuned` is schedule="tuned" there, and
// `tilewright devices` is tilewright.devices().
std::string in_words_of_python(const std::string &message);

}  // namespace tilewright::python
