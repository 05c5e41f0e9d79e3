// TILEWRIGHT_DEVICE and TILEWRIGHT_THREADS in a program that calls the library. Both are read once, so that
// each test asks in processes of their own, which Google Test starts anew.
#include "tilewright/error.h"
#include "tilewright/operator.h"
#include "tilewright/pipeline.h"
#include "tilewright/stream.h"
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>

extern "C" int halide_set_num_threads(int n);

namespace tilewright {
namespace {

class Environment : public testing::Test {
protected:
    Environment() {
        GTEST_FLAG_SET(death_test_style, "threadsafe");
    }
};

// Says on standard error on which device the call ran, or the error.
template<typename Call>
[[noreturn]] void tell(const Call &call) {
    try {
        fprintf(stderr, "<%s>\n", call().c_str());
    } catch (const Error &error) {
        fprintf(stderr, "%s\n", error.what());
        exit((int)error.fault());
    }
    exit(0);
}

// The device of a call of an operator.
std::string device_of_call(std::optional<Device> device) {
    const Operator &op = find_operator("transpose");
    const Array image(Type::u8, {20, 30});
    Array output;
    Statistics statistics;
    op({&image, 1}, output, {}, {.device = device, .statistics = &statistics});
    return statistics.device;
}

TEST_F(Environment, NamesTheDeviceOfCallsThatNameNone) {
    setenv("TILEWRIGHT_DEVICE", "cpu", 1);
    const auto exits = testing::ExitedWithCode(0);
    EXPECT_EXIT(tell([] { return device_of_call({}); }), exits, "<cpu>");
    EXPECT_EXIT(tell([] { return default_device().str(); }), exits, "<cpu>");
    EXPECT_EXIT(tell([] { return Device::parse("auto").str(); }), exits, "<cpu>");
    const auto of_pipeline = [] {
        const Array image(Type::u8, {20, 30});
        return Pipeline("transpose | transpose").choose_device({&image, 1}).str();
    };
    EXPECT_EXIT(tell(of_pipeline), exits, "<cpu>");
}

TEST_F(Environment, ADeviceThatIsNotThereIsRefusedByItsVariable) {
    setenv("TILEWRIGHT_DEVICE", "cuda:99", 1);
    const auto refused = testing::ExitedWithCode((int)Fault::device);
    const char *const words = "cuda:99.*TILEWRIGHT_DEVICE is cuda:99";
    EXPECT_EXIT(tell([] { return device_of_call({}); }), refused, words);
    const auto of_pipeline = [] {
        const Array image(Type::u8, {20, 30});
        return Pipeline("transpose").choose_device({&image, 1}).str();
    };
    EXPECT_EXIT(tell(of_pipeline), refused, words);
    const auto of_stream = [] {
        Stream stream;
        return std::string();
    };
    EXPECT_EXIT(tell(of_stream), refused, words);
    EXPECT_EXIT(tell([] { return device_of_call(Device{}); }), testing::ExitedWithCode(0), "<cpu>");
}

TEST_F(Environment, AWordThatIsNoDeviceIsRefusedByItsVariable) {
    setenv("TILEWRIGHT_DEVICE", "gpu", 1);
    EXPECT_EXIT(tell([] { return device_of_call({}); }), testing::ExitedWithCode((int)Fault::usage),
        "no such device name.*TILEWRIGHT_DEVICE is gpu");
}

TEST_F(Environment, SaysHowManyThreadsCallsHave) {
    setenv("TILEWRIGHT_THREADS", "3", 1);
    const auto threads = [] { return std::to_string(halide_set_num_threads(5)); };
    EXPECT_EXIT(tell(threads), testing::ExitedWithCode(0), "<3>");
    setenv("TILEWRIGHT_THREADS", "many", 1);
    EXPECT_EXIT(tell([] { return device_of_call(Device{}); }), testing::ExitedWithCode((int)Fault::usage),
        "TILEWRIGHT_THREADS = many: takes a whole number from 1 to 256");
}

}  // namespace
}  // namespace tilewright
