// Devices on what this machine has: their list, their names, and the words of errors.
#include "tests/support/errors.h"
#include "tilewright/device.h"

namespace tilewright {

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
    for (const char *name : {"", "gpu", "CPU", "cpu:0", "cpu:1", "cuda:", "cuda:x", "cuda:-1", "opencl:1:2",
             "opencl: 1", "opencl:99999", "auto:0", "cuda:0 "}) {
        const Error error = error_of([&] { Device::parse(name); });
        EXPECT_EQ(error.fault(), Fault::usage) << name;
        EXPECT_EQ(error.context().argument, "device");
    }
    for (const char *name : {"cuda:99", "opencl:99"}) {
        const Error error = error_of([&] { Device::parse(name); });
        EXPECT_EQ(error.fault(), Fault::device) << name;
        for (const DeviceInfo &info : devices()) {
            EXPECT_TRUE(
                !info.usable || std::string(error.what()).find(info.device.str()) != std::string::npos)
                << info.device.str() << " is not named: " << error.what();
        }
    }
    expect_error(Fault::device, "device = cpu:1: there is no such", [] { device_info({Backend::cpu, 1}); });
    EXPECT_EQ(error_of([] { device_info({(Backend)9, 0}); }).fault(), Fault::device);
}

TEST(Errors, AreOneLineWithThePlace) {
    const Error error(Fault::input, "it\nis\r\nbroken\t\n",
        {.operation = "transpose",
            .argument = "image",
            .value = "a\x1b[31mb",
            .schedule = "tuned",
            .device = "cpu"});
    EXPECT_STREQ(error.what(), "transpose: image = a [31mb: it is broken [tuned, cpu]");
    EXPECT_EQ(error.fault(), Fault::input);
    EXPECT_EQ(error.context().schedule, "tuned");
    EXPECT_STREQ(Error(Fault::failed, "broken").what(), "broken");
}

}  // namespace tilewright
