#pragma once
// The operators' generator programs, which know what is in a library: this program does not contain Halide.
#include "tilewright/error.h"
#include "tilewright/variant.h"
#include <string>
#include <vector>

namespace tilewright::app {

// A program that makes libraries is not there, or does not run here, so that no point of a variant can be
// built.
class MissingTool : public Error {
    using Error::Error;
};

// The path of a program that belongs to this one: in TILEWRIGHT_GENERATORS, beside it, or in
// ../libexec/tilewright. Empty where there is none.
std::string find_program(const std::string &name);

// The path of the variant's generator: LIBRARY.generator for a library with schedules of its own, else
// OP.generator. Errors: MissingTool, when there is none in the folders that belong to the program.
std::string generator_of(const Variant &variant);

// The variant's backend as the generator's words have it: "cpu", "vnni", "cuda" or "opencl".
std::string place_of(const Variant &variant);

// What `GENERATOR show PART` prints of the variant's library; `more` are words behind the variant's own.
// Errors: failed.
std::string generated(const std::string &generator, const Variant &variant, const std::string &part,
    const std::vector<std::string> &more = {});

// Makes the variant's library in the folder, with the values of its tunables: the file
// PREFIX_SCHEDULE_TYPE_BACKEND.a, for a GPU PREFIX_..._BACKEND.needs, and for CUDA PREFIX_..._BACKEND.ptx.
// Errors: failed, with the generator's reason; MissingTool, where the generator does not start.
void make_library(const std::string &generator, const Variant &variant, const std::string &prefix,
    const std::string &folder);

}  // namespace tilewright::app
