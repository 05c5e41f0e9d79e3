#pragma once
#if __cplusplus <= 201703L
#error "the headers of Tilewright need C++20 or newer: compile with -std=c++20"
#endif
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
#pragma GCC visibility push(default)

namespace tilewright {

// What a library is generated for, and what runs it.
enum class Backend { cpu, cuda, opencl };

// "cpu", "cuda" or "opencl".
inline const char *name_of(Backend backend) {
    constexpr const char *names[] = {"cpu", "cuda", "opencl"};
    return names[(size_t)backend];
}

// A device by its backend and its number there, written `cpu`, `cuda:1`, `opencl:0`.
struct Device {
    Backend backend = Backend::cpu;
    int index = 0;  // from 0 on, in the order of the driver

    // Reads `auto`, `cpu`, `cuda[:i]`, `opencl[:i]`; `auto` is default_device(). Errors: usage, for another
    // word; device, for a device that is not there or cannot be used (with the reason).
    static Device parse(const std::string &text);

    // As parse() reads it.
    std::string str() const;
    bool operator==(const Device &) const = default;
};

// A device, and what its driver says of it. The `capability` of the CPU is the widest instruction set that
// variants are built for.
struct DeviceInfo {
    Device device;
    std::string name;            // as the driver calls it
    std::string platform;        // the name of OpenCL's platform; empty for other backends
    std::string driver;          // the driver and its version
    uint64_t memory = 0;         // bytes
    int units = 0;               // multiprocessors, compute units or hardware threads
    std::string capability;      // CUDA: compute capability; OpenCL: version; CPU: see above
    int compute_capability = 0;  // of NVIDIA's GPUs, by CUDA and by OpenCL: 90 for 9.0; 0 for others
    std::string pci_address;     // "0000:1b:00.0"; empty where the driver does not say it
    // Limits, as the driver says them; 0 and false for the CPU, whose variants need none of them.
    int block_threads = 0;     // the most threads of a block (OpenCL: work-items of a work-group)
    int64_t block_memory = 0;  // the most bytes of shared (OpenCL: local) memory of a block
    bool fp64 = false;         // kernels may compute with doubles
    bool images = false;       // kernels may read images (textures)
    bool half = false;         // kernels may compute with halves
    bool is_gpu = false;
    bool usable = false;
    std::string why_not;  // when not usable: the reason and what would help
};

// Every device of this machine, the CPU first. A backend without any device has one entry, which is not
// usable and says why. Loads the drivers and asks them, but makes no context on a device: the first call that
// uses the device makes it, and fails with an Error of the class device or memory where another process uses
// the device exclusively or has filled its memory.
const std::vector<DeviceInfo> &devices();

// The devices of one backend. The drivers of other backends are not loaded (for the CPU: none are). The same
// holds for every function here that is given a device.
const std::vector<DeviceInfo> &devices(Backend backend);

// The first usable CUDA GPU, else the first OpenCL GPU, else the CPU. OpenCL is not loaded where there is a
// CUDA GPU. In a process that was forked after a driver was loaded it is the CPU (tilewright/forks.h).
Device best_device();

// The device that the environment's TILEWRIGHT_DEVICE names; where it is not set, best_device(). Every call
// that names no device runs on the one that the variable names. Errors: usage and device, of another word and
// of a device that is not there; they name the variable.
Device default_device();

// The entry of a device. Errors: device, when there is no such device or it cannot be used; the message names
// all that can be used, for which the drivers of all backends are asked.
const DeviceInfo &device_info(Device device);

// Waits until everything that was started on the device has ended; the CPU has nothing to wait for. Errors:
// device or memory, with what the driver says; a kernel that failed is reported here.
void synchronize(Device device);

// Frees the device memory that is kept for later calls. Memory that a call gave back is kept, because drivers
// take long to allocate: per device at most an eighth of its memory, and 1 GiB where that is the host's
// memory (OpenCL on a CPU); the oldest is freed first. All of it is freed by itself when a device has no
// memory left. The plans of repeated calls are kept too, with their tables and CUDA graphs; these are freed
// here alone, and the next such calls plan again. The memory of arrays on devices, and of a Pipeline's arrays
// between its stages, is not freed.
void trim_device_memory();

// Gives host memory that is kept for later calls and arrays to the system, until at most `keep` bytes are
// kept. Memory of 64 KiB and more that arrays and CPU libraries gave back is kept, because the system clears
// each page at its first use: at most an eighth of the installed memory, and 1 GiB; the oldest
// goes first. Page-locked memory (Array::pinned) has a limit of its own, of the same size.
void trim_host_memory(size_t keep = 0);

// Whether this CPU has AVX-512 with VNNI and the extensions that came with it (those of Zen 4), which some
// variants are built for.
bool cpu_has_vnni();

// Whether this CPU has AVX2, FMA and F16C. On one that has not, variants run that are built for any x86-64.
bool cpu_has_avx2();

}  // namespace tilewright
#pragma GCC visibility pop
