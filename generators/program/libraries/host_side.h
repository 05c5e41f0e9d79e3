#pragma once
#include "Halide.h"

// The host side of an operator's own GPU library: what checks the arguments, copies and starts kernels.
namespace tilewright {

// `function` as NAME_argv(void **arguments), which the lists of libraries name, and alone. Halide's own
// NAME_argv reads all arguments and calls NAME with them, which writes each of them to the stack once more,
// and its address, for each kernel. Here a kernel gets the address that the caller gave, and a short text
// describes its arguments (kernel_arguments.h).
Halide::Internal::LoweredFunc called_by_addresses(const Halide::Internal::LoweredFunc &function);

// From here on LLVM makes this function as small as it can, in this process. Called before Halide's first use
// of LLVM. Device code is compiled as before.
void compile_for_size(const std::string &function);

}  // namespace tilewright
