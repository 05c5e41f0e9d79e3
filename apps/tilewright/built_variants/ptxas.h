#pragma once
// Options of ptxas as tunables: the machine code of a variant for CUDA, made by ptxas of the CUDA toolkit
// with other options, in place of what the driver's compiler makes of its PTX.
#include "tilewright/variant.h"
#include <span>
#include <string>

namespace tilewright::app {

// The tunables that each variant for CUDA may have besides its own, where it is built on the spot:
// ptxas_level is the level of optimisation (-O), and ptxas_registers how much registers are used
// (--register-usage-level). Their values are ptxas's own. None of
// other variants, and of a generator that is not ours, which writes no PTX.
std::span<const Variant::Tunable> ptxas_tunables(const Variant &variant);

bool is_of_ptxas(const std::string &tunable);
bool has_ptxas_options(const Variant &variant);

// The path of ptxas: TILEWRIGHT_PTXAS, or in PATH or /usr/local/cuda/bin. Errors: MissingTool.
std::string find_ptxas();

// Makes the machine code of a variant that has such tunables, out of the file of its PTX, for each kind of
// CUDA device that this machine has, and makes it known to the runtime, which runs nothing else of the
// variant. Errors: failed, where ptxas refuses it, and where there is no such device; MissingTool.
void embed_machine_code(const Variant &variant, const std::string &ptx);

}  // namespace tilewright::app
