#include "tests/runtime/fence/fenced_memory.h"
#include "generators/algorithms/integers.h"
#include "runtime/devices/memory/host_memory.h"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <sys/mman.h>

namespace tilewright {

namespace {

constexpr size_t page = 4096;
std::atomic<Fence> fence_now{Fence::behind};

struct Mapping {
    std::byte *begin;
    size_t bytes;
};

struct Taken {
    std::mutex mutex;
    std::map<void *, Mapping> mappings;  // by the first byte of their blocks
};

Taken &taken() {
    static auto &all = *new Taken;  // never destroyed: arrays are given back until the process ends
    return all;
}

}  // namespace

void set_fence(Fence fence) {
    fence_now = fence;
}

std::byte *take_fenced(size_t bytes, size_t alignment) {
    const bool behind = fence_now == Fence::behind;
    const size_t inside = round_up(std::max<size_t>(bytes, 1), alignment), pages = round_up(inside, page);
    void *memory = mmap(nullptr, pages + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        throw std::bad_alloc();
    }
    const Mapping mapping{static_cast<std::byte *>(memory), pages + 2 * page};
    mprotect(mapping.begin + page, pages, PROT_READ | PROT_WRITE);
    madvise(mapping.begin + page, pages, MADV_HUGEPAGE);  // the system takes longest to make small ones
    std::byte *begin = mapping.begin + page + (behind ? pages - inside : 0);
    memset(begin, behind ? 0xff : 0, inside);  // 0xff: NaN as a float
    const std::lock_guard lock(taken().mutex);
    taken().mappings[begin] = mapping;
    return begin;
}

void give_back_fenced(void *begin) {
    if (begin != nullptr) {
        const std::lock_guard lock(taken().mutex);
        const auto [mapped, bytes] = taken().mappings.extract(begin).mapped();
        munmap(mapped, bytes);
    }
}

namespace driver {

// Halide's code for AVX-512 expects intermediate arrays at multiples of 64 bytes.
HostMemory::Block HostMemory::take(size_t bytes) noexcept {
    return {take_fenced(bytes, 64), false};
}

void HostMemory::give_back(void *begin) noexcept {
    give_back_fenced(begin);
}

void HostMemory::trim(size_t) noexcept {}

HostMemory::Use HostMemory::use() const {
    return {};
}

void HostMemory::restart_peak() {}

size_t installed_memory() {
    return size_t(16) << 30;
}

HostMemory &host_memory() {
    static auto &memory = *new HostMemory;
    return memory;
}

}  // namespace driver

}  // namespace tilewright
