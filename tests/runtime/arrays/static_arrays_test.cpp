// A program that ends while its threads compute with its static arrays.
#include "runtime/dispatch/image_operator.h"
#include "tests/support/operators.h"
#include "tilewright/invert.h"
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

namespace tilewright {

namespace {

std::atomic<bool> static_objects_have_ended{false};

// A static object that ends as slowly as those of a large program.
struct StaticObject {
    ~StaticObject() {
        static_objects_have_ended = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
};

// Reads its arguments slowly, and ends the program with another code when they may be gone meanwhile.
class SlowReader : public ImageOperator {
public:
    using ImageOperator::ImageOperator;

private:
    ImageRequest read(std::span<const Array> inputs, const Settings &settings) const override {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        if (static_objects_have_ended) {
            _exit(1);
        }
        return ImageOperator::read(inputs, settings);
    }
};

constexpr ImageForm form("invert");

// Ends the program, which has used the device, while threads of it read static arrays on any device.
[[noreturn]] void exit_while_threads_read_static_arrays(Device device) {
    static const auto &op = *new SlowReader("slow", "", invert_operator().variants(), {&form});
    static const Array image(Type::u8, {64, 64});
    static const StaticObject object;
    static std::atomic<int> calls{0};
    Array output;
    op({&image, 1}, output, {}, {.device = device});
    for (int t = 0; t < 4; t++) {
        std::thread([device = t % 2 ? device : Device()] {
            for (;;) {
                Array output;
                op({&image, 1}, output, {}, {.device = device});
                calls++;
            }
        }).detach();
    }
    while (calls < 8) {
        std::this_thread::yield();
    }
    exit(0);
}

}  // namespace

// Drivers end before static objects do, and with them what other threads do here.
TEST(ExitDeathTest, NoCallReadsStaticArraysThatAreGone) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    bool tried = false;
    for (const Device &device : usable_devices()) {
        if (device.backend != Backend::cpu && !invert_operator().variants("tuned", device.backend).empty()) {
            tried = true;
            EXPECT_EXIT(exit_while_threads_read_static_arrays(device), testing::ExitedWithCode(0), "")
                << device.str();
        }
    }
    if (!tried) {
        GTEST_SKIP() << "no device with a driver";
    }
}

}  // namespace tilewright
