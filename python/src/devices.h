#pragma once
// Devices, threads and memory of the process, and the command line, as Python functions.
#include <nanobind/nanobind.h>

namespace tilewright::python {

// Adds the class Device and the functions that are about devices and the process.
void add_devices(nanobind::module_ &module);

}  // namespace tilewright::python
