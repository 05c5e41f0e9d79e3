// Streams on the devices of this machine: the same results, errors, order and bounds.
#include "tilewright/stream.h"
#include "tests/support/arrays.h"
#include "tests/support/errors.h"
#include "tests/support/operators.h"
#include "tilewright/workload.h"
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <latch>
#include <stdexcept>

namespace tilewright {

TEST(Stream, GivesTheResultsOfTheSameCallsWithoutIt) {
    const Operator *op = built_operator("column_sum");
    if (!op) {
        GTEST_SKIP() << "not run here: column_sum was not built";
    }
    for (const Device device : usable_devices()) {
        if (op->variants("tuned", device.backend).empty()) {
            continue;
        }
        std::vector<Array> images;
        for (int i = 0; i < 12; i++) {
            images.push_back(random_array<uint8_t>({200 + 37 * i, 1500 - 61 * i}, (unsigned)i));
        }
        Stream stream(device);
        std::vector<std::future<Array>> results;
        results.reserve(images.size());
        for (const Array &image : images) {
            results.push_back(stream.start(*op, {image}));
        }
        Array outside;  // a call beside those of the stream
        (*op)({&images[5], 1}, outside, {}, {.device = device});
        for (size_t i = 0; i < images.size(); i++) {
            Array expected;
            (*op)({&images[i], 1}, expected, {}, {.device = Device{}, .schedule = "reference"});
            EXPECT_TRUE(same_bytes(results[i].get(), expected)) << device.str() << ", image " << i;
            if (i == 5) {
                EXPECT_TRUE(same_bytes(outside, expected)) << device.str();
            }
        }
        stream.wait();
    }
}

// Threads write the two halves of one array, one of them in a stream: neither is lost.
TEST(Stream, PartsOfAnArrayMayBeWrittenInsideAndOutside) {
    const Operator *op = built_operator("invert");
    if (!op) {
        GTEST_SKIP() << "not run here: invert was not built";
    }
    for (const Device device : usable_devices()) {
        if (op->variants("tuned", device.backend).empty()) {
            continue;
        }
        const Array image = random_array<uint8_t>({256, 512});
        const Array left = image.crop(0, 0, 256, 256).clone(), right = image.crop(0, 256, 256, 256).clone();
        Array expected;
        (*op)({&image, 1}, expected, {}, {.device = Device{}, .schedule = "reference"});
        for (int i = 0; i < 10; i++) {
            Array output(Type::u8, {256, 512});
            Stream stream(device, 2);
            auto inside = stream.start([&](const Call &call) {
                Array part = output.crop(0, 0, 256, 256);
                (*op)({&left, 1}, part, {}, call);
                return part;
            });
            Array part = output.crop(0, 256, 256, 256);
            (*op)({&right, 1}, part, {}, {.device = device});
            inside.get();
            ASSERT_TRUE(same_bytes(output, expected)) << device.str() << ", round " << i;
        }
    }
}

TEST(Stream, OneAtATimeKeepsTheOrder) {
    Stream stream({}, 1);
    std::vector<int> order;
    for (int i = 0; i < 50; i++) {
        stream.start([&order, i](const Call &) {
            order.push_back(i);
            return Array();
        });
    }
    stream.wait();
    ASSERT_EQ(order.size(), 50u);
    for (int i = 0; i < 50; i++) {
        EXPECT_EQ(order[(size_t)i], i);
    }
}

TEST(Stream, StartWaitsWhereManyCallsWait) {
    std::latch may_end(1);
    std::atomic<int> started{0};
    Stream stream({}, 1);
    const auto call = [&](const Call &) {
        may_end.wait();
        return Array();
    };
    std::thread program([&] {
        for (int i = 0; i < 4; i++) {
            stream.start(call);
            started++;
        }
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_LE(started, 2) << "one runs, and one waits";
    may_end.count_down();
    program.join();
    stream.wait();
    EXPECT_EQ(started, 4);
}

TEST(Stream, ErrorsAreErrorsOfTheCall) {
    Stream stream;
    expect_error(Fault::usage, "16", [] { Stream({}, 0); });
    expect_error(Fault::usage, "16", [] { Stream({}, 17); });
    expect_error(Fault::device, "no such device", [] { Stream({Backend::cpu, 9}); });
    expect_error(Fault::usage, "work: it is an empty function", [&] { stream.start(Stream::Work()); });
    auto refused = stream.start(
        [](const Call &) -> Array { throw Error(Fault::input, "the first one cannot be used"); });
    auto thrown = stream.start([](const Call &) -> Array { throw std::runtime_error("the second one"); });
    EXPECT_EQ(error_of([&] { refused.get(); }).fault(), Fault::input);
    EXPECT_THROW(thrown.get(), std::runtime_error);
    EXPECT_ANY_THROW(stream.wait());
    EXPECT_NO_THROW(stream.wait());
}

TEST(Stream, WhatACallHoldsIsGoneWhenItsResultIsThere) {
    Stream stream({}, 1);
    const auto held = std::make_shared<int>(1);
    stream.start([held](const Call &) { return Array(); }).get();
    EXPECT_EQ(held.use_count(), 1);
}

TEST(Pinned, ArraysAreLikeOthers) {
    Array array = Array::pinned(Type::u16, {33, 65});
    EXPECT_EQ(array.strides()[0], Array(Type::u16, {33, 65}).strides()[0]);
    fill_random<uint16_t>(array);
    EXPECT_TRUE(same_bytes(array, array.clone()));
    for (const Device device : usable_devices()) {
        array.sync(device);
        array.as<uint16_t>()[64]++;
        const Array before = array.clone();
        array.sync(device);
        EXPECT_TRUE(same_bytes(array, before)) << device.str();
    }
    EXPECT_EQ(Array::pinned(Type::u8, {10, 10}, 0).strides()[0], 10);
    expect_error(Fault::usage, "shape", [] { Array::pinned(Type::u8, {}); });
}

}  // namespace tilewright
