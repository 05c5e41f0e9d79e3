// The hooks against the fake libOpenCL.so.1: which platform is used, and how its buffers are.
#include "runtime/arrays/storage.h"
#include "runtime/devices/calls/halide_calls.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/devices/memory/memory_pool.h"
#include "runtime/devices/opencl/opencl.h"
#include "tests/runtime/drivers/any_operator.h"
#include "tests/runtime/drivers/fakes/fakes.h"
#include "tests/support/image_library.h"
#include "tilewright/generated.h"
#include <HalideRuntimeOpenCL.h>
#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <functional>
#include <numeric>
#include <optional>
#include <thread>

namespace tilewright {

namespace {

using fake_opencl::record;
using fake_opencl::requests;

const Device last{Backend::opencl, 5};

class OpenClDriver : public testing::Test {
protected:
    void SetUp() override {
        devices(Backend::opencl);
        record();
    }
    void TearDown() override {
        EXPECT_EQ(record().wrong, 0);
        EXPECT_EQ(record().asked_for_fewer_platforms, 0);
    }
    const AnyOperator any{Backend::opencl};
};

// A device buffer as Halide's runtime makes it.
struct DeviceBuffer {
    halide_dimension_t dim;
    halide_buffer_t buffer = {};

    explicit DeviceBuffer(int bytes) : dim(0, bytes, 1) {
        buffer.type = halide_type_t(halide_type_uint, 8);
        buffer.dimensions = 1;
        buffer.dim = &dim;
    }
    int make() {
        return halide_device_malloc(nullptr, &buffer, halide_opencl_device_interface());
    }
    uintptr_t memory() {
        return halide_opencl_get_cl_mem(nullptr, &buffer);
    }
};

}  // namespace

TEST_F(OpenClDriver, DevicesAreToldApart) {
    int i = 0;
    for (const DeviceInfo &d : devices(Backend::opencl)) {
        EXPECT_EQ(d.device.str(), "opencl:" + std::to_string(i));
        EXPECT_EQ(d.name, "Fake device " + std::to_string(i));
        EXPECT_EQ(d.platform, "Fake platform " + std::to_string(i));
        EXPECT_NE(d.driver.find("7." + std::to_string(i)), std::string::npos) << d.driver;
        EXPECT_EQ(d.memory, (uint64_t)(i + 1) << 30);
        EXPECT_EQ(d.units, 8 + i);
        EXPECT_EQ(d.is_gpu, i == 3);
        EXPECT_EQ(d.compute_capability, i == fake_opencl::nvidia     ? 86 :
                                        i == fake_opencl::old_nvidia ? 75 :
                                                                       0)
            << "with a driver that knows no PTX 8.0 a device counts as an older one";
        EXPECT_EQ(d.usable, i != 1 && i != 2);
        EXPECT_EQ(d.why_not.empty(), d.usable);
        EXPECT_EQ(d.why_not.find("compiler") != std::string::npos, i == 1) << d.why_not;
        EXPECT_EQ(d.why_not.find("single bytes") != std::string::npos, i == 2) << d.why_not;
        i++;
    }
    EXPECT_EQ(i, fake_opencl::platforms);
    EXPECT_EQ(best_device().str(), "opencl:3") << "the only GPU";
    EXPECT_EQ(Device::parse("opencl:5"), last);
    EXPECT_EQ(error_of([] { Device::parse("opencl:2"); }).fault(), Fault::device);
    EXPECT_EQ(error_of([] { Device::parse("opencl:7"); }).fault(), Fault::device);
    EXPECT_EQ(std::accumulate(record().contexts.begin(), record().contexts.end(), 0), 0)
        << "listing takes no context";
}

// Two threads make the first call of a process: Halide's runtime is still getting the functions for one of
// them when the other comes (find_write_buffer() in libOpenCL.cpp).
TEST(OpenClDriverDeathTest, TwoThreadsMayMakeTheFirstCall) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto first_call = [] {
        const AnyOperator any{Backend::opencl};
        std::thread later([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            any.run(last).sync();
        });
        any.run(last).sync();
        later.join();
        exit(0);
    };
    EXPECT_EXIT(first_call(), testing::ExitedWithCode(0), "");
}

// Before the others that run something: only a process's first call builds the kernels.
TEST_F(OpenClDriver, BuffersAndKernelsAreKeptForTheNextCall) {
    ASSERT_TRUE(any.op);
    const fake_opencl::Record before = record();
    Statistics once, again;
    any.run(last, &once);
    const size_t made = record().buffer_bytes.size();
    EXPECT_EQ(once.counters.allocations, made - before.buffer_bytes.size());
    EXPECT_GT(once.counters.allocations, 0u);
    EXPECT_GT(once.counters.modules, 0u);
    const int kernels = record().kernels_created;
    EXPECT_GT(kernels, before.kernels_created);
    any.run(last, &again);
    EXPECT_EQ(record().kernels_created, kernels);
    EXPECT_EQ(record().buffer_bytes.size(), made);
    EXPECT_EQ(again.counters.allocations, 0u);
    EXPECT_EQ(again.counters.modules, 0u);
    EXPECT_EQ(again.counters.copies_to_device, 0u);
    EXPECT_EQ(record().buffers_released, before.buffers_released);
    for (size_t bytes : record().buffer_bytes) {
        EXPECT_EQ(bytes % 64, 0u);
    }
    trim_device_memory();
    EXPECT_GT(record().buffers_released, before.buffers_released);
}

// From the fourth call on the kernels are those of the third one, whose numbers are set, and Halide's runtime
// has no part in it.
TEST_F(OpenClDriver, CallsLikeEarlierOnesStartTheKernelsAlone) {
    ASSERT_TRUE(any.op);
    AnyOperator others = any;  // on data of another size than other tests have
    others.sample = small_sample(*any.op, any.op->variants("tuned", Backend::opencl).front()->type, 96, 80);
    const int platform = last.index;
    std::optional<size_t> taken;
    for (int i = 0; i < 6; i++) {
        const fake_opencl::Record before = record();
        Statistics statistics;
        others.run(last, &statistics);
        const size_t now = driver::opencl_memory().use().taken;
        EXPECT_EQ(now, taken.value_or(now)) << "but for the tables, which the first call makes";
        taken = now;
        const bool sets_numbers = std::any_of(record().arguments.begin() + (ptrdiff_t)before.arguments.size(),
            record().arguments.end(), [](const auto &argument) { return argument.second.size() != 8; });
        EXPECT_EQ(sets_numbers, i < 3) << i;
        EXPECT_GT(record().arguments.size(), before.arguments.size()) << i;
        EXPECT_EQ((int)statistics.counters.kernels,
            record().kernels[(size_t)platform] - before.kernels[(size_t)platform]);
        EXPECT_GT(statistics.counters.kernels, 0u) << i;
        EXPECT_EQ(record().wrong, before.wrong);
    }
}

TEST_F(OpenClDriver, ThePlatformIsTheOneThatWasAskedFor) {
    ASSERT_TRUE(any.op);
    for (int index : {5, 0, 4}) {
        const fake_opencl::Record before = record();
        any.run({Backend::opencl, index}).sync();
        for (int p = 0; p < fake_opencl::platforms; p++) {
            EXPECT_EQ(record().kernels[p] > before.kernels[p], p == index) << p;
            EXPECT_EQ(record().writes[p] > before.writes[p], p == index) << p;
            EXPECT_EQ(record().builds[p], p == index ? std::max(before.builds[p], 1) : before.builds[p]) << p;
        }
        EXPECT_EQ(record().contexts[index], 1);
    }
}

TEST_F(OpenClDriver, WhatIsKeptHasABound) {
    const size_t before = record().bytes_held;
    for (int64_t rows = 1; rows < 100; rows++) {
        Array(Type::u8, {rows, 1 << 18}).sync(last);
        EXPECT_LE(record().bytes_held - before, (size_t(6) << 30) / 8);
    }
    EXPECT_GT(record().bytes_held - before, size_t(512) << 20)
        << "up to an eighth of the device's memory is kept";
    trim_device_memory();
    EXPECT_LE(record().bytes_held, before);
}

TEST_F(OpenClDriver, BuffersOfOneDeviceAreNotGivenToAnother) {
    const fake_opencl::Record before = record();
    Array a(Type::u8, {501, 50}), b(Type::u8, {501, 50});
    a.sync(last);
    a = {};
    b.sync({Backend::opencl, 4});
    EXPECT_EQ(record().buffer_bytes.size() - before.buffer_bytes.size(), 2u);
    EXPECT_EQ(record().writes[4] - before.writes[4], 1);
}

TEST_F(OpenClDriver, ABufferIsNotGivenAwayWhileACropOfItLives) {
    prepare_halide();
    driver::Current current(last);
    DeviceBuffer whole(4096), crop(1024), other(4096);
    ASSERT_EQ(whole.make(), 0);
    ASSERT_EQ(halide_device_crop(nullptr, &whole.buffer, &crop.buffer), 0);
    ASSERT_EQ(halide_device_release_crop(nullptr, &crop.buffer), 0);
    ASSERT_EQ(other.make(), 0);
    EXPECT_NE(other.memory(), whole.memory());
    const uintptr_t memory = whole.memory();
    ASSERT_EQ(halide_device_free(nullptr, &whole.buffer), 0);
    DeviceBuffer next(4096);
    ASSERT_EQ(next.make(), 0);
    EXPECT_EQ(next.memory(), memory) << "nobody has it any more";
    halide_device_free(nullptr, &other.buffer);
    halide_device_free(nullptr, &next.buffer);
}

TEST_F(OpenClDriver, NoDeviceMemoryIsAMemoryFault) {
    ASSERT_TRUE(any.op);
    trim_device_memory();
    requests().refuse_memory(true);
    const Error error = error_of([&] { any.run(last); });
    requests().refuse_memory(false);
    EXPECT_EQ(error.fault(), Fault::memory) << error.what();
    EXPECT_NE(std::string(error.what()).find("opencl:5"), std::string::npos) << error.what();
    EXPECT_FALSE(any.run(last).empty());
}

// ---------------------------------------------------------- threads on disjoint parts of one array

namespace {

// A library for the CPU that fills its output with 7 and then waits, in the middle of its work, for whatever
// the test does there.
std::function<void()> in_the_middle;

int fill_with_seven(void **arguments) {
    auto &output = *static_cast<halide_buffer_t *>(arguments[1]);
    in_the_middle();
    for (int y = 0; y < output.dim[1].extent; y++) {
        std::fill_n(output.host + y * output.dim[1].stride, output.dim[0].extent, 7);
    }
    return 0;
}

// Two crops side by side of one image that is on the device; the device writes, or reads, the left one, and
// the host writes the right one.
class SharedArray : public OpenClDriver {
protected:
    void SetUp() override {
        OpenClDriver::SetUp();
        for (const Operator *o : operators()) {
            invert_ = o->name() == "invert" ? o : invert_;
        }
        if (!invert_) {
            GTEST_SKIP() << "not run here: invert was not built";
        }
        image_.sync(last);
    }

    void TearDown() override {
        requests().hold_launches(false);
        OpenClDriver::TearDown();
    }

    void on_device(const Array &input, Array &output) const {
        (*invert_)({&input, 1}, output, {}, {.device = last});
    }

    void on_host(Array &output, const std::function<void()> &middle = [] {}) const {
        in_the_middle = middle;
        run_generated(variant_, Device{}, {&other_, 1}, output);
    }

    static bool all_seven(const Array &array) {
        for (int64_t i = 0; i < array.size(); i++) {
            if (array.at<uint8_t>({i / array.shape()[1], i % array.shape()[1]}) != 7) {
                return false;
            }
        }
        return true;
    }

    // Runs `call` on a thread of its own. The destructor waits for it.
    class Thread {
    public:
        explicit Thread(std::function<void()> call)
            : thread_([this, call = std::move(call)] {
                  call();
                  done_ = true;
              }) {}
        ~Thread() {
            thread_.join();
        }
        // Gives it the time to do its work, if nothing keeps it from that.
        void give_time() const {
            for (int i = 0; i < 100 && !done_; i++) {
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
            }
        }

    private:
        std::atomic<bool> done_{false};
        std::thread thread_;
    };

    const Operator *invert_ = nullptr;
    const Variant variant_ =
        generated_variant("fill", "by hand", "u8", Backend::cpu, fill_with_seven, image_to_image);
    const Array other_{Type::u8, {64, 128}};
    Array image_{Type::u8, {64, 256}};
    Array left_ = image_.crop(0, 0, 64, 128), right_ = image_.crop(0, 128, 64, 128);
};

}  // namespace

TEST_F(SharedArray, ALaunchThatWritesDoesNotUndoTheHost) {
    requests().hold_launches(true);
    Thread device([&] { on_device(other_, left_); });
    while (requests().held_launches() == 0) {
        std::this_thread::yield();
    }
    Thread host([&] { on_host(right_); });
    host.give_time();
    requests().hold_launches(false);
    host.give_time();
    device.give_time();
    EXPECT_TRUE(all_seven(right_));
}

TEST_F(SharedArray, NorDoesOneThatBeginsMeanwhile) {
    std::optional<Thread> device;
    on_host(right_, [&] {
        device.emplace([&] { on_device(other_, left_); });
        device->give_time();
    });
    device.reset();
    EXPECT_TRUE(all_seven(right_));
}

TEST_F(SharedArray, NorAPointerToTheHostsMemory) {
    requests().hold_launches(true);
    Thread device([&] { on_device(other_, left_); });
    while (requests().held_launches() == 0) {
        std::this_thread::yield();
    }
    Thread host([&] {
        auto *to = right_.as<uint8_t>();
        for (int y = 0; y < 64; y++) {
            std::fill_n(to + y * right_.strides()[0], 128, 7);
        }
    });
    host.give_time();
    requests().hold_launches(false);
    host.give_time();
    device.give_time();
    EXPECT_TRUE(all_seven(right_));
}

TEST_F(SharedArray, WhatTheHostWroteWhileADeviceReadBesideItIsSentAgain) {
    on_host(right_, [&] {
        Array output;
        on_device(left_, output);  // on this thread: a device that reads does not wait for the host
    });
    const int writes = record().writes[5];
    image_.sync(last);
    EXPECT_EQ(record().writes[5], writes + 1);
    EXPECT_TRUE(all_seven(right_));
}

TEST_F(SharedArray, TheHostWritesWithTwoThreadsAtOnce) {
    std::barrier both(2);
    in_the_middle = [&] { both.arrive_and_wait(); };
    Thread left([&] { run_generated(variant_, Device{}, {&other_, 1}, left_); }),
        right([&] { run_generated(variant_, Device{}, {&other_, 1}, right_); });
    left.give_time();
    right.give_time();
    EXPECT_TRUE(all_seven(image_));
}

}  // namespace tilewright
