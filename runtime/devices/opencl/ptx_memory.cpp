#include "runtime/devices/opencl/ptx_memory.h"
#include "runtime/process/immortal.h"
#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>

namespace tilewright::driver {

namespace {

// CUDA C++ Programming Guide, technical specifications per compute capability: "maximum amount of shared
// memory per thread block".
constexpr struct {
    int capability, kilobytes;
} limits[] = {
    {70, 96}, {72, 96}, {75, 64}, {80, 163}, {86, 99}, {87, 163}, {89, 99}, {90, 227}, {100, 227}, {120, 99}};

struct Refusing {
    std::mutex mutex;
    std::set<int> devices;
    std::atomic<int> count = 0;  // of the devices: 0 where no driver refused anything, as nearly always
};

Refusing &refusing() {
    return immortal([] { return Refusing(); });
}

bool has_refused(int device) {
    if (refusing().count == 0) {
        return false;
    }
    const std::lock_guard lock(refusing().mutex);
    return refusing().devices.contains(device);
}

}  // namespace

int64_t ptx_memory(const DeviceInfo &info) {
    const auto *known = std::ranges::find_if(
        limits, [&](const auto &limit) { return limit.capability == info.compute_capability; });
    if (info.device.backend != Backend::opencl || known == std::end(limits) ||
        has_refused(info.device.index)) {
        return info.block_memory;
    }
    return std::max(info.block_memory, int64_t(known->kilobytes) << 10);
}

void refuse_ptx_memory(Device device) noexcept {
    const std::lock_guard lock(refusing().mutex);
    refusing().devices.insert(device.index);
    refusing().count = (int)refusing().devices.size();
}

int refusals_of_ptx_memory() {
    return refusing().count;
}

}  // namespace tilewright::driver
