// Host memory that is kept: what is used again, what is zero, what is bounded, and that a warm call asks the
// system for nothing.
#include "runtime/devices/memory/host_memory.h"
#include "tests/support/arrays.h"
#include "tests/support/operators.h"
#include <cstring>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace tilewright {
namespace {

using driver::host_memory;
using driver::HostMemory;

TEST(HostMemory, BlocksAreAlignedAndUsedAgain) {
    for (const size_t bytes : {size_t(1), size_t(1000), size_t(65536), size_t(100000), size_t(5) << 20}) {
        HostMemory memory;
        const HostMemory::Block first = memory.take(bytes);
        ASSERT_NE(first.begin, nullptr);
        EXPECT_EQ((uintptr_t)first.begin % (bytes < size_t(4) << 20 ? 128 : 2 << 20), 0u) << bytes;
        memset(first.begin, 1, bytes);
        memory.give_back(first.begin);
        const bool is_block = bytes >= HostMemory::smallest_block;
        EXPECT_EQ(memory.use().kept > 0, is_block);
        const HostMemory::Block second = memory.take(bytes);
        if (is_block) {
            EXPECT_TRUE(first.is_zero);
            EXPECT_EQ(second.begin, first.begin);
            EXPECT_FALSE(second.is_zero);
            EXPECT_EQ(memory.use().maps, 1u);
            EXPECT_EQ(memory.use().kept, 0u);
        }
        memory.give_back(second.begin);
        memory.trim(0);
        EXPECT_EQ(memory.use().kept, 0u);
    }
    HostMemory memory;
    memory.give_back(nullptr);
}

TEST(HostMemory, TheOldestBlocksGoFirst) {
    HostMemory memory;
    const size_t size = size_t(1) << 20;
    std::vector<std::byte *> blocks(4);
    for (std::byte *&block : blocks) {
        block = memory.take(size).begin;
        ASSERT_NE(block, nullptr);
    }
    for (std::byte *block : blocks) {
        memory.give_back(block);
    }
    EXPECT_EQ(memory.use().kept, 4 * size);
    memory.trim(2 * size);
    EXPECT_EQ(memory.use().kept, 2 * size);
    std::byte *last = memory.take(size).begin, *before = memory.take(size).begin;
    EXPECT_EQ(last, blocks[3]);
    EXPECT_EQ(before, blocks[2]);
    memory.give_back(last);
    memory.give_back(before);
    memory.trim(0);
}

TEST(HostMemory, MoreThanMemoryIsNull) {
    HostMemory memory;
    EXPECT_EQ(memory.take(SIZE_MAX).begin, nullptr);
    EXPECT_EQ(memory.take(SIZE_MAX / 2).begin, nullptr);
    EXPECT_EQ(memory.use().taken, 0u);
}

TEST(HostMemory, ThreadsShareIt) {
    HostMemory memory;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++) {
        threads.emplace_back([&memory, t] {
            for (int i = 0; i < 500; i++) {
                const size_t bytes = size_t(65536) * (1 + (i * 7 + t) % 5);
                std::byte *block = memory.take(bytes).begin;
                memset(block, t, bytes);
                for (size_t at = 0; at < bytes; at += 4096) {
                    ASSERT_EQ(block[at], (std::byte)t);
                }
                memory.give_back(block);
            }
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    EXPECT_EQ(memory.use().taken, 0u);
    memory.trim(0);
}

TEST(HostMemory, AnArrayInMemoryOfAnotherIsZero) {
    for (const int64_t side : {10, 300, 3000}) {
        for (int i = 0; i < 3; i++) {
            Array array(Type::u8, {side, side});
            uint8_t *bytes = array.as<uint8_t>();
            for (int64_t at = 0; at < side * array.strides()[0]; at++) {
                ASSERT_EQ(bytes[at], 0) << side << ": " << at;
                bytes[at] = 255;
            }
        }
    }
}

// How many blocks are in use at a time depends on how the threads meet, so some calls may pass before there
// are enough of them.
TEST(HostMemory, WarmCallsAskTheSystemForNothing) {
    for (const Operator *op : operators()) {
        const Sample sample = small_sample(*op, op->variants().front().type, 512, 512);
        Array output;
        (*op)(sample.inputs, output, sample.settings, {.device = Device{}});
        const size_t taken = host_memory().use().taken;
        uint64_t maps = 0, before = 0;
        for (int i = 0; i < 20 && (i == 0 || maps != before); i++) {
            before = host_memory().use().maps;
            (*op)(sample.inputs, output, sample.settings, {.device = Device{}});
            maps = host_memory().use().maps;
        }
        EXPECT_EQ(maps, before) << op->name();
        EXPECT_EQ(host_memory().use().taken, taken) << op->name();
    }
}

}  // namespace
}  // namespace tilewright
