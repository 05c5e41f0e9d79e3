#pragma once
#include "generators/program/library_selection.h"
#include <string>

namespace tilewright {

// The folder of Halide's autoschedulers.
std::string plugins_folder();

// The Halide targets of a library, separated by commas. An OpenCL library that computes with no doubles is
// for devices without them, too.
std::string targets_of(const Library &library, const std::string &tunables);

// The generator of a library, for one or several of its targets. The plugin of its autoscheduler must have
// been loaded before.
Halide::Internal::AbstractGeneratorPtr generator_of(
    const Library &library, const std::string &target, const std::string &tunables);

// Whether it is a CPU library that runs on machines with AVX2 only. It is one where its variant shares a
// family with a variant `..._any`, which runs on the others; where its variant says so; and where an
// autoscheduler made its schedule, because such variants are there to be compared. Building for two
// instruction sets in place of three takes two thirds of the time.
bool needs_avx2(const Library &library);

// Makes files of a library in `folder`, with Halide's own generator program, and returns its exit code.
// `files`, separated by commas: static_library, c_header, stmt_html, assembly, ptx (of CUDA libraries) and
// opencl_c (of OpenCL ones); another word ends the program. Halide numbers its names, so each library is made
// in a process of its own: then its code does not depend on other libraries.
int make_library(
    const Library &library, const std::string &folder, const std::string &files, const std::string &tunables);

// What the files of a library are made of, in short: a library whose key is unchanged would be made the same
// again. The pipeline as its generator hands it to Halide is in it, in Halide's own file format, and what
// else decides: arguments, targets, autoscheduler, files, versions. In a process of its own, too. After a
// number it has the arguments, as C++ initializers of VariantArgument, which arguments_of() gives.
std::string key_of(const Library &library, const std::string &files, const std::string &tunables);
std::string arguments_of(const std::string &key);

}  // namespace tilewright
