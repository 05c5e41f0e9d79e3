#pragma once
// The kernels of a plan on OpenCL, which the host starts again. Not installed.
#include "runtime/devices/calls/recorded_kernels.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tilewright::driver {

// The kernels that a thread launches while it has this object as this_thread.launches, each as an object of
// OpenCL of its own, which keeps its numbers. Halide's part of a launch takes the host about as long as a
// third of the driver's.
class OpenClLaunches final : public RecordedKernels {
public:
    explicit OpenClLaunches(Device device);
    ~OpenClLaunches() override;

    // For the hooks, which pass no exception on to Halide: an argument of the kernel that is launched next,
    // and a launch, from which on the kernel is this object's.
    void add_argument(unsigned index, size_t bytes, const void *value) noexcept;
    void add_kernel(void *kernel, unsigned dims, const size_t *global, const size_t *local) noexcept;
    bool keeps(const void *kernel) const noexcept;

private:
    struct Kernel {
        void *kernel;
        unsigned dims;
        std::array<size_t, 3> global, local;
    };
    // An argument that is a buffer.
    struct Argument {
        size_t kernel;
        unsigned index;
        uint64_t value;  // while it is recorded
        size_t buffer = 0;
    };
    uint64_t allocated(size_t bytes) override;
    bool make(std::span<const Buffer> buffers) override;
    void start(std::span<const uint64_t> addresses) override;

    std::vector<Kernel> kernels_;
    std::vector<Argument> arguments_;
};

}  // namespace tilewright::driver
