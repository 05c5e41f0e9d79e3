#pragma once
// Pipelines by bands, for tilewright.bands.
#include "python/src/types.h"
#include "tilewright/pipeline.h"
#include <nanobind/nanobind.h>
#include <string>
#include <vector>

namespace tilewright::python {

// What tilewright/bands.h says of it, as a dict: dtype, shape, least_memory, whole_memory, why_not.
nanobind::dict bands_needed_in_python(
    const Pipeline &pipeline, const std::string &dtype, const std::vector<int64_t> &shape);

// process(): `read` fills the rows that it is given, and `write` keeps none of those. A dict: bands, rows,
// device. Errors: those of process() and of the functions.
nanobind::dict process_in_python(const Pipeline &pipeline, const std::string &dtype,
    const std::vector<int64_t> &shape, nanobind::handle read, nanobind::handle write, int64_t memory,
    nanobind::handle device, nanobind::handle schedule, const std::string &scratch,
    nanobind::object progress);

}  // namespace tilewright::python
