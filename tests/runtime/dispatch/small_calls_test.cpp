// Calls on small data do not pay for what large data needs: scratch memory of large blocks, and threads.
#include "runtime/devices/memory/host_memory.h"
#include "tests/support/operators.h"
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>

namespace tilewright {
namespace {

std::vector<const Operator *> sums() {
    std::vector<const Operator *> found;
    for (const Operator *op : operators()) {
        if (op->name() == "column_sum" || op->name() == "row_sum") {
            found.push_back(op);
        }
    }
    return found;
}

void call_small(const Operator &op, const std::string &type) {
    for (const auto &[width, height] : {std::pair{1, 1}, {33, 17}, {64, 64}, {256, 256}, {1000, 33}}) {
        const Sample sample = small_sample(op, type, width, height);
        Array output;
        op(sample.inputs, output, sample.settings, {.device = Device{}});
    }
}

// Sums were once rounded up to 16384 columns, whatever the image's width.
TEST(SmallCalls, SumsTakeNoLargeBlocks) {
    if (sums().empty()) {
        GTEST_SKIP() << "not run here: no sums were built";
    }
    for (const Operator *op : sums()) {
        for (const char *type : {"u8", "u16"}) {
            const auto blocks = [] {
                const driver::HostMemory::Use use = driver::host_memory().use();
                return use.maps + use.reuses;
            };
            const Sample sample = small_sample(*op, type, 100, 100);
            Array output;
            const uint64_t before = blocks();
            (*op)(sample.inputs, output, sample.settings, {.device = Device{}});
            EXPECT_EQ(blocks(), before) << op->name() << " of " << type;
        }
    }
}

// Exits with the number of threads that the process has after small calls.
[[noreturn]] void exit_with_threads() {
    for (const Operator *op : sums()) {
        for (const char *type : {"u8", "u16", "f32"}) {
            call_small(*op, type);
        }
    }
    const std::filesystem::directory_iterator threads("/proc/self/task");
    exit((int)std::distance(begin(threads), end(threads)));
}

TEST(SmallCallsDeathTest, SumsStartNoThread) {
    if (sums().empty()) {
        GTEST_SKIP() << "not run here: no sums were built";
    }
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(exit_with_threads(), testing::ExitedWithCode(1), "");
}

}  // namespace
}  // namespace tilewright
