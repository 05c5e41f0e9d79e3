// Work on the CPU loads no driver: here, both are libraries that abort when they are loaded.
#include "tests/runtime/drivers/any_operator.h"
#include "tests/support/files.h"
#include "tests/support/process.h"
#include "tilewright/files.h"
#include "tilewright/pipeline.h"

namespace tilewright {

TEST(AbortingDriver, TheCpuIsFoundAndUsed) {
    EXPECT_EQ(Device::parse("cpu"), Device{});
    EXPECT_TRUE(device_info({}).usable);
    ASSERT_EQ(devices(Backend::cpu).size(), 1u);
    const AnyOperator any(Backend::cpu);
    if (any.op) {
        EXPECT_FALSE(any.run({}).empty());
    }
}

TEST(AbortingDriver, ASmallPipelineStartsNone) {
    const AnyOperator any(Backend::cpu);
    if (!any.op ||
        any.op->predicted_times(*any.op->parse(any.sample.inputs, any.sample.settings), Device{}).empty()) {
        GTEST_SKIP() << "not run here: no measured CPU variants were built";
    }
    EXPECT_EQ(Pipeline(any.op->name()).choose_device(any.sample.inputs), Device{});
}

TEST(AbortingDriverDeathTest, TheTestWouldSeeADriver) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(devices(Backend::cuda), "nobody asked for");
    EXPECT_DEATH(devices(Backend::opencl), "nobody asked for");
}

#ifdef TILEWRIGHT_APP

TEST(AbortingDriver, TheCommandLineWorksOnTheCpu) {
    const AnyOperator any(Backend::cpu);
    if (!any.op) {
        GTEST_SKIP() << "not run here: no CPU variants were built";
    }
    const TestFolder folder;
    const auto code = [&](const Words &arguments) {
        return run_program(TILEWRIGHT_APP, arguments, {.folder = folder.path()}).code;
    };
    const std::string op = any.op->name();
    Words call = {op};
    for (size_t i = 0; i < any.sample.inputs.size(); i++) {
        call.push_back("in" + std::to_string(i) + ".npy");
        write_array(folder.file(call.back()), any.sample.inputs[i]);
    }
    call.push_back("out.npy");
    if (!any.op->predicted_times(*any.op->parse(any.sample.inputs, any.sample.settings), Device{}).empty()) {
        EXPECT_EQ(code(call), 0) << "a small call starts no driver to choose a device";
    }
    call.insert(call.end(), {"--device", "cpu"});
    EXPECT_EQ(code(call), 0);
    call.insert(call.end(), {"--check", "--stats"});
    EXPECT_EQ(code(call), 0);
    EXPECT_EQ(code({"list"}), 0);
    EXPECT_EQ(code({"list", "--json"}), 0);
    EXPECT_EQ(code({"--help"}), 0);
    EXPECT_EQ(code({"--version"}), 0);
    EXPECT_EQ(code({"calibrate", "--path"}), 0);
    EXPECT_EQ(code({op, "--help"}), 0);
    EXPECT_EQ(code({"verify", op, "--device", "cpu", "--schedule", "reference"}), 0);
    EXPECT_EQ(code({"verify", op, "--device", "cpu", "--schedule", "tuned", "--json"}), 0);
    EXPECT_EQ(code({"bench", op, "--device", "cpu", "--schedule", "tuned", "--size", "33", "--batch", "1",
                  "--repeats", "3", "--json", "-"}),
        0);
    EXPECT_NE(code({"devices"}), 0);
}

#endif

}  // namespace tilewright
