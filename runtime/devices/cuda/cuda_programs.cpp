#include "runtime/devices/cuda/cuda_programs.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/devices/cuda/cuda.h"
#include "runtime/devices/program_cache.h"
#include "runtime/devices/thread_context.h"
#include <exception>

namespace tilewright::driver {

namespace {

// Everything that the machine code depends on.
std::string identity_of(const std::string &ptx) {
    const DeviceInfo &device = device_info(this_thread.device);
    return device.name + "\nCUDA " + device.capability + "\n" + device.driver + "\n" + ptx;
}

}  // namespace

std::optional<std::string> cubin_of(const std::string &ptx) noexcept try {
    if (program_cache().is_off()) {
        return {};
    }
    const std::string identity = identity_of(ptx);
    if (auto kept = program_cache().find(identity)) {
        return kept;
    }
    auto compiled = compiled_by_linker(ptx);
    if (compiled) {
        program_cache().keep(identity, *compiled);
    }
    return compiled;
} catch (const std::exception &) {  // no memory for the cache's own work
    return {};
}

void forget_cubin_of(const std::string &ptx) noexcept try {
    program_cache().remove(identity_of(ptx));
} catch (const std::exception &) {
    return;
}

}  // namespace tilewright::driver
