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
// memory per thread block".
constexpr struct {
    int capability, kilobytes;
} limits[] = {
    {70, 96}, {72, 96}, {75, 64}, {80, 163}, {86, 99}, {87, 163}, {89, 99}, {90, 227}, {100, 227}, {120, 99}};

struct Refusals {
    std::mutex mutex;
    std::map<int, int64_t> least;  // bytes that were refused, by the number of the device
    std::atomic<int> count = 0;    // 0 where no driver refused anything, as nearly always
};

Refusals &refusals() {
    return immortal([] { return Refusals(); });
}

int64_t least_refused(int device) {
    if (refusals().count == 0) {
        return INT64_MAX;
    }
    const std::lock_guard lock(refusals().mutex);
    const auto known = refusals().least.find(device);
    return known == refusals().least.end() ? INT64_MAX : known->second;
}

}  // namespace

int64_t ptx_memory(const DeviceInfo &info) {
    const auto *known = std::ranges::find_if(
        limits, [&](const auto &limit) { return limit.capability == info.compute_capability; });
    if (info.device.backend != Backend::opencl || known == std::end(limits)) {
        return info.block_memory;
    }
    const int64_t of_gpu = int64_t(known->kilobytes) << 10;
    return std::max(info.block_memory, std::min(of_gpu, least_refused(info.device.index) - 1));
}

void refuse_ptx_memory(Device device, int64_t bytes) noexcept {
    const std::lock_guard lock(refusals().mutex);
    int64_t &least = refusals().least.try_emplace(device.index, bytes).first->second;
    least = std::min(least, bytes);
    refusals().count++;
}

int refusals_of_ptx_memory() {
    return refusals().count;
}

}  // namespace tilewright::driver
