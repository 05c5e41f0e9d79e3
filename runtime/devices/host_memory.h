#pragma once
// Host memory that arrays and calls gave back, kept for the next ones. Not installed.
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>

namespace tilewright::driver {

// The memory of owned arrays, and the intermediate arrays of CPU libraries. The system hands out large memory
// by pages and clears each page at its first use, which takes longer than many calls: so blocks are kept, by
// size. At most most_kept() bytes are kept; beyond that the blocks that were given back first go to the
// system.
//
// Blocks below `smallest_block` come from the C library. Blocks of 4 MiB and more begin at multiples of
// 2 MiB, and the system is asked for huge pages.
class HostMemory {
public:
    static constexpr size_t smallest_block = size_t(64) << 10;

    struct Block {
        std::byte *begin;  // aligned to 128 bytes; null: there is no such memory
        bool is_zero;      // every byte is 0, because the block is new
    };

    struct Use {
        size_t taken, kept;     // bytes of blocks
        uint64_t maps, reuses;  // blocks that the system made, and that were there, since the process began
    };

    // At least so many bytes.
    Block take(size_t bytes) noexcept;

    // Keeps the block, or gives it to the system. Null is allowed.
    void give_back(void *begin) noexcept;

    // Gives the oldest kept blocks to the system until at most `bytes` are kept.
    void trim(size_t bytes) noexcept;

    Use use() const;

private:
    struct Kept {
        std::byte *begin;
        size_t bytes;
    };

    static size_t most_kept();
    std::byte *take_kept(size_t bytes);
    void trim_locked(size_t bytes) noexcept;

    mutable std::mutex mutex_;
    std::unordered_map<void *, size_t> taken_;  // bytes of each block
    std::map<uint64_t, Kept> by_age_;           // by clock_
    std::multimap<size_t, uint64_t> by_size_;   // keys of by_age_
    uint64_t clock_ = 0;
    Use use_ = {};
};

// The bytes of memory that this machine has.
size_t installed_memory();

// The host's memory. It is never destroyed: threads may still call libraries while the process ends.
HostMemory &host_memory();

}  // namespace tilewright::driver
