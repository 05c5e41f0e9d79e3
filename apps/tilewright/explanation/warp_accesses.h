#pragma once
// How the threads of a warp reach memory together, as the operator's generator computes it from the addresses
// in Halide's statements.
#include "tilewright/launches.h"
#include "tilewright/operator.h"
#include <map>
#include <string>
#include <vector>

namespace tilewright::app {

// The accesses of one kind to one buffer in a kernel.
struct WarpAccess {
    std::string space, what, buffer;  // "shared" or "global"; "load" or "store"
    int bytes = 0;                    // of one thread
    int count = 0;                    // accesses of this kind in the kernel's statements
    int passes = 0;  // shared: how often a warp takes its turn at the banks, beyond the least 1; global:
                     // 32-byte sectors of a warp's access. 0: not computed
    int least = 0;   // the passes or sectors of a warp whose threads access neighbours
    std::string depends_on;  // not empty: what the address depends on, so that nothing was computed
};

// Of the kernels of a library, by name; or why there are none.
struct LibraryAccesses {
    std::map<std::string, std::vector<WarpAccess>> of_kernel;
    std::string why_not;
};

// Asks the generator of the library's variant, for kernels alone; no device is needed. `built` may be a
// variant that is in no table, which was built from the variant `built_from`. Errors become `why_not`.
LibraryAccesses accesses_of(const LibraryRun &library, const Variant &built, const Variant &built_from);

// "1 x global store of 1 byte to out: 16 sectors of 32 bytes per warp, where neighbours would need 1".
std::string words_of(const WarpAccess &access);

// How the warps of a call's kernels reach memory: of each library that the call would run. `built` is the
// variant `in_table`, or is built from it with other tunables; then it has no library, and takes the
// arguments of the one that is in the table.
std::string accesses_of_call(
    const Operator &op, const Request &request, Variant built, const Variant &in_table);

}  // namespace tilewright::app
