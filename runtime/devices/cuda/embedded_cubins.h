#pragma once
// The machine code that is linked into the program (tilewright/cubins.h). Not installed.
#include "tilewright/cubins.h"
#include <string>

namespace tilewright::driver {

// The best cubin of a module for a device of this capability ("9.0"); null where there is none.
const EmbeddedCubin *embedded_cubin_of(const std::string &ptx, const std::string &capability) noexcept;

}  // namespace tilewright::driver
