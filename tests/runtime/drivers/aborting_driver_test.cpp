// Work on the CPU loads no driver: here, both are libraries that abort when they are loaded.
#include "tests/runtime/drivers/any_operator.h"
#include "tilewright/files.h"
#include "tilewright/workload.h"
#include <cstdlib>
#include <filesystem>
#include <sys/wait.h>

namespace tilewright {

TEST(AbortingDriver, TheCpuIsFoundAndUsed) {
    EXPECT_EQ(Device::parse("cpu"), Device{});
    EXPECT_TRUE(device_info({}).usable);
    ASSERT_EQ(devices(Backend::cpu).size(), 1u);
    EXPECT_EQ(error_of([] { device_info({Backend::cpu, 1}); }).fault(), Fault::device);
    const AnyOperator any(Backend::cpu);
    if (any.op) {
        EXPECT_FALSE(any.run({}).empty());
    }
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
        GTEST_SKIP() << "not run here: no CPU rows were built";
    }
    std::string folder = (std::filesystem::temp_directory_path() / "tilewright-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    const auto code = [&](const std::string &arguments) {
        const int status = std::system(("cd " + folder + " && " TILEWRIGHT_APP " " + arguments + " > out.txt 2> err.txt").c_str());
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    };
    std::string inputs;
    for (size_t i = 0; i < any.sample.inputs.size(); i++) {
        const std::string name = "in" + std::to_string(i) + ".npy";
        write_array(folder + "/" + name, any.sample.inputs[i]);
        inputs += name + " ";
    }
    const std::string op = any.op->name();
    EXPECT_EQ(code(op + " " + inputs + "out.npy --device cpu"), 0);
    EXPECT_EQ(code(op + " " + inputs + "out.npy --device cpu --check --stats"), 0);
    EXPECT_EQ(code("list"), 0);
    EXPECT_EQ(code("list --json"), 0);
    EXPECT_EQ(code("--help"), 0);
    EXPECT_EQ(code(op + " --help"), 0);
    EXPECT_EQ(code("verify " + op + " --device cpu --schedule reference"), 0);
    EXPECT_EQ(code("verify " + op + " --device cpu --schedule tuned --json"), 0);
    EXPECT_EQ(code("bench " + op + " --device cpu --schedule tuned --size 33 --batch 1 --repeats 3 --json -"), 0);
    EXPECT_NE(code("devices"), 0);
    std::filesystem::remove_all(folder);
}

#endif

}  // namespace tilewright
