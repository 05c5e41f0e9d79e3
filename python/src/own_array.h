#pragma once
// tilewright.Array: the library's own arrays in Python, which give their elements to other libraries.
#include <nanobind/nanobind.h>

namespace tilewright::python {

// Adds the class Array.
void add_array(nanobind::module_ &module);

}  // namespace tilewright::python
