// Arrays, devices, errors and statistics, on what this machine has.
#include "tilewright/array.h"
#include "tilewright/workload.h"
#include "tests/operators/rows.h"
#include "tilewright/device.h"
#include <atomic>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>

namespace tilewright {

namespace {

Array counted(std::vector<int64_t> shape, int64_t row_bytes = Array::padded) {
    Array array(Type::u8, std::move(shape), row_bytes);
    uint8_t next = 0;
    fill<uint8_t>(array, [&] { return next = (uint8_t)(next * 5 + 3); });
    return array;
}

}  // namespace

// ------------------------------------------------------------------------------------------------------------------- arrays

TEST(Array, OwnsZeroedAlignedMemoryWithPaddedRows) {
    for (int64_t w : {1, 63, 64, 65, 1000}) {
        const Array array(Type::u16, {5, w});
        EXPECT_EQ(array.strides()[0] * 2 % 64, 0);
        EXPECT_LT(array.strides()[0] * 2 - w * 2, 64);
        EXPECT_EQ((uintptr_t)array.data() % 128, 0u);
        EXPECT_EQ(array.size(), 5 * w);
        for (int64_t y = 0; y < 5; y++) {
            EXPECT_EQ(array.at<uint16_t>({y, w - 1}), 0);
        }
    }
    EXPECT_EQ(Array(Type::u8, {5, 7, 3}, 0).strides(), (std::vector<int64_t>{21, 3, 1}));
    EXPECT_EQ(Array(Type::f32, {5, 7}, 40).strides(), (std::vector<int64_t>{10, 1}));
    EXPECT_EQ(Array(Type::f64, {9}).strides(), (std::vector<int64_t>{1}));
    EXPECT_TRUE(Array().empty());
    EXPECT_EQ(Array().size(), 0);
    EXPECT_EQ(Array().data(), nullptr);
    EXPECT_EQ(Array(Type::u8, {5, 7, 3}).describe(), "u8 (5, 7, 3)");
}

TEST(Array, RefusesShapesThatAreNone) {
    const std::vector<std::vector<int64_t>> wrong = {{}, {0}, {3, 0}, {-1, 4}, {1, 2, 3, 4}, {int64_t(1) << 31}, {INT64_MAX, INT64_MAX}};
    for (const auto &shape : wrong) {
        const Error error = error_of([&] { Array(Type::u8, shape); });
        EXPECT_EQ(error.fault(), Fault::usage);
        EXPECT_EQ(error.context().argument, "shape");
    }
    EXPECT_EQ(error_of([] { Array(Type::f32, {4, 4}, 15); }).fault(), Fault::usage) << "less than a row";
    EXPECT_EQ(error_of([] { Array(Type::f32, {4, 4}, 18); }).fault(), Fault::usage) << "half an element";
    EXPECT_EQ(error_of([] { Array(Type::u8, {4, 4}, -7); }).fault(), Fault::usage);
}

TEST(Array, MoreThanMemoryIsAMemoryFault) {
    EXPECT_EQ(error_of([] { Array(Type::f64, {INT32_MAX, INT32_MAX / 8}); }).fault(), Fault::memory);
    EXPECT_EQ(error_of([] { Array(Type::u8, {INT32_MAX, INT32_MAX, 2}); }).fault(), Fault::memory);
    EXPECT_EQ(error_of([] { Array(Type::u8, {100, 4}, int64_t(1) << 61); }).fault(), Fault::memory) << "rows whose product overflows";
}

TEST(Array, ElementsAreReadAsWhatTheyAre) {
    Array array(Type::f32, {2, 3});
    array.as<float>()[array.strides()[0] + 2] = 1.5f;
    EXPECT_EQ(array.at<float>({1, 2}), 1.5f);
    EXPECT_EQ(error_of([&] { array.as<uint8_t>(); }).fault(), Fault::usage);
    EXPECT_EQ(error_of([&] { array.at<double>({0, 0}); }).fault(), Fault::usage);
    for (const std::vector<int64_t> &index : std::vector<std::vector<int64_t>>{{2, 0}, {0, 3}, {-1, 0}, {0}, {0, 0, 0}}) {
        EXPECT_EQ(error_of([&] { array.at<float>(index); }).fault(), Fault::usage);
    }
}

TEST(Array, CopiesShareAndClonesDoNot) {
    Array array = counted({4, 9});
    Array copy = array, clone = array.clone(0);
    copy.as<uint8_t>()[0] = 77;
    EXPECT_EQ(array.at<uint8_t>({0, 0}), 77);
    EXPECT_NE(clone.at<uint8_t>({0, 0}), 77);
    EXPECT_EQ(clone.strides(), (std::vector<int64_t>{9, 1}));
    for (int64_t i = 1; i < 36; i++) {
        EXPECT_EQ(clone.at<uint8_t>({i / 9, i % 9}), array.at<uint8_t>({i / 9, i % 9}));
    }
}

TEST(Array, ViewsSeeTheCallersMemory) {
    std::vector<uint16_t> memory(40, 1);
    Array view = Array::view(Type::u16, memory.data(), {4, 7}, {10, 1});
    view.as<uint16_t>()[1 * 10 + 6] = 9;
    EXPECT_EQ(memory[16], 9);
    EXPECT_EQ(view.at<uint16_t>({1, 6}), 9);
    EXPECT_EQ(view.data(), memory.data());
    EXPECT_EQ(Array::view(Type::u16, memory.data(), {4, 10}).strides(), (std::vector<int64_t>{10, 1}));
    EXPECT_EQ(Array::view(Type::u16, memory.data(), {2, 3, 4}, {20, 4, 1}).at<uint16_t>({1, 2, 3}), 1);
}

TEST(Array, ViewsOfWhatCannotBeAreRefused) {
    std::vector<uint8_t> memory(64);
    auto fault = [&](Type type, void *data, std::vector<int64_t> shape, std::vector<int64_t> strides) {
        return error_of([&] { Array::view(type, data, shape, strides); }).fault();
    };
    EXPECT_EQ(fault(Type::u8, nullptr, {4}, {}), Fault::usage);
    EXPECT_EQ(fault(Type::u8, memory.data(), {0, 4}, {}), Fault::usage);
    EXPECT_EQ(fault(Type::u8, memory.data(), {4, 4}, {4}), Fault::usage) << "one stride an axis";
    EXPECT_EQ(fault(Type::u8, memory.data(), {4, 4}, {3, 1}), Fault::usage) << "rows over each other";
    EXPECT_EQ(fault(Type::u8, memory.data(), {4, 4}, {-4, 1}), Fault::usage) << "upside down";
    EXPECT_EQ(fault(Type::u8, memory.data(), {4, 4}, {8, 2}), Fault::usage) << "gaps between elements";
    EXPECT_EQ(fault(Type::u8, memory.data(), {2, 3, 3}, {32, 4, 1}), Fault::usage) << "gaps between pixels";
    EXPECT_EQ(fault(Type::f32, memory.data() + 1, {4}, {}), Fault::usage) << "an address that no float has";
    EXPECT_EQ(fault(Type::u8, memory.data(), {4, 4}, {INT64_MAX / 2, 1}), Fault::usage) << "beyond any memory";
}

TEST(Array, CropsShareTheElements) {
    Array array = counted({10, 20, 3});
    Array crop = array.crop(2, 5, 3, 4);
    EXPECT_EQ(crop.shape(), (std::vector<int64_t>{3, 4, 3}));
    EXPECT_EQ(crop.at<uint8_t>({1, 2, 1}), array.at<uint8_t>({3, 7, 1}));
    crop.crop(1, 1, 1, 1).as<uint8_t>()[0] = 200;
    EXPECT_EQ(array.at<uint8_t>({3, 6, 0}), 200);
    for (const auto &[y, x, h, w] : std::vector<std::array<int64_t, 4>>{
             {-1, 0, 1, 1}, {0, -1, 1, 1}, {0, 0, 0, 1}, {0, 0, 1, 0}, {8, 0, 3, 1}, {0, 18, 1, 3}, {1, 1, INT64_MAX, INT64_MAX}}) {
        EXPECT_EQ(error_of([&, y = y, x = x, h = h, w = w] { array.crop(y, x, h, w); }).fault(), Fault::usage);
    }
    EXPECT_EQ(error_of([] { Array(Type::u8, {9}).crop(0, 0, 1, 1); }).fault(), Fault::usage);
}

TEST(Array, OverlapIsAMatterOfBytes) {
    Array array(Type::u8, {20, 40});
    EXPECT_TRUE(array.overlaps(array));
    EXPECT_TRUE(array.crop(0, 0, 10, 10).overlaps(array.crop(9, 9, 3, 3)));
    EXPECT_FALSE(array.crop(0, 0, 10, 10).overlaps(array.crop(0, 10, 10, 10))) << "side by side";
    EXPECT_FALSE(array.crop(0, 10, 10, 10).overlaps(array.crop(0, 0, 10, 10)));
    EXPECT_FALSE(array.crop(0, 0, 10, 40).overlaps(array.crop(10, 0, 10, 40))) << "above each other";
    EXPECT_FALSE(array.overlaps(Array(Type::u8, {20, 40})));
    EXPECT_FALSE(array.overlaps(Array()));
    std::vector<float> memory(100);
    const Array a = Array::view(Type::f32, memory.data(), {6, 10}), b = Array::view(Type::f32, memory.data() + 50, {5, 10});
    EXPECT_TRUE(a.overlaps(b)) << "two views of one memory";
    EXPECT_FALSE(a.overlaps(Array::view(Type::f32, memory.data() + 60, {4, 10})));
}

// ---------------------------------------------------------------------------------------------------------- devices and errors

TEST(Devices, TheCpuIsFirstAndAlwaysWorks) {
    ASSERT_FALSE(devices().empty());
    const DeviceInfo &cpu = devices().front();
    EXPECT_EQ(cpu.device, Device{});
    EXPECT_TRUE(cpu.usable);
    EXPECT_FALSE(cpu.name.empty());
    EXPECT_FALSE(cpu.capability.empty());
    EXPECT_GT(cpu.memory, 0u);
    EXPECT_GT(cpu.units, 0);
    bool cuda = false, opencl = false;
    for (const DeviceInfo &d : devices()) {
        cuda = cuda || d.device.backend == Backend::cuda;
        opencl = opencl || d.device.backend == Backend::opencl;
        EXPECT_EQ(d.usable, d.why_not.empty()) << d.device.str();
        EXPECT_EQ(d.why_not.find('\n'), std::string::npos);
        if (d.usable) {
            EXPECT_EQ(Device::parse(d.device.str()), d.device);
            EXPECT_EQ(device_info(d.device).name, d.name);
            EXPECT_NO_THROW(synchronize(d.device));
        } else {
            const Error error = error_of([&] { Device::parse(d.device.str()); });
            EXPECT_EQ(error.fault(), Fault::device);
            EXPECT_NE(std::string(error.what()).find(d.why_not), std::string::npos);
        }
    }
    EXPECT_TRUE(cuda && opencl) << "a backend without devices is listed with the reason";
    EXPECT_TRUE(device_info(best_device()).usable);
    EXPECT_EQ(Device::parse("auto"), best_device());
}

TEST(Devices, NamesThatAreNoneAreRefused) {
    for (const char *name : {"", "gpu", "CPU", "cpu:0", "cpu:1", "cuda:", "cuda:x", "cuda:-1", "opencl:1:2", "opencl: 1", "opencl:99999", "auto:0", "cuda:0 "}) {
        const Error error = error_of([&] { Device::parse(name); });
        EXPECT_EQ(error.fault(), Fault::usage) << name;
        EXPECT_EQ(error.context().argument, "device");
    }
    for (const char *name : {"cuda:99", "opencl:99"}) {
        const Error error = error_of([&] { Device::parse(name); });
        EXPECT_EQ(error.fault(), Fault::device) << name;
        EXPECT_NE(std::string(error.what()).find("cpu"), std::string::npos) << "says what there is: " << error.what();
    }
    EXPECT_EQ(error_of([] { device_info({Backend::cpu, 1}); }).fault(), Fault::device);
}

TEST(Errors, AreOneLineWithThePlace) {
    const Error error(Fault::input, "it\nis\r\nbroken\t\n", {.operation = "transpose", .argument = "image", .value = "a\x1b[31mb", .schedule = "tuned", .device = "cpu"});
    EXPECT_STREQ(error.what(), "transpose: image = a [31mb: it is broken [tuned, cpu]");
    EXPECT_EQ(error.fault(), Fault::input);
    EXPECT_EQ(error.context().schedule, "tuned");
    EXPECT_STREQ(Error(Fault::failed, "broken").what(), "broken");
}

// ----------------------------------------------------------------------------------------------------------------- coherence

namespace {

// The negative stands for all operators here: what reaches which copy of the data is the same for each.
class Coherence : public testing::Test {
protected:
    void SetUp() override {
        for (const Operator *o : operators()) {
            op_ = o->name() == "invert" ? o : op_;
        }
        if (!op_) {
            GTEST_SKIP() << "not run here: invert was not built";
        }
        std::string why = "no OpenCL device";
        for (const DeviceInfo &d : devices()) {
            if (d.device.backend == Backend::opencl) {
                why = d.usable && op_->rows("tuned", Backend::opencl).empty() ? "the OpenCL libraries were not built" : d.why_not;
                if (d.usable && !op_->rows("tuned", Backend::opencl).empty()) {
                    opencl_ = d.device;
                    return;
                }
            }
        }
        GTEST_SKIP() << "not run here: " << why;
    }

    void invert(const Array &input, Array &output, Device device, Statistics *statistics = nullptr, const char *schedule = "tuned") {
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
                ASSERT_EQ(out[y * output.strides()[0] + x], 255 - in[y * input.strides()[0] + x]) << "x " << x << ", y " << y;
            }
        }
    }

    const Operator *op_ = nullptr;
    Device opencl_;
};

}  // namespace

// The first of these tests, because only a process's first call builds the kernels.
TEST_F(Coherence, StatisticsTellTheFirstCallFromTheNext) {
    const Array input = counted({100, 200});
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
    EXPECT_EQ(second.row.rfind("invert/tuned", 0), 0u) << second.row;
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
    Array input = counted({37, 53}), output;
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
    Array input = counted({64, 48}), middle, output;
    invert(input, middle, opencl_);
    Statistics statistics;
    invert(middle, output, opencl_, &statistics);
    EXPECT_EQ(statistics.counters.copies_to_device, 0u);
    EXPECT_EQ(statistics.counters.copies_to_host, 0u);
    for (int64_t y = 0; y < 64; y++) {
        ASSERT_EQ(memcmp(output.as<uint8_t>() + y * output.strides()[0], input.as<uint8_t>() + y * input.strides()[0], 48), 0);
    }
}

TEST_F(Coherence, CallsOnSeveralDevicesFollowEachOther) {
    Array input = counted({45, 67}), on_device, on_cpu;
    invert(input, on_device, opencl_);
    invert(on_device, on_cpu, {});
    expect_inverted(on_device, on_cpu);
    Array again;
    invert(on_cpu, again, opencl_);
    expect_inverted(on_cpu, again);
}

TEST_F(Coherence, CropsInAndOut) {
    Array large = counted({90, 110}), canvas = counted({120, 100});
    const Array before = canvas.clone();
    const Array input = large.crop(7, 13, 31, 43);
    Array output = canvas.crop(11, 17, 31, 43);
    invert(input, output, opencl_);
    expect_inverted(input, output);
    for (int64_t y = 0; y < 120; y++) {
        for (int64_t x = 0; x < 100; x++) {
            if (y < 11 || y >= 11 + 31 || x < 17 || x >= 17 + 43) {
                ASSERT_EQ(canvas.at<uint8_t>({y, x}), before.at<uint8_t>({y, x})) << "outside the crop: " << y << ", " << x;
            }
        }
    }
}

// The crop begins where its array does, so it is written in place: the rest of the array must be there too.
TEST_F(Coherence, ACropAtTheOriginLeavesTheRest) {
    for (const auto &[h, w] : {std::pair<int64_t, int64_t>{43, 31}, {120, 31}, {43, 100}, {1, 9}}) {
        Array canvas = counted({120, 100}), small = counted({3, 10}, 0);
        for (Array *array : {&canvas, &small}) {
            if (h > array->shape()[0] || w > array->shape()[1]) {
                continue;
            }
            const Array before = array->clone(), input = counted({h, w});
            Array output = array->crop(0, 0, h, w);
            invert(input, output, opencl_);
            expect_inverted(input, output);
            for (int64_t y = 0; y < array->shape()[0]; y++) {
                for (int64_t x = 0; x < array->shape()[1]; x++) {
                    if (y >= h || x >= w) {
                        ASSERT_EQ(array->at<uint8_t>({y, x}), before.at<uint8_t>({y, x})) << "outside the crop: " << y << ", " << x;
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
            ASSERT_EQ(to[5 + y * 80 + x], x < 60 ? 255 - from[3 + y * 64 + x] : 9) << "x " << x << ", y " << y;
        }
    }
    for (int i = 0; i < 5; i++) {
        EXPECT_EQ(to[i], 7);
    }
}

TEST_F(Coherence, TwoHalvesOfOneCallersMemory) {
    std::vector<uint8_t> memory(40 * 80, 1);
    Array left = Array::view(Type::u8, memory.data(), {40, 40}, {80, 1}), right = Array::view(Type::u8, memory.data() + 40, {40, 40}, {80, 1});
    const Array a = counted({40, 40});
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
    const Array shared = counted({61, 83});
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

// Two threads at once, on the two halves of one image: what they wrote is there afterwards, wherever they wrote it.
TEST_F(Coherence, ThreadsShareAnArrayWithoutLosingUpdates) {
    constexpr int n = 256;
    const Array a = counted({n, n}), b = random_array<uint8_t>({n, n}, 3);
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

// ------------------------------------------------------------------------------------------------------- the end of the program

namespace {

// Ends the program while threads of it compute.
[[noreturn]] void exit_while_threads_compute(Device device) {
    static std::atomic<int> calls{0};
    for (int t = 0; t < 4; t++) {
        std::thread([device, t] {
            const Operator *op = nullptr;
            for (const Operator *o : operators()) {
                op = o->rows("tuned", device.backend).empty() ? op : o;
            }
            const Sample sample = workload_of(*op).benchmark_sample(op->rows("tuned", device.backend).front()->type, 200 + t, 200, {});
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
    std::vector<Device> usable;
    for (const DeviceInfo &d : devices()) {
        const auto &all = operators();
        if (d.usable && std::any_of(all.begin(), all.end(), [&](const Operator *o) { return !o->rows("tuned", d.device.backend).empty(); })) {
            usable.push_back(d.device);
        }
    }
    for (const Device &device : usable) {
        for (int i = 0; i < 5; i++) {
            EXPECT_EXIT(exit_while_threads_compute(device), testing::ExitedWithCode(0), "") << device.str();
        }
    }
}

// -------------------------------------------------------------------------------------------------------------------- faults

// What can go wrong with a call, through C++: an Error with the place, and the program goes on.
TEST_F(Coherence, WrongCallsAreErrorsWithThePlace) {
    Array input = counted({8, 9}), output;
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
