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
// Requests below `smallest_block` are served by the C library. Blocks of 4 MiB and more begin at multiples of
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
        size_t peak;            // the most that were taken since restart_peak()
        uint64_t maps, reuses;  // blocks that the system made, and that were there, since the process began
    };

    // What is done with the pages of each new block, and before a block goes to the system: null, nothing.
    // `unlock` says whether the block may go.
    struct Pages {
        void (*lock)(void *begin, size_t bytes) = nullptr;
        bool (*unlock)(void *begin) = nullptr;
    };

    HostMemory() = default;

    // Memory whose pages are locked. Blocks of any size are its own.
    explicit HostMemory(Pages pages) : pages_(pages), smallest_(1) {}

    // At least so many bytes.
    Block take(size_t bytes) noexcept;

    // Keeps the block, or gives it to the system. Null is allowed.
    void give_back(void *begin) noexcept;

    // Gives the oldest kept blocks to the system until at most `bytes` are kept.
    void trim(size_t bytes) noexcept;

    Use use() const;

    // The peak is what is taken now.
    void restart_peak();

private:
    struct Kept {
        std::byte *begin;
        size_t bytes;
    };

    void count_taken(size_t bytes);
    void unmap(std::byte *begin, size_t bytes) noexcept;
    static size_t most_kept();
    std::byte *take_kept(size_t bytes);
    void trim_locked(size_t bytes) noexcept;

    const Pages pages_ = {};
    const size_t smallest_ = smallest_block;
    mutable std::mutex mutex_;
    std::unordered_map<void *, size_t> taken_;  // bytes of each block
    std::map<uint64_t, Kept> by_age_;           // by clock_
    std::multimap<size_t, uint64_t> by_size_;   // keys of by_age_
    uint64_t clock_ = 0;
    Use use_ = {};
};

// The bytes of memory that this machine has.
size_t installed_memory();

// The host's memory.
HostMemory &host_memory();

}  // namespace tilewright::driver
