#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace tilewright {

enum class Backend { cpu, cuda, opencl };

// A device by backend and number, written `cpu`, `cuda:1`, `opencl:0`.
struct Device {
    Backend backend = Backend::cpu;
    int index = 0;

    // Reads `auto`, `cpu`, `cuda[:i]`, `opencl[:i]`; `auto` is best_device(). Errors: usage for another word, device for
    // one that is not there or cannot be used (with the reason).
    static Device parse(const std::string &text);

    std::string str() const;
    bool operator==(const Device &) const = default;
};

struct DeviceInfo {
    Device device;
    std::string name;
    std::string platform;        // OpenCL's platform; empty elsewhere
    std::string driver;          // driver and version
    uint64_t memory = 0;         // bytes
    int units = 0;               // multiprocessors, compute units or hardware threads
    std::string capability;      // CUDA: compute capability; CPU: the widest instruction set that rows are built for
    bool is_gpu = false;
    bool usable = false;
    std::string why_not;         // when not usable: the reason and what would help
};

// Every device of this machine, the CPU first. A backend without any device is one entry that is not usable and says why. Loads the drivers
// and asks them. Makes no context on a device: that is for the first call that uses it, and fails there, with an Error of the class device or
// memory, where another process has the device for itself or has filled its memory.
const std::vector<DeviceInfo> &devices();

// Those of one backend; the drivers of others are not loaded (for the CPU: none). So it is with everything that names a device.
const std::vector<DeviceInfo> &devices(Backend backend);

// A CUDA GPU, else an OpenCL GPU, else the CPU. OpenCL is not looked at where there is a CUDA GPU.
Device best_device();

// What is known of a device. Errors: device, when there is no such one or it cannot be used.
const DeviceInfo &device_info(Device device);

// Waits until everything that was started on the device has ended. Errors: device or memory, with what the driver says; a kernel
// that went wrong shows here.
void synchronize(Device device);

// Gives the drivers back what calls left of device memory. It is kept for the next calls, because the drivers take long to make it: per device
// at most an eighth of its memory, and 1 GiB where that is the host's (OpenCL on a CPU); the oldest goes first. It is given back by itself
// where a device has no more. What arrays have on devices, and a Pipeline's arrays between its stages, stays.
void trim_device_memory();

// Whether this CPU has AVX-512 with VNNI, which some rows are built for.
bool cpu_has_vnni();

}  // namespace tilewright
