#pragma once
// Variants whose libraries are made while this program runs: with other values of their tunables.
#include "apps/tilewright/built_variants/tunables.h"
#include <memory>
#include <string>

namespace tilewright::app {

// Makes the library of a variant with these values of its tunables, by the operator's generator program and
// this machine's linker, and loads it. What else the variant says stays as it is. The library stays in memory
// until the program ends, because the caches of the runtime point into it; its files are removed at once. The
// variant's address does not change, so that plans may keep it. Errors: usage, for values that the variant
// does not take; failed, where the generator refuses them, and where the generator or a linker is missing.
std::unique_ptr<const Variant> built_variant(const Variant &variant, const TunableValues &values);

// Errors: MissingTool, where a program that makes libraries of the variant is not there.
void check_tools(const Variant &variant);

// The two halves of it, for libraries that are loaded by another process, or on another machine.
//
// Writes the library of the variant with these values to the file, as a shared object, and returns what it
// needs of a device. A variant with options of ptxas also has the file FILE.ptx.
Variant::Needs build_library(const Variant &variant, const TunableValues &values, const std::string &file);

// The variant with these values, with the library of that file. Errors: usage, as above; failed, when the
// file cannot be loaded.
std::unique_ptr<const Variant> loaded_variant(const Variant &variant, const TunableValues &values,
    const Variant::Needs &needs, const std::string &file);

}  // namespace tilewright::app
