#pragma once
// The hooks: the functions between Halide's runtime and the drivers. Halide's runtime gets every driver
// function by its name, and a context before every use, from functions that it defines as weak symbols.
// cuda_hooks.cpp and opencl_hooks.cpp define the same symbols, and so decide which library is opened, which
// device a thread works on, and what some of the driver's functions do. This file is what the rest of the
// runtime tells the hooks. Not installed.
#include "runtime/process/inside.h"
#include "tilewright/device.h"
#include <optional>

namespace tilewright::driver {

// Makes the device's context, if it has none yet. Errors: device, when there is no such device, it cannot be
// used or no context can be made; memory, when memory is the reason.
void open(Device device);

// While it lives, Halide's calls of this thread use that device, and where none lives, the CPU
// (this_thread.device, thread_context.h). Errors: device, when the program ends (inside.h).
class Current {
public:
    explicit Current(Device device);
    ~Current();
    Current(const Current &) = delete;

private:
    std::optional<InsideDriver> inside_;
    Device before_;
};

// Waits until the work of all devices that were used has ended. The drivers' last use: see
// end_drivers_at_exit().
void wait_for_devices();

// Does nothing, but whoever calls it has the hooks linked. They are in an archive, and a linker takes no
// object of an archive for symbols that are defined already, even weakly.
void link_hooks();

}  // namespace tilewright::driver
