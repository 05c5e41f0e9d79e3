#include "runtime/devices/memory/host_memory.h"
#include "generators/algorithms/integers.h"
#include "runtime/process/immortal.h"
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace tilewright::driver {

namespace {

constexpr size_t alignment = 128;  // what Halide's code expects
constexpr size_t page = 4096, huge_page = size_t(2) << 20, least_in_huge_pages = 2 * huge_page;

// Sizes are rounded up, so that calls with similar sizes use the same blocks: to a multiple of an eighth of
// the power of two below, and of a page.
size_t block_size(size_t bytes) {
    const size_t step = std::max(std::bit_floor(bytes) / 8, bytes < least_in_huge_pages ? page : huge_page);
    return round_up(bytes, step);
}

std::byte *map(size_t bytes) {
    const int access = PROT_READ | PROT_WRITE, kind = MAP_PRIVATE | MAP_ANONYMOUS;
    const size_t more = bytes < least_in_huge_pages ? 0 : huge_page;
    void *memory = mmap(nullptr, bytes + more, access, kind, -1, 0);
    if (memory == MAP_FAILED) {
        return nullptr;
    }
    if (more == 0) {
        return static_cast<std::byte *>(memory);
    }
    // What is mapped in front of the first multiple of 2 MiB, and behind the block, is not needed.
    auto *begin = static_cast<std::byte *>(memory);
    const auto address = reinterpret_cast<uintptr_t>(begin);
    const size_t front = round_up(address, huge_page) - address;
    if (front > 0) {
        munmap(begin, front);
    }
    if (more > front) {
        munmap(begin + front + bytes, more - front);
    }
    madvise(begin + front, bytes, MADV_HUGEPAGE);  // where the system has none, small pages do
    return begin + front;
}

// aligned_alloc() takes several times as long as malloc(). So small memory is made larger and begins at the
// first multiple of the alignment; in front of it is what malloc() gave.
std::byte *take_small(size_t bytes) {
    void *memory = malloc(round_up(bytes, alignment) + sizeof memory + alignment);
    if (memory == nullptr) {
        return nullptr;
    }
    const uintptr_t begin = round_up(reinterpret_cast<uintptr_t>(memory) + sizeof memory, alignment);
    auto *place = reinterpret_cast<void **>(begin);
    place[-1] = memory;
    return reinterpret_cast<std::byte *>(place);
}

void free_small(void *begin) {
    free(static_cast<void **>(begin)[-1]);
}

// Blocks begin at a page. What the C library gives begins at a page only by chance.
bool may_be_block(const void *begin) {
    return reinterpret_cast<uintptr_t>(begin) % page == 0;
}

}  // namespace

size_t HostMemory::most_kept() {
    static const size_t most = std::min(installed_memory() / 8, size_t(1) << 30);
    return most;
}

std::byte *HostMemory::take_kept(size_t bytes) {
    // Of the blocks of this size the one that was given back last: its bytes are the likeliest to be in a
    // cache.
    const auto end = by_size_.upper_bound(bytes);
    if (end == by_size_.begin() || std::prev(end)->first != bytes) {
        return nullptr;
    }
    const auto last = std::prev(end);
    const auto kept = by_age_.find(last->second);
    std::byte *begin = kept->second.begin;
    taken_.emplace(begin, bytes);  // may fail: then the block stays where it is
    by_age_.erase(kept);
    by_size_.erase(last);
    use_.kept -= bytes;
    return begin;
}

void HostMemory::unmap(std::byte *begin, size_t bytes) noexcept {
    if (pages_.unlock == nullptr || pages_.unlock(begin)) {
        munmap(begin, bytes);
    }
}

HostMemory::Block HostMemory::take(size_t bytes) noexcept {
    if (bytes < smallest_) {
        return {take_small(bytes), false};
    }
    try {
        const std::lock_guard lock(mutex_);
        const size_t size = block_size(bytes);
        if (size < bytes) {
            return {nullptr, false};
        }
        if (std::byte *kept = take_kept(size)) {
            count_taken(size);
            use_.reuses++;
            return {kept, false};
        }
        std::byte *made = map(size);
        if (made == nullptr && use_.kept > 0) {
            trim_locked(0);
            made = map(size);
        }
        if (made == nullptr) {
            return {nullptr, false};
        }
        if (pages_.lock != nullptr) {
            pages_.lock(made, size);
        }
        try {
            taken_.emplace(made, size);
        } catch (const std::bad_alloc &) {
            unmap(made, size);
            return {nullptr, false};
        }
        count_taken(size);
        use_.maps++;
        return {made, true};
    } catch (const std::bad_alloc &) {
        return {nullptr, false};
    }
}

void HostMemory::give_back(void *begin) noexcept {
    if (begin == nullptr) {
        return;
    }
    if (!may_be_block(begin)) {
        free_small(begin);
        return;
    }
    const std::lock_guard lock(mutex_);
    const auto taken = taken_.find(begin);
    if (taken == taken_.end()) {
        free_small(begin);
        return;
    }
    const size_t size = taken->second;
    use_.taken -= size;
    taken_.erase(taken);
    try {
        by_age_[++clock_] = {static_cast<std::byte *>(begin), size};
        by_size_.emplace(size, clock_);
        use_.kept += size;
        trim_locked(most_kept());
    } catch (const std::bad_alloc &) {
        by_age_.erase(clock_);
        unmap(static_cast<std::byte *>(begin), size);
    }
}

void HostMemory::trim_locked(size_t bytes) noexcept {
    while (use_.kept > bytes) {
        const auto oldest = by_age_.begin();
        const auto [first, last] = by_size_.equal_range(oldest->second.bytes);
        by_size_.erase(
            std::find_if(first, last, [&](const auto &one) { return one.second == oldest->first; }));
        use_.kept -= oldest->second.bytes;
        unmap(oldest->second.begin, oldest->second.bytes);
        by_age_.erase(oldest);
    }
}

void HostMemory::trim(size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    trim_locked(bytes);
}

HostMemory::Use HostMemory::use() const {
    const std::lock_guard lock(mutex_);
    return use_;
}

void HostMemory::restart_peak() {
    const std::lock_guard lock(mutex_);
    use_.peak = use_.taken;
}

void HostMemory::count_taken(size_t bytes) {
    use_.taken += bytes;
    use_.peak = std::max(use_.peak, use_.taken);
}

size_t installed_memory() {
    static const size_t installed = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGE_SIZE);
    return installed;
}

HostMemory &host_memory() {
    return immortal([] { return HostMemory(); });
}

}  // namespace tilewright::driver
