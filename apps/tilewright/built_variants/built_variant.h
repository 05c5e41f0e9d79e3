#pragma once
// Rows whose libraries are made while this program runs: with other values of their tunables.
#include "apps/tilewright/built_variants/tunables.h"
#include <memory>
#include <string>

namespace tilewright::app {

// Makes the library of a row with these values of its tunables, by the operator's generator program and this
// machine's linker, and loads it. What else the row says stays as it is. The library stays in memory until
// the program ends, because the caches of the runtime point into it; its files are removed at once. The row's
// address does not change, so that plans may keep it. Errors: usage, for values that the row does not take;
// failed, where the generator refuses them, and where the generator or a linker is missing.
std::unique_ptr<const Row> built_row(const Row &row, const TunableValues &values);

// The two halves of it, for libraries that are loaded by another process, or on another machine.
//
// Writes the library of the row with these values to the file, as a shared object, and returns what it needs
// of a device.
Row::Needs build_library(const Row &row, const TunableValues &values, const std::string &file);

// The row with these values, with the library of that file. Errors: usage, as above; failed, when the file
// cannot be loaded.
std::unique_ptr<const Row> loaded_row(
    const Row &row, const TunableValues &values, const Row::Needs &needs, const std::string &file);

}  // namespace tilewright::app
