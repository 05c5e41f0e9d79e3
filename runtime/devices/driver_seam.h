#pragma once
// What stands between Halide's runtime and the drivers. Halide asks for each driver function by name through weak symbols;
// driver_seam.cpp defines them, and so decides which library is opened, which device a thread works on, and what some of the
// functions do (see the comments there). Not installed.
#include "runtime/process/inside.h"
#include "tilewright/device.h"
#include "tilewright/row.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

// The best device of the backends that are wanted; of the others no driver is loaded.
std::optional<Device> best_device(const std::function<bool(Backend)> &wanted);

}  // namespace tilewright

namespace tilewright::driver {

// The devices that the CUDA driver and the OpenCL loader show; each list has one unusable entry when there are none. Makes no context.
std::vector<DeviceInfo> cuda_devices();
std::vector<DeviceInfo> opencl_devices();

// Makes the device's context, if it has none yet. Errors: device, when there is no such one, it cannot be used or no context can be made;
// memory, when that is the reason.
void open(Device device);

// While it lives, Halide's calls of this thread go to that device. Errors: device, when the program ends (inside.h).
class Current {
public:
    explicit Current(Device device);
    ~Current();
    Current(const Current &) = delete;

private:
    std::optional<InsideDriver> inside_;
    Device before_;
};

// While it lives, CUDA modules that this thread loads get the row's register caps.
class RegisterCaps {
public:
    explicit RegisterCaps(const std::vector<Row::RegisterCap> &caps);
    ~RegisterCaps();
    RegisterCaps(const RegisterCaps &) = delete;

private:
    const std::vector<Row::RegisterCap> *before_;
};

// PTX with each kernel's cap as a directive of its entry.
std::string with_register_caps(const std::string &ptx, const std::vector<Row::RegisterCap> &caps);

// Milliseconds between two events around `calls`, on the current CUDA device.
double cuda_time_ms(const std::function<void()> &calls);

}  // namespace tilewright::driver
