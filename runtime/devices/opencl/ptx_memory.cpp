#include "runtime/devices/opencl/ptx_memory.h"
#include "runtime/process/immortal.h"
#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <mutex>

namespace tilewright::driver {

namespace {

// CUDA C++ Programming Guide, technical specifications per compute capability: "maximum amount of shared
// memory per thread block"; 10.3, 11.0 and 12.1 by ptxas of CUDA 13.0.
constexpr struct {
    int capability, kilobytes;
} limits[] = {{70, 96}, {72, 96}, {75, 64}, {80, 163}, {86, 99}, {87, 163}, {89, 99}, {90, 227}, {100, 227},
    {103, 227}, {110, 227}, {120, 99}, {121, 99}};

struct KnownMemory {
    int64_t taken = 0;  // the most bytes of a launch that the driver took
    bool has_refused = false;
};

struct KnownMemories {
    std::mutex mutex;
    std::map<int, KnownMemory> devices;
    std::atomic<int> refusals = 0;  // 0 where no driver refused anything, as nearly always
};

KnownMemories &known() {
    return immortal([] { return KnownMemories(); });
}

}  // namespace

int64_t ptx_memory(const DeviceInfo &info) {
    const auto *limit = std::ranges::find_if(
        limits, [&](const auto &one) { return one.capability == info.compute_capability; });
    if (info.device.backend != Backend::opencl || limit == std::end(limits)) {
        return info.block_memory;
    }
    if (known().refusals > 0) {
        const std::lock_guard lock(known().mutex);
        if (const KnownMemory &of = known().devices[info.device.index]; of.has_refused) {
            return std::max(info.block_memory, of.taken);
        }
    }
    return std::max(info.block_memory, int64_t(limit->kilobytes) << 10);
}

void take_ptx_memory(const Variant *variant, Device device) {
    constexpr int64_t of_opencl_c = 48 << 10;  // on every GPU: each launch of less memory ends here
    if (variant && variant->needs.shared_bytes > of_opencl_c) {
        const std::lock_guard lock(known().mutex);
        int64_t &taken = known().devices[device.index].taken;
        taken = std::max(taken, variant->needs.shared_bytes);
    }
}

bool refuse_ptx_memory(const Variant *variant, const DeviceInfo &info) {
    if (!variant || variant->needs.shared_bytes <= info.block_memory) {
        return false;
    }
    const std::lock_guard lock(known().mutex);
    KnownMemory &of = known().devices[info.device.index];
    if (variant->needs.shared_bytes <= of.taken) {
        return false;
    }
    of.has_refused = true;
    known().refusals++;
    return true;
}

int refusals_of_ptx_memory() {
    return known().refusals;
}

}  // namespace tilewright::driver
