#pragma once
// The storages of a call, held while its libraries are started. Not installed.
#include "runtime/arrays/storage.h"
#include <algorithm>
#include <functional>
#include <memory_resource>
#include <vector>

namespace tilewright {

// Each storage once, in the order of their addresses, so that threads do not wait for each other in a ring.
// On the CPU only what is written is held: what is read stays as it is, whatever a device does with other
// parts of it.
class HeldStorages {
public:
    HeldStorages(bool gpu, size_t most, std::pmr::memory_resource &memory) : gpu_(gpu), uses_(&memory) {
        uses_.reserve(most);
    }
    ~HeldStorages() {
        for (const Use &use : uses_) {
            if (use.held && gpu_) {
                use.storage->release(use.written, failed_);
            } else if (use.held) {
                use.storage->release_host();
            }
        }
    }
    HeldStorages(const HeldStorages &) = delete;

    void use(Storage *storage, bool written, bool overwritten) {
        const auto known =
            std::find_if(uses_.begin(), uses_.end(), [&](const Use &use) { return use.storage == storage; });
        Use &use = known != uses_.end() ? *known : uses_.emplace_back(Use{storage});
        use.written = use.written || written;
        use.overwritten = use.overwritten && overwritten;
    }

    void hold(Device device) {
        std::sort(uses_.begin(), uses_.end(),
            [](const Use &a, const Use &b) { return std::less<>()(a.storage, b.storage); });
        for (Use &use : uses_) {
            if (gpu_) {
                use.storage->hold(device, use.written, use.overwritten);
            } else if (use.written) {
                use.storage->hold_host();
            } else {
                use.storage->host(false);
            }
            use.held = gpu_ || use.written;
        }
    }

    void succeeded() {
        failed_ = false;
    }

private:
    struct Use {
        Storage *storage;
        bool written = false, overwritten = true, held = false;
    };
    bool gpu_, failed_ = true;
    std::pmr::vector<Use> uses_;
};

// Whether an array is all of its storage, so that what a kernel writes whole need not be sent to the device.
inline bool is_whole_storage(const Array &array) {
    const size_t rows = array.dimensions() > 1 ? (size_t)array.shape()[0] : 1,
                 bytes = (size_t)array.size() * size_of(array.type());
    const MemoryLayout &layout = array.storage()->layout();
    return rows == layout.rows && bytes / rows == layout.row;
}

}  // namespace tilewright
