// Prepared calls of every operator on the devices of this machine, and calls by the plan of an earlier one:
// the bytes of the first call.
#include "tests/support/arrays.h"
#include "tests/support/operators.h"
#include "tilewright/prepared.h"
#include "tilewright/workload.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace tilewright {
namespace {

// The same elements in another order: those of each row from its end.
Array mirrored(const Array &array) {
    Array other =
        array.clone(array.dimensions() > 1 ? array.strides()[0] * (int64_t)size_of(array.type()) : 0);
    const int64_t rows = array.dimensions() > 1 ? array.shape()[0] : 1, n = array.size() / rows;
    const auto bytes = (int64_t)size_of(array.type());
    const auto *from = static_cast<const char *>(array.data());
    auto *to = static_cast<char *>(other.data());
    for (int64_t y = 0; y < rows; y++) {
        for (int64_t x = 0; x < n; x++) {
            const int64_t row = rows > 1 ? y * array.strides()[0] : 0;
            memcpy(to + (row + x) * bytes, from + (row + n - 1 - x) * bytes, (size_t)bytes);
        }
    }
    return other;
}

std::vector<Array> mirrored(const std::vector<Array> &arrays) {
    std::vector<Array> others;
    for (const Array &array : arrays) {
        others.push_back(mirrored(array));
    }
    return others;
}

void expect_equals_the_call(const Operator &op, const Sample &sample, Device device) {
    const auto &[inputs, settings, what] = sample;
    SCOPED_TRACE(op.name() + ", " + what + ", " + device.str());
    const std::vector<Array> others = mirrored(inputs);
    const Array expected = result_of(op, inputs, settings, device),
                expected_of_others = result_of(op, others, settings, device);
    Array output, output_of_others;
    Prepared prepared = op.prepare(inputs, output, settings, {.device = device});
    EXPECT_EQ(prepared.device(), device);
    EXPECT_TRUE(same_bytes(output, expected)) << "when it is prepared";
    prepared();
    EXPECT_TRUE(same_bytes(output, expected)) << "again";
    EXPECT_TRUE(prepared.takes(others));
    prepared(others, output_of_others);
    EXPECT_TRUE(same_bytes(output_of_others, expected_of_others)) << "other arrays";
    EXPECT_TRUE(same_bytes(output, expected)) << "what the call before has written stays";
    memset(output.data(), 0x5a, 1);
    prepared(inputs, output);
    EXPECT_TRUE(same_bytes(output, expected)) << "the first arrays";
    EXPECT_TRUE(same_bytes(output_of_others, expected_of_others)) << "what the call before has written stays";
    Prepared moved = std::move(prepared);
    moved(others, output);
    EXPECT_TRUE(same_bytes(output, expected_of_others)) << "moved";
}

// Of calls like each other, the second one keeps its plan (runtime/dispatch/kept_calls.h).
void expect_repeats_the_call(const Operator &op, const Sample &sample, Device device) {
    const std::vector<Array> &inputs = sample.inputs;
    SCOPED_TRACE(op.name() + ", " + sample.what + ", " + device.str());
    const std::vector<Array> others = mirrored(inputs);
    const auto call = [&](std::span<const Array> given, Array output = {}) {
        Statistics statistics;
        op(given, output, sample.settings, {.device = device, .statistics = &statistics});
        return std::pair(output, statistics);
    };
    const auto [first, of_first] = call(inputs);
    const auto [second, of_second] = call(others);
    const auto [third, of_third] = call(inputs);
    EXPECT_TRUE(same_bytes(third, first)) << "by the plan";
    EXPECT_EQ(of_third.variant, of_first.variant);
    EXPECT_EQ(of_third.libraries, of_first.libraries);
    EXPECT_EQ(of_third.counters.kernels, of_second.counters.kernels);
    EXPECT_TRUE(same_bytes(call(others, third).first, second)) << "on other arrays";
    std::vector<Array> dense;
    for (const Array &input : inputs) {
        dense.push_back(input.clone(0));
    }
    EXPECT_TRUE(same_bytes(call(dense).first, first)) << "on arrays in another layout";
    EXPECT_TRUE(same_bytes(call(inputs).first, first)) << "by the plan again";
}

class PreparedOperator : public testing::TestWithParam<const Operator *> {};

}  // namespace

TEST_P(PreparedOperator, EqualsTheCall) {
    const Operator &op = *GetParam();
    for (const Device device : usable_devices()) {
        for (const std::string &type : quick_types(op, device)) {
            expect_equals_the_call(op, small_sample(op, type, 256, 128), device);
            if (device_info(device).is_gpu) {
                expect_equals_the_call(op, small_sample(op, type, 1024, 1024), device);
            }
        }
    }
}

TEST_P(PreparedOperator, CallsLikeEarlierOnesEqualThem) {
    const Operator &op = *GetParam();
    for (const Device device : usable_devices()) {
        for (const std::string &type : quick_types(op, device)) {
            expect_repeats_the_call(op, small_sample(op, type, 256, 128), device);
        }
    }
}

// There are more sizes than plans that an operator keeps, and the threads meet at the same ones.
TEST(CallsLikeEarlierOnes, ServeSeveralThreads) {
    const Operator &op = find_operator("invert");
    for (const Device device : usable_devices()) {
        std::vector<Sample> samples;
        std::vector<Array> expected;
        for (int i = 0; i < 10; i++) {
            samples.push_back(small_sample(op, "u8", 64, 40 + i));
            expected.push_back(result_of(op, samples.back().inputs, samples.back().settings, device));
        }
        std::array<int, 4> wrong = {};
        std::vector<std::thread> threads;
        for (int &of_thread : wrong) {
            threads.emplace_back([&] {
                for (int i = 0; i < 120; i++) {
                    const auto at = (size_t)(i % 40 < 20 ? i % 2 : i % 10);
                    Array output;
                    op(samples[at].inputs, output, samples[at].settings, {.device = device});
                    of_thread += !same_bytes(output, expected[at]);
                }
            });
        }
        for (std::thread &thread : threads) {
            thread.join();
        }
        EXPECT_EQ(wrong, (std::array<int, 4>{})) << device.str();
    }
}

// On CUDA: calls whose kernels need nothing of the host between them.
TEST_P(PreparedOperator, IsOneLaunchOnCuda) {
    const std::set<std::string> of_one_launch = {"column_sum", "row_sum", "transpose", "gaussian_blur",
        "recursive_gaussian", "matmul", "invert", "fft2d", "fresnel"};
    std::string why_not;
    const std::optional<DeviceInfo> cuda = usable_device(Backend::cuda, why_not);
    if (!cuda || !of_one_launch.contains(GetParam()->name())) {
        GTEST_SKIP() << "not run here: " << why_not;
    }
    for (const std::string &type : quick_types(*GetParam(), cuda->device)) {
        const Sample sample = small_sample(*GetParam(), type, 256, 256);
        Array output;
        EXPECT_TRUE(GetParam()
                ->prepare(sample.inputs, output, sample.settings, {.device = cuda->device})
                .is_one_launch())
            << type;
    }
}

INSTANTIATE_TEST_SUITE_P(Operators, PreparedOperator, testing::ValuesIn(operators()),
    [](const auto &info) { return info.param->name(); });

}  // namespace tilewright
