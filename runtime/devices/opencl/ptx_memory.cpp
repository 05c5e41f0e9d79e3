#include "runtime/devices/opencl/ptx_memory.h"
#include "runtime/process/immortal.h"
#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <set>

namespace tilewright::driver {

namespace {

// CUDA C++ Programming Guide, technical specifications per compute capability: "maximum amount of shared
// memory per thread block"; 10.3, 11.0 and 12.1 by ptxas of CUDA 13.0.
constexpr struct {
    int capability, kilobytes;
} limits[] = {{70, 96}, {72, 96}, {75, 64}, {80, 163}, {86, 99}, {87, 163}, {89, 99}, {90, 227}, {100, 227},
    {103, 227}, {110, 227}, {120, 99}, {121, 99}};

struct Refusals {
    std::mutex mutex;
    std::set<int> devices;
    std::atomic<int> count = 0;  // 0 where no driver refused anything, as nearly always
};

Refusals &refusals() {
    return immortal([] { return Refusals(); });
}

bool has_refused(Device device) {
    if (refusals().count == 0) {
        return false;
    }
    const std::lock_guard lock(refusals().mutex);
    return refusals().devices.contains(device.index);
}

}  // namespace

int64_t ptx_memory(const DeviceInfo &info) {
    const auto *known = std::ranges::find_if(
        limits, [&](const auto &limit) { return limit.capability == info.compute_capability; });
    if (info.device.backend != Backend::opencl || known == std::end(limits) || has_refused(info.device)) {
        return info.block_memory;
    }
    return std::max(info.block_memory, int64_t(known->kilobytes) << 10);
}

bool refuse_ptx_memory(const Variant *variant, const DeviceInfo &info) {
    if (!variant || variant->needs.shared_bytes <= info.block_memory) {
        return false;
    }
    const std::lock_guard lock(refusals().mutex);
    refusals().devices.insert(info.device.index);
    refusals().count++;
    return true;
}

int refusals_of_ptx_memory() {
    return refusals().count;
}

}  // namespace tilewright::driver
