#include "runtime/devices/memory/memory_pool.h"
#include <algorithm>
#include <new>

namespace tilewright::driver {

bool MemoryPool::retain(uint64_t memory) {
    const std::lock_guard lock(mutex_);
    const auto taken = taken_.find(memory);
    if (taken == taken_.end()) {
        return false;
    }
    taken->second.owners++;
    return true;
}

bool MemoryPool::give_back(uint64_t memory) {
    const std::lock_guard lock(mutex_);
    const auto taken = taken_.find(memory);
    if (taken == taken_.end()) {
        return false;
    }
    if (--taken->second.owners == 0) {
        cache(taken);
    }
    return true;
}

MemoryPool::Use MemoryPool::use() {
    const std::lock_guard lock(mutex_);
    return use_;
}

void MemoryPool::restart_peak() {
    const std::lock_guard lock(mutex_);
    use_.peak = use_.taken;
}

void MemoryPool::remember(uint64_t memory, const Key &key, Device device) {
    try {
        taken_[memory] = {key, most_cached(device), 1};
    } catch (const std::bad_alloc &) {
        free_(std::get<0>(key), memory);
        throw;
    }
}

void MemoryPool::count_taken(size_t bytes) {
    use_.taken += bytes;
    use_.peak = std::max(use_.peak, use_.taken);
}

void MemoryPool::free_all() {
    const std::lock_guard lock(mutex_);
    free_cached();
}

// The limit that trim_device_memory() documents (device.h).
size_t MemoryPool::most_cached(Device device) {
    const DeviceInfo &info = device_info(device);
    return info.is_gpu ? info.memory / 8 : std::min<uint64_t>(info.memory / 8, uint64_t(1) << 30);
}

// 0: there is none.
uint64_t MemoryPool::take_cached(const Key &key) {
    const auto block = cached_.find(key);
    if (block == cached_.end()) {
        return 0;
    }
    const uint64_t memory = block->second.memory;
    remove(block);
    taken_[memory].owners = 1;
    return memory;
}

// Puts a block into the cache, and frees the oldest blocks of its context that are over the limit.
void MemoryPool::cache(std::map<uint64_t, TakenBlock>::iterator taken) {
    const auto [key, most, owners] = taken->second;
    const auto [context, queue, bytes] = key;
    const uint64_t memory = taken->first;
    use_.taken -= bytes;
    Cached::iterator block = cached_.end();
    try {
        block = cached_.insert({key, {memory, ++clock_}});
        by_age_[clock_] = block;
        cached_bytes_[context] += bytes;
    } catch (const std::bad_alloc &) {  // the host has no memory to remember the block: it is freed at once
        by_age_.erase(clock_);
        if (block != cached_.end()) {
            cached_.erase(block);
        }
        taken_.erase(taken);
        free_(context, memory);
        return;
    }
    for (auto oldest = by_age_.begin(); cached_bytes_[context] > most;) {
        const Cached::iterator candidate = (oldest++)->second;
        if (std::get<0>(candidate->first) == context) {
            free(candidate);
        }
    }
}

void MemoryPool::remove(Cached::iterator block) {
    const auto [context, queue, bytes] = block->first;
    cached_bytes_[context] -= bytes;
    by_age_.erase(block->second.since);
    cached_.erase(block);
}

void MemoryPool::free(Cached::iterator block) {
    const auto [key, cached] = *block;
    remove(block);
    taken_.erase(cached.memory);
    free_(std::get<0>(key), cached.memory);
}

void MemoryPool::free_cached() {
    while (!cached_.empty()) {
        free(cached_.begin());
    }
}

}  // namespace tilewright::driver
