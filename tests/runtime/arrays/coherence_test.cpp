// Arrays that the host and a device use in turn, or threads at once: every use sees what was written last.
#include "tests/support/arrays.h"
#include "tests/support/errors.h"
#include "tests/support/operators.h"
#include <chrono>
#include <cstring>
#include <future>
#include <gtest/gtest.h>
#include <thread>

namespace tilewright {

namespace {

// `invert` represents all operators here: which copy of the data is brought up to date is the same for each.
class Coherence : public testing::Test {
protected:
    void SetUp() override {
        if (!op_) {
            GTEST_SKIP() << "not run here: invert was not built";
        }
        std::string why_not;
        const auto found = usable_device(Backend::opencl, why_not);
        if (!found) {
            GTEST_SKIP() << "not run here: " << why_not;
        }
        if (op_->variants("tuned", Backend::opencl).empty()) {
            GTEST_SKIP() << "not run here: the OpenCL libraries were not built";
        }
        opencl_ = found->device;
    }

    void invert(const Array &input, Array &output, Device device, Statistics *statistics = nullptr,
        const char *schedule = "tuned") {
        (*op_)({&input, 1}, output, {}, {.device = device, .schedule = schedule, .statistics = statistics});
    }

    Array inverted(const Array &input) {
        Array output;
        invert(input, output, {}, nullptr, "reference");
        return output;
    }

    static void expect_inverted(const Array &input, const Array &output) {
        ASSERT_EQ(input.shape(), output.shape());
        const uint8_t *in = input.as<uint8_t>(), *out = output.as<uint8_t>();
        for (int64_t y = 0; y < input.shape()[0]; y++) {
            for (int64_t x = 0; x < input.shape()[1]; x++) {
                ASSERT_EQ(out[y * output.strides()[0] + x], 255 - in[y * input.strides()[0] + x])
                    << "x " << x << ", y " << y;
            }
        }
    }

    const Operator *op_ = built_operator("invert");
    Device opencl_;
};

}  // namespace

// The first of these tests, because only a process's first call builds the kernels.
TEST_F(Coherence, StatisticsTellTheFirstCallFromTheNext) {
    const Array input = random_array<uint8_t>({100, 200});
    Array output;
    Statistics first, second;
    invert(input, output, opencl_, &first);
    invert(input, output, opencl_, &second);
    EXPECT_GT(first.counters.modules, 0u);
    EXPECT_GT(first.counters.module_ms, 0);
    EXPECT_EQ(second.counters.modules, 0u);
    EXPECT_EQ(second.counters.module_ms, 0);
    EXPECT_EQ(first.counters.copies_to_device, 1u);
    EXPECT_GE(first.counters.bytes_to_device, 100u * 200u);
    EXPECT_EQ(second.counters.copies_to_device, 0u);
    EXPECT_GT(second.counters.kernels, 0u);
    EXPECT_EQ(second.variant.rfind("invert/tuned", 0), 0u) << second.variant;
    EXPECT_EQ(second.device, opencl_.str());
    EXPECT_GT(second.total_ms, 0);
    const Counters before = counters();
    output.sync();
    EXPECT_EQ(counters().copies_to_host - before.copies_to_host, 1u);
    Statistics cpu;
    Array other;
    invert(input, other, {}, &cpu);
    EXPECT_EQ(cpu.counters.kernels, 0u);
    EXPECT_EQ(cpu.counters.copies_to_device + cpu.counters.copies_to_host, 0u);
}

TEST_F(Coherence, WhatTheHostWritesReachesTheDeviceAndBack) {
    Array input = random_array<uint8_t>({37, 53}), output;
    invert(input, output, opencl_);
    expect_inverted(input, output);
    input.as<uint8_t>()[5] ^= 255;  // non-const access: the device's copy is stale now
    invert(input, output, opencl_);
    expect_inverted(input, output);
    output.as<uint8_t>()[0] = 1;  // and the host's is the newest
    Array back;
    invert(output, back, opencl_);
    expect_inverted(output, back);
}

TEST_F(Coherence, ResultsGoFromCallToCallOnTheDevice) {
    Array input = random_array<uint8_t>({64, 48}), middle, output;
    invert(input, middle, opencl_);
    Statistics statistics;
    invert(middle, output, opencl_, &statistics);
    EXPECT_EQ(statistics.counters.copies_to_device, 0u);
    EXPECT_EQ(statistics.counters.copies_to_host, 0u);
    for (int64_t y = 0; y < 64; y++) {
        ASSERT_EQ(memcmp(output.as<uint8_t>() + y * output.strides()[0],
                      input.as<uint8_t>() + y * input.strides()[0], 48),
            0);
    }
}

TEST_F(Coherence, CallsOnSeveralDevicesFollowEachOther) {
    Array input = random_array<uint8_t>({45, 67}), on_device, on_cpu;
    invert(input, on_device, opencl_);
    invert(on_device, on_cpu, {});
    expect_inverted(on_device, on_cpu);
    Array again;
    invert(on_cpu, again, opencl_);
    expect_inverted(on_cpu, again);
}

TEST_F(Coherence, CropsInAndOut) {
    Array large = random_array<uint8_t>({90, 110}), canvas = random_array<uint8_t>({120, 100});
    const Array before = canvas.clone();
    const Array input = large.crop(7, 13, 31, 43);
    Array output = canvas.crop(11, 17, 31, 43);
    invert(input, output, opencl_);
    expect_inverted(input, output);
    for (int64_t y = 0; y < 120; y++) {
        for (int64_t x = 0; x < 100; x++) {
            if (y < 11 || y >= 11 + 31 || x < 17 || x >= 17 + 43) {
                ASSERT_EQ(canvas.at<uint8_t>({y, x}), before.at<uint8_t>({y, x}))
                    << "outside the crop: " << y << ", " << x;
            }
        }
    }
}

// The crop begins where its array does, so it is written in place: the rest of the array must be there too.
TEST_F(Coherence, ACropAtTheOriginLeavesTheRest) {
    for (const auto &[h, w] : {std::pair<int64_t, int64_t>{43, 31}, {120, 31}, {43, 100}, {1, 9}}) {
        Array canvas = random_array<uint8_t>({120, 100}), small = random_array<uint8_t>({3, 10}, 0);
        for (Array *array : {&canvas, &small}) {
            if (h > array->shape()[0] || w > array->shape()[1]) {
                continue;
            }
            const Array before = array->clone(), input = random_array<uint8_t>({h, w});
            Array output = array->crop(0, 0, h, w);
            invert(input, output, opencl_);
            expect_inverted(input, output);
            for (int64_t y = 0; y < array->shape()[0]; y++) {
                for (int64_t x = 0; x < array->shape()[1]; x++) {
                    if (y >= h || x >= w) {
                        ASSERT_EQ(array->at<uint8_t>({y, x}), before.at<uint8_t>({y, x}))
                            << "outside the crop: " << y << ", " << x;
                    }
                }
            }
        }
    }
}

TEST_F(Coherence, CallersMemory) {
    std::vector<uint8_t> from(64 * 100), to(100 * 80, 7);
    for (size_t i = 0; i < from.size(); i++) {
        from[i] = (uint8_t)(i * 31);
    }
    const Array input = Array::view(Type::u8, from.data() + 3, {90, 60}, {64, 1});
    Array output = Array::view(Type::u8, to.data() + 5, {90, 60}, {80, 1});
    invert(input, output, opencl_);
    for (int y = 0; y < 90; y++) {
        memset(&to[5 + y * 80 + 60], 9, 20);  // what lies beside the rows is the caller's to change meanwhile
    }
    output.sync();
    for (int y = 0; y < 90; y++) {
        for (int x = 0; x < 80; x++) {
            ASSERT_EQ(to[5 + y * 80 + x], x < 60 ? 255 - from[3 + y * 64 + x] : 9)
                << "x " << x << ", y " << y;
        }
    }
    for (int i = 0; i < 5; i++) {
        EXPECT_EQ(to[i], 7);
    }
}

TEST_F(Coherence, TwoHalvesOfOneCallersMemory) {
    std::vector<uint8_t> memory(40 * 80, 1);
    Array left = Array::view(Type::u8, memory.data(), {40, 40}, {80, 1}),
          right = Array::view(Type::u8, memory.data() + 40, {40, 40}, {80, 1});
    const Array a = random_array<uint8_t>({40, 40});
    Array b(Type::u8, {40, 40});
    fill_random<uint8_t>(b, 5);
    invert(a, left, opencl_);
    invert(b, right, opencl_);
    left.sync();
    right.sync();
    expect_inverted(a, Array::view(Type::u8, memory.data(), {40, 40}, {80, 1}));
    expect_inverted(b, Array::view(Type::u8, memory.data() + 40, {40, 40}, {80, 1}));
}

TEST_F(Coherence, ThreadsCallAtOnce) {
    const Array shared = random_array<uint8_t>({61, 83});
    std::vector<std::thread> threads;
    std::vector<std::string> wrong(4);
    for (size_t i = 0; i < wrong.size(); i++) {
        threads.emplace_back([&, i] {
            try {
                const Array mine = random_array<uint8_t>({40 + (int64_t)i, 70}, (unsigned)i);
                for (int n = 0; n < 25; n++) {
                    const Device device = (n + i) % 2 ? opencl_ : Device{};
                    for (const Array *input : {&shared, &mine}) {
                        Array output, expected;
                        invert(*input, output, device);
                        invert(*input, expected, {}, nullptr, "reference");
                        if (std::string d = difference(output, expected, {}); !d.empty()) {
                            wrong[i] = d;
                        }
                    }
                }
            } catch (const std::exception &error) {
                wrong[i] = error.what();
            }
        });
    }
    for (auto &thread : threads) {
        thread.join();
    }
    for (const std::string &w : wrong) {
        EXPECT_EQ(w, "");
    }
}

// Two threads at once, on the two halves of one image: what they wrote is there afterwards, wherever they
// wrote it.
TEST_F(Coherence, ThreadsShareAnArrayWithoutLosingUpdates) {
    constexpr int n = 256;
    const Array a = random_array<uint8_t>({n, n}), b = random_array<uint8_t>({n, n}, 3);
    for (const Device &beside : {Device{}, opencl_}) {
        for (int round = 0; round < 60; round++) {
            Array image(Type::u8, {n, 2 * n}), unused;
            const Array zeros(Type::u8, {n, n});
            Array left = image.crop(0, 0, n, n), right = image.crop(0, n, n, n);
            const bool reads = round % 3 == 2;  // the first thread leaves its half as it is
            {
                std::jthread first([&] { reads ? invert(left, unused, opencl_) : invert(a, left, opencl_); });
                std::jthread second([&] { invert(b, right, beside); });
            }
            Array later;
            invert(image, later, opencl_);
            ASSERT_EQ(difference(left, reads ? zeros : inverted(a), {}), "") << round;
            ASSERT_EQ(difference(right, inverted(b), {}), "") << round;
            ASSERT_EQ(difference(later.crop(0, n, n, n), b, {}), "") << round;
        }
    }
}

// A call on many images of one part of an array, while another thread's device writes its begin: it waits
// for the call on the CPU, and changes nothing of either call's result.
TEST_F(Coherence, CallsOnManyImagesShareAnArrayToo) {
    const Array images = random_array<uint8_t>({4, 40, 60}), one = random_array<uint8_t>({40, 60}, 3);
    for (const Device &device : {Device{}, opencl_}) {
        Array all(Type::u8, {2, 4, 40, 60}), part = all.slice({1}), beside = all.slice({0, 0});
        invert(one, beside, opencl_);  // the kernel is there
        std::future<void> other;
        Call call{.device = device, .layout = "nhw"};
        call.progress = [&](double done) {
            if (done >= .75 && !other.valid()) {  // the last image begins
                other = std::async(std::launch::async, [&] { invert(one, beside, opencl_); });
                other.wait_for(std::chrono::milliseconds(200));
            }
            return true;
        };
        (*op_)({&images, 1}, part, {}, call);
        other.get();
        for (int64_t i = 0; i < 4; i++) {
            EXPECT_EQ(difference(part.slice({i}), inverted(images.slice({i})), {}), "") << device.str() << i;
        }
        EXPECT_EQ(difference(beside, inverted(one), {}), "") << device.str();
    }
}

// What can go wrong with a call, through C++: an Error with the place, and the program goes on.
TEST_F(Coherence, WrongCallsAreErrorsWithThePlace) {
    Array input = random_array<uint8_t>({8, 9}), output;
    auto fault_of = [&](auto call) {
        const Error error = error_of(call);
        EXPECT_EQ(error.context().operation, "invert") << error.what();
        return error.fault();
    };
    EXPECT_EQ(fault_of([&] { invert(input, output, {}, nullptr, "no_such"); }), Fault::usage);
    EXPECT_EQ(fault_of([&] { invert(Array(), output, {}); }), Fault::input);
    EXPECT_EQ(fault_of([&] { (*op_)({}, output); }), Fault::usage);
    EXPECT_EQ(fault_of([&] { (*op_)({&input, 1}, output, {{"no-such-option", 1.0}}); }), Fault::usage);
    EXPECT_TRUE(output.empty()) << "a call that failed makes nothing";
    Array wrong_shape(Type::u8, {9, 8}), wrong_type(Type::u16, {8, 9});
    EXPECT_EQ(fault_of([&] { invert(input, wrong_shape, {}); }), Fault::input);
    EXPECT_EQ(fault_of([&] { invert(input, wrong_type, {}); }), Fault::input);
    EXPECT_EQ(fault_of([&] { invert(input, input, {}); }), Fault::usage) << "onto itself";
    EXPECT_EQ(fault_of([&] { invert(Array(Type::f32, {8, 9}), output, {}); }), Fault::input);
    EXPECT_EQ(error_of([&] { invert(input, output, {Backend::opencl, 99}); }).fault(), Fault::device);
    invert(input, output, opencl_);
    expect_inverted(input, output);
}

}  // namespace tilewright
