#pragma once
// The operators of the registry, their options and variants, as Python objects. No operator is named here.
#include <nanobind/nanobind.h>

namespace tilewright::python {

// Adds the classes Operator, Option, Variant and Tunable, and the dict `operators`.
void add_operators(nanobind::module_ &module);

// Adds the class Pipeline.
void add_pipeline(nanobind::module_ &module);

}  // namespace tilewright::python
