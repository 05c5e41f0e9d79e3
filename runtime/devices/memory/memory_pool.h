#pragma once
// Device memory that calls gave back, kept for the next calls. Not installed.
#include "tilewright/device.h"
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <tuple>

namespace tilewright::driver {

// The memory of one driver. Halide's runtime allocates and frees every intermediate array of every call, and
// drivers take long for both, so freed memory is kept by context, queue and size. A queue runs its work in
// order: memory can be handed out again to the queue that had it, while kernels that use it are still
// running.
//
// At most most_cached() bytes per context are kept; beyond that the oldest blocks are freed.
class MemoryPool {
public:
    // Gives memory of a context back to the driver.
    using Free = void (*)(void *context, uint64_t memory);

    explicit MemoryPool(Free free) : free_(free) {}

    // A cached block of that context, queue and size, or one that `make` allocates. `make` returns 0 when the
    // driver refuses; then all cached blocks are freed, and it is called once more. Returns 0 when that
    // fails, too.
    template<typename Make>
    uint64_t take(Device device, void *context, void *queue, size_t bytes, const Make &make) {
        const std::lock_guard lock(mutex_);
        const Key key(context, queue, bytes);
        if (const uint64_t memory = take_cached(key)) {
            count_taken(bytes);
            return memory;
        }
        uint64_t memory = make();
        if (!memory && !cached_.empty()) {
            free_cached();
            memory = make();
        }
        if (memory) {
            remember(memory, key, device);
            count_taken(bytes);
        }
        return memory;
    }

    // Adds an owner: the block stays taken until as many owners gave it back. False for memory that is not of
    // this pool.
    bool retain(uint64_t memory);

    // The last owner's call puts the block into the cache, for the queue that it was taken for: no other
    // queue has work with it, because threads wait for that (own_queue.h). False for memory that is not of
    // this pool.
    bool give_back(uint64_t memory);

    struct Use {
        size_t taken, peak;  // bytes of blocks, now and at most since restart_peak()
    };
    Use use();
    void restart_peak();

    // Frees all cached blocks.
    void free_all();

private:
    using Key = std::tuple<void *, void *, size_t>;  // context, queue, bytes
    struct TakenBlock {
        Key key;
        size_t most_cached;  // bytes, of this context
        int owners;          // Halide's own buffer, and crops of it
    };
    struct CachedBlock {
        uint64_t memory, since;  // since: the value of clock_ when it was given back
    };
    using Cached = std::multimap<Key, CachedBlock>;

    static size_t most_cached(Device device);
    // Errors: std::bad_alloc, when the host has no memory to remember the block, which is freed then.
    void remember(uint64_t memory, const Key &key, Device device);
    void count_taken(size_t bytes);
    uint64_t take_cached(const Key &key);
    void cache(std::map<uint64_t, TakenBlock>::iterator taken);
    void remove(Cached::iterator block);
    void free(Cached::iterator block);
    void free_cached();

    const Free free_;
    std::mutex mutex_;
    std::map<uint64_t, TakenBlock> taken_;  // cached blocks are in it, too
    Cached cached_;
    std::map<uint64_t, Cached::iterator> by_age_;
    std::map<void *, size_t> cached_bytes_;  // per context
    uint64_t clock_ = 0;
    Use use_ = {};
};

// The memory of all CUDA contexts, and of all OpenCL contexts (cuda_hooks.cpp, opencl_hooks.cpp).
MemoryPool &cuda_memory();
MemoryPool &opencl_memory();

}  // namespace tilewright::driver
