#include "runtime/devices/calls/recorded_kernels.h"
#include "runtime/devices/memory/memory_pool.h"
#include <algorithm>
#include <new>
#include <utility>

namespace tilewright::driver {

uint64_t RecordedKernels::take_memory(size_t bytes) noexcept {
    for (Block &block : memory_) {
        if (block.is_idle && block.bytes == bytes) {
            block.is_idle = false;
            return block.memory;
        }
    }
    return 0;
}

void RecordedKernels::keep_memory(uint64_t memory, size_t bytes) noexcept try {
    memory_.push_back({memory, bytes, false});
} catch (const std::bad_alloc &) {
    give_up();
}

bool RecordedKernels::give_back_memory(uint64_t memory) noexcept {
    const auto block =
        std::ranges::find_if(memory_, [&](const Block &block) { return block.memory == memory; });
    if (block == memory_.end()) {
        return false;
    }
    block->is_idle = true;
    return true;
}

void RecordedKernels::lose_memory(uint64_t memory) noexcept {
    std::erase_if(memory_, [&](const Block &block) { return block.memory == memory; });
    give_up();
}

void RecordedKernels::let_go() noexcept {
    for (Block &block : memory_) {
        if (block.is_idle) {
            pool_.give_back(std::exchange(block.memory, 0));
        }
    }
}

bool RecordedKernels::complete(std::span<const Buffer> buffers) {
    if (!is_complete_ || !std::ranges::all_of(memory_, &Block::is_idle)) {
        return false;
    }
    std::vector<Buffer> all(buffers.begin(), buffers.end());
    for (const Block &block : memory_) {
        all.push_back({block.memory, block.bytes});
    }
    return make(all);
}

void RecordedKernels::launch(std::span<const uint64_t> addresses) {
    addresses_.assign(addresses.begin(), addresses.end());
    for (Block &block : memory_) {
        block.memory = block.memory != 0 ? block.memory : allocated(block.bytes);
        addresses_.push_back(block.memory);
    }
    start(addresses_);
}

}  // namespace tilewright::driver
