#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#pragma GCC visibility push(default)

namespace tilewright {

// A kernel that was launched, and what the driver says of it. What a driver does not say has no value.
struct KernelLaunch {
    std::string name;                 // in the module
    std::array<uint64_t, 3> grid{};   // blocks along x, y and z (OpenCL: work-groups)
    std::array<uint64_t, 3> block{};  // threads of one block along x, y and z (OpenCL: work-items)

    // The time of this launch alone. CUDA: between two events around it. OpenCL: by the host's clock, with
    // the queue empty at both ends.
    std::optional<double> ms;

    std::optional<int64_t> shared_bytes;  // of one block: shared memory (OpenCL: local memory)
    std::optional<int64_t> spill_bytes;   // of one thread: local memory (OpenCL: private memory)
    std::optional<int64_t> most_threads;  // the largest block that this kernel can have

    // CUDA alone.
    std::optional<int64_t> registers;             // of one thread
    std::optional<int64_t> blocks_per_unit;       // blocks that one multiprocessor runs at a time
    std::optional<int64_t> most_threads_of_unit;  // threads that one multiprocessor can run at a time
    std::string ptx;  // the kernel's text; empty where its module was loaded before the recording

    // OpenCL alone: the number of work-items that a work-group is best a multiple of.
    std::optional<int64_t> preferred_multiple;

    // In all.
    uint64_t blocks() const {
        return grid[0] * grid[1] * grid[2];
    }
    uint64_t threads_of_block() const {
        return block[0] * block[1] * block[2];
    }
    // The part of a multiprocessor's threads that can be in use at a time, from 0 to 1.
    std::optional<double> occupancy() const;
};

// A library that ran, and the kernels that it launched.
struct LibraryRun {
    std::string variant;          // its name
    uint64_t argument_bytes = 0;  // its inputs and outputs, each element once
    uint64_t scratch_bytes = 0;   // device memory that it took for values between its kernels
    double ms = 0;                // until it returned, by the host's clock; kernels may still run then
    // The extents and strides of its buffers ("image.stride.1", in elements), and its whole numbers.
    std::vector<std::pair<std::string, int64_t>> arguments;
    std::vector<KernelLaunch> kernels;
};

// While one lives, the libraries that its thread runs are recorded, and with them the kernels that they
// launch. Each kernel is then waited for, so a call takes longer. Without one nothing is recorded, and a
// launch costs what it costs anyway. One per thread at a time.
class LaunchRecording {
public:
    // Recording begins, and ends when the object is destroyed.
    LaunchRecording();
    ~LaunchRecording();
    LaunchRecording(const LaunchRecording &) = delete;

    // What ran since the construction or since the last call of this, in its order.
    std::vector<LibraryRun> take();

private:
    struct Recorder *recorder_;
};

}  // namespace tilewright
#pragma GCC visibility pop
