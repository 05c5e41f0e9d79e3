// A program that ends while its threads compute.
#include "tests/support/operators.h"
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>

namespace tilewright {

namespace {

// Ends the program while threads of it compute.
[[noreturn]] void exit_while_threads_compute(Device device) {
    static std::atomic<int> calls{0};
    for (int t = 0; t < 4; t++) {
        std::thread([device, t] {
            const Operator *op = nullptr;
            for (const Operator *o : operators()) {
                op = o->variants("tuned", device.backend).empty() ? op : o;
            }
            const Sample sample =
                small_sample(*op, op->variants("tuned", device.backend).front()->type, 200 + t, 200);
            for (;;) {
                Array output;
                (*op)(sample.inputs, output, sample.settings, {.device = device});
                output.sync();
                calls++;
            }
        }).detach();
    }
    while (calls < 12) {
        std::this_thread::yield();
    }
    exit(0);
}

}  // namespace

TEST(ExitDeathTest, ThreadsMayComputeMeanwhile) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    for (const Device &device : usable_devices()) {
        const auto &all = operators();
        if (std::none_of(all.begin(), all.end(),
                [&](const Operator *o) { return !o->variants("tuned", device.backend).empty(); })) {
            continue;  // no libraries were built for it
        }
        for (int i = 0; i < 5; i++) {
            EXPECT_EXIT(exit_while_threads_compute(device), testing::ExitedWithCode(0), "") << device.str();
        }
    }
}

}  // namespace tilewright
