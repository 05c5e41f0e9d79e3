#pragma once
// Variants whose libraries are made while this program runs: with other values of their tunables.
#include "apps/tilewright/built_variants/tunables.h"
#include <memory>
#include <string>
#include <vector>

namespace tilewright::app {

// Makes the library of a variant with these values of its tunables, by the operator's generator program and
// this machine's linker, and loads it. What else the variant says stays as it is. The library stays in memory
// until the program ends, because the caches of the runtime point into it; its files are removed at once. The
// variant's address does not change, so that plans may keep it. Errors: usage, for values that the variant
// does not take; failed, where the generator refuses them, and where the generator or a linker is missing.
// After use_prepared_libraries() it makes none, and loads what was made before.
std::unique_ptr<const Variant> built_variant(const Variant &variant, const TunableValues &values);

// A library that was made before, maybe on another machine.
struct PreparedLibrary {
    std::string variant, tunables;  // its name, and the text of all its tunables
    std::string file;               // as build_library() writes it
    std::string failure;            // why there is no such library; empty where there is one
};

// From now on these are the only libraries that built_variant() has.
void use_prepared_libraries(const std::vector<PreparedLibrary> &libraries);

// Errors: MissingTool, where a program that makes libraries of the variant is not there.
void check_tools(const Variant &variant);

// Writes the library of the variant with these values to the file, as a shared object. That of a GPU also has
// the file FILE.needs, and one with options of ptxas FILE.ptx. Errors: as above.
void build_library(const Variant &variant, const TunableValues &values, const std::string &file);

}  // namespace tilewright::app
