#include "runtime/devices/cuda/embedded_cubins.h"
#include "generators/algorithms/module_text.h"
#include "runtime/process/immortal.h"
#include <algorithm>
#include <charconv>
#include <mutex>
#include <vector>

namespace tilewright {

namespace {

struct Known {
    std::mutex mutex;
    std::vector<EmbeddedCubin> cubins;  // by key, and the newest capability of a key first
};

Known &known() {
    return immortal([] { return Known(); });
}

bool is_before(const EmbeddedCubin &a, const EmbeddedCubin &b) {
    return a.ptx != b.ptx ? a.ptx < b.ptx : a.capability > b.capability;
}

// 90 of "9.0".
int number_of_capability(const std::string &capability) noexcept {
    int major = 0, minor = 0;
    const char *const end = capability.data() + capability.size();
    const char *const point = std::from_chars(capability.data(), end, major).ptr;
    if (point != end) {
        std::from_chars(point + 1, end, minor);
    }
    return 10 * major + minor;
}

}  // namespace

bool embed_cubins(std::span<const EmbeddedCubin> cubins) {
    Known &all = known();
    std::lock_guard lock(all.mutex);
    all.cubins.insert(all.cubins.end(), cubins.begin(), cubins.end());
    std::sort(all.cubins.begin(), all.cubins.end(), is_before);
    return true;
}

namespace driver {

const EmbeddedCubin *embedded_cubin_of(const std::string &ptx, const std::string &capability) noexcept {
    Known &all = known();
    std::lock_guard lock(all.mutex);
    if (all.cubins.empty()) {
        return nullptr;
    }
    const int number = number_of_capability(capability);
    const uint64_t key = key_of_module(ptx);
    const auto at = std::lower_bound(
        all.cubins.begin(), all.cubins.end(), EmbeddedCubin{key, number, nullptr, nullptr}, is_before);
    return at != all.cubins.end() && at->ptx == key && at->capability / 10 == number / 10 ? &*at : nullptr;
}

}  // namespace driver

}  // namespace tilewright
