#pragma once
// Compiled CUDA modules on disk (tilewright/cache.h). Halide's modules are PTX, which the driver compiles in
// each process that loads them. Not installed.
#include <optional>
#include <string>

namespace tilewright::driver {

// The machine code (cubin) of a module for the current device: from the disk, or compiled by the driver's
// linker and kept there. Nothing where no folder is set, and where the driver does not compile it: the driver
// is then given the PTX itself, and says what is wrong with it.
std::optional<std::string> cubin_of(const std::string &ptx) noexcept;

// Forgets a module's machine code, because the driver does not load it.
void forget_cubin_of(const std::string &ptx) noexcept;

}  // namespace tilewright::driver
