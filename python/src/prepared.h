#pragma once
// Prepared calls: tilewright.prepare().
#include "tilewright/prepared.h"
#include <nanobind/nanobind.h>
#include <string>
#include <vector>

namespace tilewright::python {

// A prepared call, with the names that Python gives its arrays.
struct PreparedInPython {
    Prepared prepared;
    std::string name;
    std::vector<std::string> arrays;
};

void add_prepared(nanobind::module_ &module);

}  // namespace tilewright::python
