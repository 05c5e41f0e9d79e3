#include "runtime/devices/memory/pinned_memory.h"
#include "runtime/devices/cuda/cuda.h"
#include "runtime/process/inside.h"
#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>

namespace tilewright::driver {

namespace {

// The first usable CUDA device. Its context locks the pages for all others as well.
std::optional<int> locking_device() {
    const auto &found = devices(Backend::cuda);
    const auto usable =
        std::find_if(found.begin(), found.end(), [](const DeviceInfo &d) { return d.usable; });
    return usable == found.end() ? std::nullopt : std::optional(usable->device.index);
}

// Calls a function of the driver in that device's context; `without` where there is none.
template<typename Call>
bool in_context(const Call &call, bool without) noexcept try {
    const InsideDriver inside;
    const std::optional<int> index = locking_device();
    const CUcontext context = index ? cuda_context(*index) : nullptr;
    if (context == nullptr) {
        return without;
    }
    const InCudaContext here(context);
    return call();
} catch (const std::exception &) {  // the drivers have ended, or the host has no memory left
    return false;
}

// A block that the driver does not lock is ordinary memory, whose copies are correct and slower.
void lock(void *begin, size_t bytes) {
    in_context([&] { return lock_pages(begin, bytes); }, false);
}

// Where the driver refuses, and after its end, the block stays mapped, because the driver may still have it:
// of other memory at this address it would copy the pages that were here before.
bool unlock(void *begin) {
    return in_context([&] { return unlock_pages(begin); }, true) && !drivers_have_ended();
}

std::atomic<HostMemory *> &pinned() {
    static std::atomic<HostMemory *> memory{nullptr};
    return memory;
}

}  // namespace

HostMemory &pinned_memory() {
    static HostMemory &memory = [&]() -> HostMemory & {
        if (!locking_device()) {
            return host_memory();
        }
        pinned() = new HostMemory(HostMemory::Pages{lock, unlock});
        return *pinned();
    }();
    return memory;
}

void trim_pinned_memory(size_t keep) noexcept {
    if (HostMemory *memory = pinned()) {
        memory->trim(keep);
    }
}

}  // namespace tilewright::driver
