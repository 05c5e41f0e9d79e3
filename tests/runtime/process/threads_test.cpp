// Eight threads call every operator at once on the CPU: each result is that of a call alone.
// `./dev sanitize thread` runs it under ThreadSanitizer, which sees our code and not Halide's.
#include "tests/support/arrays.h"
#include "tests/support/operators.h"
#include "tilewright/error.h"
#include <gtest/gtest.h>
#include <set>
#include <thread>

namespace tilewright {
namespace {

struct Known {
    const Operator *op;
    Sample sample;
    Array result;
};

// The tuned variant of each operator and type.
std::vector<Known> known_results() {
    std::vector<Known> all;
    for (const Operator *op : operators()) {
        std::set<std::string> types;
        for (const Variant *variant : op->variants("tuned", Backend::cpu)) {
            if (!types.insert(variant->type).second) {
                continue;
            }
            Sample sample = small_sample(*op, variant->type, 32, 32);
            Array result = result_of(*op, sample.inputs, sample.settings, Device{});
            all.push_back({op, std::move(sample), std::move(result)});
        }
    }
    return all;
}

// Another order for each thread, so that different operators meet.
void call_all(const std::vector<Known> &all, size_t thread, std::string &difference) {
    for (size_t i = 0; i < 3 * all.size(); i++) {
        const Known &known = all[(i * (2 * thread + 1) + thread) % all.size()];
        const Array result = result_of(*known.op, known.sample.inputs, known.sample.settings, Device{});
        if (!same_bytes(result, known.result)) {
            difference = known.op->name() + ", " + known.sample.what;
        }
    }
}

TEST(Threads, EightCallEveryOperatorAtOnce) {
    const std::vector<Known> all = known_results();
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
