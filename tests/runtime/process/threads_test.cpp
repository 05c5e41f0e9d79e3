// Eight threads call every operator at once on the CPU: each result is that of a call alone.
// `./dev sanitize thread` runs it under ThreadSanitizer, which sees our code and not Halide's.
#include "tests/support/arrays.h"
#include "tests/support/operators.h"
#include "tilewright/error.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <iterator>
#include <thread>

namespace tilewright {
namespace {

// Another order for each thread, so that different operators meet.
void call_all(const std::vector<KnownCall> &all, size_t thread, std::string &difference) {
    for (size_t i = 0; i < 3 * all.size(); i++) {
        const KnownCall &known = all[(i * (2 * thread + 1) + thread) % all.size()];
        const Array result = result_of(*known.op, known.sample.inputs, known.sample.settings, Device{});
        if (!same_bytes(result, known.result)) {
            difference = known.op->name() + ", " + known.sample.what;
        }
    }
}

TEST(Threads, EightCallEveryOperatorAtOnce) {
    std::vector<KnownCall> all;
    for (const Operator *op : operators()) {
        std::ranges::move(known_calls(*op, Device{}, 32, 32), std::back_inserter(all));
    }
    ASSERT_GE(all.size(), operators().size());
    std::vector<std::string> differences(8);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < differences.size(); i++) {
        threads.emplace_back([&, i] { call_all(all, i, differences[i]); });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    for (const std::string &difference : differences) {
        EXPECT_EQ(difference, "");
    }
}

}  // namespace
}  // namespace tilewright
