#pragma once
// The parts of the compiled module: each adds its classes and functions.
#include <nanobind/nanobind.h>

namespace tilewright::python {

// The exceptions, which tilewright::Error raises from then on.
void add_errors(nanobind::module_ &module);

// The class Device, and functions about devices, threads and memory of the process, and the command line.
void add_devices(nanobind::module_ &module);

// tilewright.Array: the library's own arrays, which give their elements to other libraries.
void add_array(nanobind::module_ &module);

// The operators of the registry, by their dict `operators`: no operator is named here. The classes Operator,
// Option, Input and Variant.
void add_operators(nanobind::module_ &module);

// The classes Pipeline and Prepared.
void add_pipeline(nanobind::module_ &module);
void add_prepared(nanobind::module_ &module);

}  // namespace tilewright::python
