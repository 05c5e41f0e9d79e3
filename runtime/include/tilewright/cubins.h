#pragma once
#include <cstdint>
#include <span>
#pragma GCC visibility push(default)

namespace tilewright {

// For the tables: the machine code (cubin) of a CUDA module, made when the library was built.
struct EmbeddedCubin {
    uint64_t ptx;                      // key_of_module() of the module's text, register caps included
    int capability;                    // the compute capability that it is for, 90 for 9.0
    const unsigned char *begin, *end;  // its bytes
};

// For the tables: makes cubins known to the hook that loads modules. A device takes the one of its own
// capability, or of an older minor one of the same major capability; other devices take the PTX. `cubins`
// must live as long as the process. Returns true.
bool embed_cubins(std::span<const EmbeddedCubin> cubins);

}  // namespace tilewright
#pragma GCC visibility pop
