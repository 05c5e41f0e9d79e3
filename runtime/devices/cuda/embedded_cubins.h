#pragma once
// The machine code that is linked into the program (tilewright/cubins.h). Not installed.
#include "tilewright/cubins.h"
#include "tilewright/variant.h"
#include <string>

namespace tilewright::driver {

// What the names of tunables begin with that are options of ptxas.
constexpr const char *ptxas_options_begin = "ptxas_";

// The text of a variant's module as the driver gets it: `ptx` with the variant's register caps, and a line
// with its options of ptxas, where it has any. So it is another module than that without them.
std::string module_text(const std::string &ptx, const Variant &variant);

// Whether such a line begins the text.
bool has_ptxas_options(const std::string &module_text) noexcept;

// 90 of "9.0".
int number_of_capability(const std::string &capability) noexcept;

// The best cubin of a module for a device of this capability ("9.0"); null where there is none.
const EmbeddedCubin *embedded_cubin_of(const std::string &ptx, const std::string &capability) noexcept;

}  // namespace tilewright::driver
